/*
 * ELF symbols and code, read from the file: no library.
 * Not modelled: relocation (a position-independent program's symbols are at
 * its own addresses), dynamic symbols.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#include <elf.h>
#include <string.h>

#include "cli/symbols.h"

struct file {
    const uint8_t *p;
    uint64_t size;
};

/* A table of @n entries of @entry bytes at @off, or NULL. */
static const void *table(const struct file *f, uint64_t off, uint64_t n,
                         uint64_t entry)
{
    if (off > f->size || n > (f->size - off) / entry ||
        off % sizeof(uint64_t)) {
        return NULL;
    }
    return f->p + off;
}

void symbols_init(struct symbols *s)
{
    s->maps = g_ptr_array_new();
    s->segments = g_array_new(FALSE, FALSE, sizeof(struct sym_segment));
    s->functions = g_array_new(FALSE, FALSE, sizeof(struct sym_function));
}

void symbols_free(struct symbols *s)
{
    for (guint i = 0; i < s->maps->len; i++) {
        g_mapped_file_unref(g_ptr_array_index(s->maps, i));
    }
    g_ptr_array_free(s->maps, TRUE);
    g_array_free(s->segments, TRUE);
    g_array_free(s->functions, TRUE);
}

static void add_segments(struct symbols *s, const struct file *f,
                         const Elf64_Ehdr *h)
{
    const Elf64_Phdr *ph = table(f, h->e_phoff, h->e_phnum, sizeof(*ph));

    for (unsigned i = 0; ph && i < h->e_phnum; i++) {
        if (ph[i].p_type == PT_LOAD && (ph[i].p_flags & PF_X) &&
            ph[i].p_offset <= f->size &&
            ph[i].p_filesz <= f->size - ph[i].p_offset) {
            struct sym_segment seg = {
                .va = ph[i].p_vaddr, .bytes = f->p + ph[i].p_offset,
                .size = ph[i].p_filesz,
            };

            g_array_append_val(s->segments, seg);
        }
    }
}

static void add_table(struct symbols *s, const struct file *f,
                      const Elf64_Shdr *syms, const Elf64_Shdr *strs)
{
    uint64_t n = syms->sh_size / sizeof(Elf64_Sym);
    const Elf64_Sym *sym = table(f, syms->sh_offset, n, sizeof(*sym));

    if (!sym || strs->sh_offset > f->size ||
        strs->sh_size > f->size - strs->sh_offset || !strs->sh_size ||
        f->p[strs->sh_offset + strs->sh_size - 1]) {
        return;
    }
    for (uint64_t i = 0; i < n; i++) {
        struct sym_function fn = {
            .va = sym[i].st_value, .size = sym[i].st_size,
            .name = (const char *)f->p + strs->sh_offset + sym[i].st_name,
        };

        if (ELF64_ST_TYPE(sym[i].st_info) == STT_FUNC && fn.va &&
            sym[i].st_name < strs->sh_size) {
            g_array_append_val(s->functions, fn);
        }
    }
}

static gint by_va(gconstpointer a, gconstpointer b)
{
    const struct sym_function *x = a, *y = b;

    return x->va != y->va ? (x->va < y->va ? -1 : 1)
                          : x->size < y->size ? -1 : x->size > y->size;
}

static const char *add_file(struct symbols *s, const struct file *f)
{
    const Elf64_Ehdr *h = table(f, 0, 1, sizeof(*h));
    const Elf64_Shdr *sh;
    guint before = s->functions->len;

    if (!h || memcmp(h->e_ident, ELFMAG, SELFMAG) ||
        h->e_ident[EI_CLASS] != ELFCLASS64 ||
        h->e_ident[EI_DATA] != ELFDATA2LSB || h->e_machine != EM_AARCH64) {
        return "not an arm64 ELF file";
    }
    add_segments(s, f, h);
    sh = table(f, h->e_shoff, h->e_shnum, sizeof(*sh));
    for (unsigned i = 0; sh && i < h->e_shnum; i++) {
        if (sh[i].sh_type == SHT_SYMTAB && sh[i].sh_link < h->e_shnum) {
            add_table(s, f, &sh[i], &sh[sh[i].sh_link]);
        }
    }
    g_array_sort(s->functions, by_va);
    return s->functions->len == before ? "no function symbols: stripped?"
                                       : NULL;
}

gboolean symbols_add(struct symbols *s, const char *file, char **error)
{
    GError *e = NULL;
    GMappedFile *map = g_mapped_file_new(file, FALSE, &e);
    const char *wrong;
    struct file f;

    if (!map) {
        *error = g_strdup(e->message);
        g_error_free(e);
        return FALSE;
    }
    g_ptr_array_add(s->maps, map);
    f.p = (const uint8_t *)g_mapped_file_get_contents(map);
    f.size = g_mapped_file_get_length(map);
    wrong = add_file(s, &f);
    if (wrong) {
        *error = g_strdup_printf("%s: %s", file, wrong);
    }
    return !wrong;
}

const struct sym_function *symbols_find(const struct symbols *s, uint64_t va)
{
    guint lo = 0, hi = s->functions->len;
    const struct sym_function *fn;

    while (lo < hi) {
        guint mid = lo + (hi - lo) / 2;

        if (g_array_index(s->functions, struct sym_function, mid).va <= va) {
            lo = mid + 1;
        } else {
            hi = mid;
        }
    }
    if (!lo) {
        return NULL;
    }
    fn = &g_array_index(s->functions, struct sym_function, lo - 1);
    /* A size of 0 (assembly): as far as the next symbol. */
    return fn->size && va - fn->va >= fn->size ? NULL : fn;
}

gboolean symbols_opcode(const struct symbols *s, uint64_t va,
                        uint32_t *opcode)
{
    for (guint i = 0; i < s->segments->len; i++) {
        const struct sym_segment *seg = &g_array_index(s->segments,
                                                       struct sym_segment, i);

        if (va >= seg->va && seg->size >= 4 && va - seg->va <= seg->size - 4) {
            const uint8_t *p = seg->bytes + (va - seg->va);

            *opcode = (uint32_t)p[0] | (uint32_t)p[1] << 8 |
                      (uint32_t)p[2] << 16 | (uint32_t)p[3] << 24;
            return TRUE;
        }
    }
    return FALSE;
}
