INSTALL_SHARE += $(wildcard docs/*.md)
