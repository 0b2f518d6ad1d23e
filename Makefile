# Installs the programs that Scripts/build.sh builds: make install PREFIX=$HOME/.local
#
#   make              the executables, their manual pages and completions
#   make install      into PREFIX (/usr/local), for packages below DESTDIR; builds first if needed
#   make uninstall    removes the installed files
#   make deb          Debian packages, in .build/deb
#   make dist         the files of a release, in .build/dist
#
# SERVER=1 also builds `shardq serve`, in some minutes. REMOTE=1 also builds shardq-remote, which reads an index of a URL
# and publishes an index to a store; it links the system's libcurl. With both variables, shardq-remote also serves an index
# of a URL. Later calls of make keep built programs up to date.
# docs/install.md has more.
PREFIX ?= /usr/local
DESTDIR ?=
# Options for swift build.
BUILDFLAGS ?=
SERVER ?= $(wildcard bin/shardq-serve)
REMOTE ?= $(wildcard bin/shardq-remote)
bindir ?= $(PREFIX)/bin
# Programs that only shardq starts. shardq looks beside itself, then here.
libexecdir ?= $(PREFIX)/libexec/shardq
datadir ?= $(PREFIX)/share
mandir ?= $(datadir)/man
docdir ?= $(datadir)/doc/shardq
# Files that `shardq page` copies. It looks in ../../share/shardq, relative to libexecdir.
pagedir ?= $(datadir)/shardq
bashdir ?= $(datadir)/bash-completion/completions
zshdir ?= $(datadir)/zsh/site-functions
fishdir ?= $(datadir)/fish/vendor_completions.d

made := .build/share
sources := $(shell find Sources -type f) Package.swift $(wildcard Scripts/build*.sh)
# shardq-footprint is a benchmark and is not installed: in a clone, `bin/shardq footprint` finds it beside itself.
helpers := shardq-commands shardq-serve shardq-remote
documents := $(wildcard docs/*.*)
# The configurations of nginx and the job for Spark that the documents name.
others := $(wildcard Packaging/nginx/*.conf) $(wildcard Packaging/spark/*.sql)
# The files of a page without a server, if WebAssembly can be built.
module := .build/wasm/module
pagefiles := page.html shardq-box.js shardq.js static.js shardq.wasm shardq.wasm.gz

.PHONY: all install uninstall deb dist clean
wanted := $(if $(SERVER),bin/shardq-serve) $(if $(REMOTE),bin/shardq-remote)
words := $(if $(SERVER),--server) $(if $(REMOTE),--remote)
all: $(made)/.stamp $(wanted) $(module)/.stamp
	@[ ! -e $(module)/.missing ] || cat $(module)/.missing >&2

# The rule compares times, so that `make && sudo make install` compiles nothing as root, who may not have Swift in PATH.
bin/shardq: $(sources)
	Scripts/build.sh --base $(words) $(BUILDFLAGS)
# If the rule above has built these programs, they are newer.
bin/shardq-serve bin/shardq-remote: bin/shardq
	[ $@ -nt $< ] || Scripts/build.sh $(words) $(BUILDFLAGS)

$(module)/.stamp: $(sources) Scripts/zstd-sources.sh
	mkdir -p $(module)
	rm -f $(module)/.missing
	Scripts/build-wasm.sh $(module)/shardq.wasm 2>$(module)/.said; status=$$?; cat $(module)/.said >&2; \
	case $$status in \
	0) touch $@ ;; \
	3) sed 's/^/shardq page is left out: /' $(module)/.said >$(module)/.missing ;; \
	*) exit 1 ;; esac

$(made)/.stamp: bin/shardq Scripts/manual.py
	rm -rf $(made) && mkdir -p $(made)
	python3 Scripts/manual.py bin/shardq $(made)/man1
	bin/shardq completions bash | sed '1{/^#!/d;}' > $(made)/shardq.bash
	bin/shardq completions zsh > $(made)/_shardq
	bin/shardq completions fish > $(made)/shardq.fish
	touch $@

install: all
	install -d "$(DESTDIR)$(bindir)" "$(DESTDIR)$(libexecdir)" "$(DESTDIR)$(mandir)/man1" \
	  "$(DESTDIR)$(bashdir)" "$(DESTDIR)$(zshdir)" "$(DESTDIR)$(fishdir)"
	for name in $(helpers); do \
	  [ ! -e bin/$$name ] || install -m 755 bin/$$name "$(DESTDIR)$(libexecdir)/$$name" || exit 1; done
	install -m 755 bin/shardq "$(DESTDIR)$(bindir)/shardq"
	install -m 644 $(made)/man1/*.1 "$(DESTDIR)$(mandir)/man1"
	if [ -e $(module)/shardq.wasm ]; then install -d "$(DESTDIR)$(pagedir)" && \
	  install -m 644 $(addprefix $(module)/,$(pagefiles)) "$(DESTDIR)$(pagedir)"; fi
	install -d "$(DESTDIR)$(docdir)/docs" "$(DESTDIR)$(docdir)/nginx" "$(DESTDIR)$(docdir)/spark"
	install -m 644 $(documents) "$(DESTDIR)$(docdir)/docs"
	for path in $(others:Packaging/%=%); do \
	  install -m 644 Packaging/$$path "$(DESTDIR)$(docdir)/$$path" || exit 1; done
	install -m 644 $(made)/shardq.bash "$(DESTDIR)$(bashdir)/shardq"
	install -m 644 $(made)/_shardq "$(DESTDIR)$(zshdir)/_shardq"
	install -m 644 $(made)/shardq.fish "$(DESTDIR)$(fishdir)/shardq.fish"
	@[ ! -e $(module)/.missing ] || cat $(module)/.missing >&2

# Directories stay, because other packages may use them.
uninstall:
	rm -f "$(DESTDIR)$(bindir)/shardq" "$(DESTDIR)$(mandir)/man1/shardq.1" "$(DESTDIR)$(mandir)"/man1/shardq-*.1 \
	  "$(DESTDIR)$(bashdir)/shardq" "$(DESTDIR)$(zshdir)/_shardq" "$(DESTDIR)$(fishdir)/shardq.fish"
	for name in $(helpers); do rm -f "$(DESTDIR)$(libexecdir)/$$name"; done
	for name in $(documents) $(others:Packaging/%=%); do rm -f "$(DESTDIR)$(docdir)/$$name"; done
	for name in $(pagefiles); do rm -f "$(DESTDIR)$(pagedir)/$$name"; done
	if [ -d "$(DESTDIR)$(pagedir)" ]; then rmdir "$(DESTDIR)$(pagedir)"; fi
	for name in docs nginx spark; do \
	  if [ -d "$(DESTDIR)$(docdir)/$$name" ]; then rmdir "$(DESTDIR)$(docdir)/$$name"; fi; done
	if [ -d "$(DESTDIR)$(libexecdir)" ]; then rmdir "$(DESTDIR)$(libexecdir)"; fi

deb: all
	Scripts/package-deb.sh

dist: all
	Scripts/dist.sh

clean:
	rm -rf .build bin
