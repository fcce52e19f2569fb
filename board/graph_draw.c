/*
 * A topology drawn with boxes and lines, trace flowing from left to right.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#include "graph_draw.h"
#include "graph_layout.h"

#include <string.h>

enum { UP = 1, DOWN = 2, LEFT = 4, RIGHT = 8 };

#define ARROW 0x10           /* cell flag: head of a line */

static void put(struct drawing *d, int x, int y, unsigned char bits)
{
    if (x >= 0 && x < d->cols && y >= 0 && y < d->rows) {
        d->line[y * d->cols + x] |= bits;
    }
}

static void write_text(struct drawing *d, int x, int y, const char *s)
{
    for (; *s != 0; s++, x++) {
        if (x >= 0 && x < d->cols && y >= 0 && y < d->rows) {
            d->chr[y * d->cols + x] = *s;
        }
    }
}

static void hline(struct drawing *d, int x1, int x2, int y)
{
    for (int x = x1; x <= x2; x++) {
        put(d, x, y, (unsigned char)((x > x1 ? LEFT : 0) |
                                     (x < x2 ? RIGHT : 0)));
    }
}

static void vline(struct drawing *d, int x, int y1, int y2)
{
    for (int y = MIN(y1, y2); y <= MAX(y1, y2); y++) {
        put(d, x, y, (unsigned char)((y > MIN(y1, y2) ? UP : 0) |
                                     (y < MAX(y1, y2) ? DOWN : 0)));
    }
}

static void draw_box(struct drawing *d, const struct box *b)
{
    int x = d->x[b->layer], w = d->w[b->layer];
    int text_x = x + 2 + drawing_ins_width(d, b);
    int first = b->y + 1 + (drawing_content_rows(b) - b->n_text) / 2;

    hline(d, x, x + w - 1, b->y);
    hline(d, x, x + w - 1, b->y + b->h - 1);
    vline(d, x, b->y, b->y + b->h - 1);
    vline(d, x + w - 1, b->y, b->y + b->h - 1);
    for (int i = 0; i < b->n_in && drawing_ins_width(d, b) > 0; i++) {
        char *s = drawing_ins_text(d->edge[b->in[i]].ins);

        write_text(d, x + 1, d->edge[b->in[i]].y2, s);
        g_free(s);
    }
    for (int i = 0; i < b->n_text; i++) {
        write_text(d, text_x, first + i, b->text[i]);
    }
    for (int i = 0; i < b->n_out && b->n_out > 1; i++) {
        char s[16];

        g_snprintf(s, sizeof(s), "%u", d->edge[b->out[i]].out);
        write_text(d, x + w - 1 - (int)strlen(s), d->edge[b->out[i]].y1, s);
    }
    if (b->cpus != NULL) {
        write_text(d, 0, b->y + b->h / 2, b->cpus);
        hline(d, (int)strlen(b->cpus) + 1, x - 1, b->y + b->h / 2);
        put(d, x - 1, b->y + b->h / 2, ARROW);
    }
}

static void draw_edge(struct drawing *d, const struct edge *e)
{
    int l = d->box[e->from].layer;
    int x1 = d->x[l] + MAX(d->w[l] - 1, 0), x2 = d->x[l + 1];
    int turn = d->x[l] + d->w[l] + 1 + 2 * e->track;

    if (d->box[e->from].group < 0) {
        x1 = d->x[l];        /* through the layer */
    }
    if (d->box[e->to].group >= 0) {
        x2--;                /* the arrow, not the border */
        put(d, x2, e->y2, ARROW);
    }
    if (e->y1 == e->y2) {
        hline(d, x1, x2, e->y1);
    } else {
        hline(d, x1, turn, e->y1);
        vline(d, turn, e->y1, e->y2);
        hline(d, turn, x2, e->y2);
    }
}

static void print_cell(unsigned char bits, char chr, bool utf8, FILE *out)
{
    static const char *const glyph[16] = {
        " ", "│", "│", "│", "─", "┘", "┐", "┤",
        "─", "└", "┌", "├", "─", "┴", "┬", "┼",
    };

    if (chr != 0) {
        fputc(chr, out);
    } else if (bits & ARROW) {
        fputs(utf8 ? "▶" : ">", out);
    } else if (utf8) {
        fputs(glyph[bits & 15], out);
    } else {
        bits &= 15;
        fputc(bits == 0 ? ' ' : (bits & (UP | DOWN)) == 0 ? '-' :
              (bits & (LEFT | RIGHT)) == 0 ? '|' : '+', out);
    }
}

static void print_canvas(const struct drawing *d, bool utf8, FILE *out)
{
    for (int y = 0; y < d->rows; y++) {
        const unsigned char *line = d->line + y * d->cols;
        const char *chr = d->chr + y * d->cols;
        int end = d->cols;

        while (end > 0 && line[end - 1] == 0 &&
               (chr[end - 1] == 0 || chr[end - 1] == ' ')) {
            end--;
        }
        for (int x = 0; x < end; x++) {
            print_cell(line[x], chr[x], utf8, out);
        }
        fputc('\n', out);
    }
}

void trace_graph_draw(const struct trace_graph *g, bool utf8, FILE *out)
{
    struct drawing *d = drawing_new(g);
    gsize cells = (gsize)d->cols * (gsize)d->rows + 1;

    d->line = g_malloc0(cells);
    d->chr = g_malloc0(cells);
    for (int i = 0; i < d->n_edge; i++) {
        draw_edge(d, &d->edge[i]);
    }
    for (int b = 0; b < d->n_box; b++) {
        if (d->box[b].group >= 0) {
            draw_box(d, &d->box[b]);
        }
    }
    print_canvas(d, utf8, out);
    drawing_free(d);
}
