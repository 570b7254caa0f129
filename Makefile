# What people and machines do with dltui. `make` alone says what there is.
.DEFAULT_GOAL := help
MAKEFLAGS += --no-print-directory
SHELL := /bin/bash

PREFIX ?= /usr/local
DESTDIR ?=
ARGS ?=
JOBS ?= $(shell nproc)

BUILD_PACKAGES := libncurses-dev libcurl4-openssl-dev libssl-dev zlib1g-dev libdeflate-dev libexpat1-dev
TEST_PACKAGES := $(BUILD_PACKAGES) nginx vsftpd openssh-server tmux curl openssl strace procps mandoc wget aria2 python3-venv python3-jsonschema
BENCH_PACKAGES := $(BUILD_PACKAGES) nginx curl wget wget2 aria2 axel iproute2 openssl gcc python3
DEB_PACKAGES := dpkg-dev binutils
SCREENSHOT_PACKAGES := $(BUILD_PACKAGES) tmux xterm xvfb imagemagick fonts-dejavu-core fonts-wqy-microhei

# Less to load, and less memory: what is the same is folded, relocations are packed, and C++'s library comes from its archive.
ARCHIVES := .build/archives
# Before glibc 2.36 a program whose relocations are packed does not start.
PACKED := $(shell printf '%s\n' 2.36 "$$(getconf GNU_LIBC_VERSION | cut -d' ' -f2)" | sort -CV && echo -z pack-relative-relocs)
LINKER := -Xswiftc -use-ld=lld -Xswiftc -L$(CURDIR)/$(ARCHIVES) \
  $(addprefix -Xlinker ,--gc-sections --icf=all $(PACKED) -s)
RELEASE := swift build -c release --static-swift-stdlib $(LINKER) -j $(JOBS)
RELEASE_FOLDER := .build/release
PYTHON_FOLDER := .build/python
SWIFT_SOURCES := Package.swift Sources Tests
SCRIPTS := $(wildcard .ci/*) $(wildcard Tests/*/*.sh)

# What `dltui --print` makes, and where it belongs below share/.
ZSH_FOLDER ?= zsh/site-functions
PAGES = man:man/man1/dltui.1 bash:bash-completion/completions/dltui zsh:$(ZSH_FOLDER)/_dltui \
  fish:fish/vendor_completions.d/dltui.fish

.PHONY: help run demo demo-origin build test lint format screenshots bench man deb install uninstall swift

help: ## Says what there is
	@sed -nE 's/^([a-z]+):.*## (.*)/  make \1\t\2/p' Makefile | expand -t 20

run: build ## Builds dltui and starts it; ARGS='…' are its arguments
	@$(RELEASE_FOLDER)/dltui $(ARGS) || { status=$$?; [ $$status -eq 7 ] || exit $$status; }  # 7: unfinished ones go on next time

demo: build demo-origin ## Opens dltui on a server of its own that is good and bad in many ways; works offline
	@Tests/Demo/demo.sh $(RELEASE_FOLDER)

build: swift $(ARCHIVES) ## Builds the optimised program, .build/release/dltui
	@.ci/need $(BUILD_PACKAGES)
	@$(RELEASE) --product dltui

demo-origin: swift $(ARCHIVES)
	@.ci/need $(BUILD_PACKAGES)
	@$(RELEASE) --product dltui-demo-origin

test: swift ## Checks the style and runs all tests
	@.ci/need $(TEST_PACKAGES)
	@$(MAKE) lint
	@.ci/need-pypi $(PYTHON_FOLDER) yt-dlp
	swift build --build-tests -j $(JOBS)
	@set -o pipefail; YTDLP=$(CURDIR)/$(PYTHON_FOLDER)/bin/yt-dlp \
	  swift test --skip-build --experimental-maximum-parallelization-width 4 2>&1 | tee .build/tests.log \
	  || { echo; echo "What failed:"; grep -A 30 '✘.*recorded an issue' .build/tests.log; exit 1; }

lint: swift ## Checks the style of sources and scripts
	swift format lint --strict --recursive $(SWIFT_SOURCES)
	@if command -v shellcheck >/dev/null; then shellcheck $(SCRIPTS); fi

format: swift ## Puts the sources into that style
	swift format --in-place --recursive $(SWIFT_SOURCES)

screenshots: build demo-origin ## Renders pictures of the running program into screenshots/
	@.ci/need $(SCREENSHOT_PACKAGES)
	@Tests/Demo/screenshots.sh $(RELEASE_FOLDER) screenshots

bench: build ## Compares speed with other programs; QUICK=1 for a short run, ONLY='regex' for some cases
	@.ci/need $(BENCH_PACKAGES)
	@$(RELEASE) --product dltui-bench-session
	@python3 -B Tests/Bench/harness/bench.py --programs $(RELEASE_FOLDER) \
	  $(if $(QUICK),--quick) $(if $(ONLY),--only '$(ONLY)') $(if $(OUT),--out '$(OUT)')

man: build ## Shows the manual page
	@$(RELEASE_FOLDER)/dltui --print man | man --local-file -

deb: build ## Makes a Debian package, .build/dltui_*.deb, and tries it
	@.ci/need $(DEB_PACKAGES)
	@.ci/deb $(RELEASE_FOLDER) .build
	@.ci/try-deb .build/dltui_*.deb
	@if command -v lintian >/dev/null; then lintian --allow-root .build/dltui_*.deb; fi

install: ## Installs the program built by `make build` under PREFIX, below DESTDIR if given
	@test -x $(RELEASE_FOLDER)/dltui || { echo "nothing is built yet: make build" >&2; exit 1; }
	install -D -m 755 $(RELEASE_FOLDER)/dltui $(DESTDIR)$(PREFIX)/bin/dltui
	ln -sf dltui $(DESTDIR)$(PREFIX)/bin/dltui-aria2c
	@for page in $(PAGES); do \
	  file="$(DESTDIR)$(PREFIX)/share/$${page#*:}"; mkdir -p "$${file%/*}"; \
	  $(RELEASE_FOLDER)/dltui --print "$${page%%:*}" >"$$file" && chmod 644 "$$file" || exit 1; \
	done; ln -sf dltui.1 $(DESTDIR)$(PREFIX)/share/man/man1/dltui-aria2c.1

uninstall: ## Removes what `make install` put there
	rm -f $(addprefix $(DESTDIR)$(PREFIX)/,bin/dltui bin/dltui-aria2c share/man/man1/dltui-aria2c.1) $(foreach page,$(PAGES),$(DESTDIR)$(PREFIX)/share/$(lastword $(subst :, ,$(page))))

$(ARCHIVES): | swift
	@mkdir -p $@
	@clang="$$(dirname "$$(readlink -f "$$(command -v swift)")")/clang"; \
	ln -sf "$$($$clang -print-file-name=libstdc++.a)" $@/libstdc++.a; \
	ln -sf "$$($$clang -print-file-name=libgcc_eh.a)" $@/libgcc_s.a

swift:
	@command -v swift >/dev/null || { echo "Swift 6.3 or newer is needed: see swift.org/install" >&2; exit 1; }
