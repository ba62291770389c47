# SPDX-License-Identifier: GPL-3.0-or-later
#
#   make demo      build, make a small fragmented ext4 volume, open it in the terminal
#   make check     build and run all tests
#   make help      everything else
#
# Knobs: BUILD=release|debug|asan|tsan|cov   WERROR=1   LONG=1   TEST=glob   V=1
#        PREFIX=/usr/local   DESTDIR=   DEMO_IMG=build/demo.img   DEMO_SEED=1

BUILD     ?= release
PREFIX    ?= /usr/local
DEMO_IMG  ?= build/demo.img
DEMO_SEED ?= 1
VERSION   := 0.1.0

# Debian packages: what the program is built with, and what the tests run.
DEPS := build-essential pkg-config libncurses-dev libreadline-dev libext2fs-dev comerr-dev libblkid-dev \
	libcmocka-dev libjansson-dev libinih-dev e2fsprogs tmux procps python3

B := build/$(BUILD)
CC ?= cc

CFLAGS_release := -O2 -g
CFLAGS_debug   := -O0 -g3
CFLAGS_asan    := -O1 -g -fsanitize=address,undefined -fno-sanitize-recover=undefined -fno-omit-frame-pointer
CFLAGS_tsan    := -O1 -g -fsanitize=thread -fno-omit-frame-pointer
CFLAGS_cov     := -O0 -g --coverage
WARN := -Wall -Wextra -Wshadow -Wstrict-prototypes -Wmissing-prototypes -Wvla -Wformat=2 \
	-Wundef -Wpointer-arith
WARN_core    := -Wconversion -Wno-sign-conversion
WARN_fs      := -Wconversion -Wno-sign-conversion
WARN_journal := -Wconversion -Wno-sign-conversion
ifdef WERROR
WARN += -Werror
endif

# Found when a compile needs them, so that `make deps` can bring pkg-config itself.
PKG_CORE = ext2fs com_err blkid
PKG_UI   = ncursesw readline jansson inih
PKG_CFLAGS = $(shell pkg-config --cflags $(PKG_CORE) $(PKG_UI))
LIBS_CORE  = $(shell pkg-config --libs $(PKG_CORE)) -lpthread -lm
LIBS_UI    = $(shell pkg-config --libs $(PKG_UI)) -lm
LIBS_TEST  = $(shell pkg-config --libs cmocka)

CPPFLAGS_ALL = -D_GNU_SOURCE -D_FILE_OFFSET_BITS=64 -Iinclude -I. \
	-DCDEFRAG_VERSION='"$(VERSION)"' -DCDEFRAG_THEMES='"$(PREFIX)/share/cdefrag/themes"' $(PKG_CFLAGS)
CFLAGS_ALL = -std=gnu11 $(CFLAGS_$(BUILD)) $(WARN) -fno-common -pthread $(CFLAGS)

SRC_CORE := $(wildcard src/*/*.c)
SRC_UI   := $(filter-out ui/main.c,$(wildcard ui/*.c))
OBJ_CORE := $(SRC_CORE:%.c=$B/%.o)
OBJ_UI   := $(SRC_UI:%.c=$B/%.o)
LIB_CORE := $B/libcore.a
LIB_UI   := $B/libui.a
BIN      := $B/cdefrag

SRC_TESTLIB := $(wildcard tests/lib/*.c)
OBJ_TESTLIB := $(SRC_TESTLIB:%.c=$B/%.o)
TESTS_CORE := $(patsubst %.c,$B/%,$(wildcard tests/unit/test_*.c tests/image/test_*.c tests/crash/test_*.c))
TESTS_UI   := $(patsubst %.c,$B/%,$(wildcard tests/screen/test_*.c))
BENCHES    := $(patsubst %.c,$B/%,$(wildcard tests/bench/bench_*.c))
SCRIPTS    := $(wildcard tests/*/test_*.sh)

Q := $(if $(V),,@)

.PHONY: all demo deps fuzz check check-unit check-image check-crash check-screen check-e2e check-layers \
	check-asan check-tsan coverage bench format lint screenshots install uninstall clean help tests
.DEFAULT_GOAL := all

all: $(BIN)

help: ## this list
	@awk -F':.*## ' '/^[a-z-]+:.*## /{printf "  make %-13s %s\n", $$1, $$2}' Makefile
	@sed -n '/^# Knobs/,/^$$/s/^# *//p' Makefile

demo: deps ## build, make a fragmented ext4 volume and open it, writable
	$(Q)$(MAKE) --no-print-directory all
	$(Q)$(BIN) --make-demo $(DEMO_IMG) --seed $(DEMO_SEED)
	$(Q)$(BIN) -w --lesson tour $(DEMO_IMG)

deps: ## install the Debian packages that are missing (apt-get; sudo unless root)
	@missing=$$(for p in $(DEPS); do \
		dpkg-query -W -f='$${Status}' $$p 2>/dev/null | grep -q 'ok installed' || echo $$p; done); \
	if [ -n "$$missing" ]; then \
		echo "installing:" $$missing; \
		sudo=; [ "$$(id -u)" = 0 ] || sudo=sudo; \
		$$sudo env DEBIAN_FRONTEND=noninteractive apt-get -qq -o Dpkg::Use-Pty=0 update >/dev/null && \
		$$sudo env DEBIAN_FRONTEND=noninteractive apt-get -qq -o Dpkg::Use-Pty=0 install -y \
			--no-install-recommends $$missing >/dev/null; \
	fi

# --- building -------------------------------------------------------------------------------

# Rebuild when the flags change.
FLAGS_NOW = $(CC) $(filter-out -Werror,$(CFLAGS_ALL)) $(CPPFLAGS_ALL)
$B/flags: FORCE
	@mkdir -p $B; echo '$(subst ','\'',$(FLAGS_NOW))' | cmp -s - $@ || echo '$(subst ','\'',$(FLAGS_NOW))' > $@
.PHONY: FORCE

$B/%.o: %.c $B/flags
	@mkdir -p $(@D)
	$(if $(V),,@echo "  CC    $<")
	$(Q)$(CC) $(CPPFLAGS_ALL) $(CFLAGS_ALL) $(WARN_$(word 2,$(subst /, ,$<))) -MMD -MP -c -o $@ $<

$(LIB_CORE): $(OBJ_CORE)
	$(if $(V),,@echo "  AR    $@")
	$(Q)rm -f $@ && $(AR) rcs $@ $^
$(LIB_UI): $(OBJ_UI)
	$(if $(V),,@echo "  AR    $@")
	$(Q)rm -f $@ && $(AR) rcs $@ $^
$(BIN): $B/ui/main.o $(LIB_UI) $(LIB_CORE)
	$(if $(V),,@echo "  LD    $@")
	$(Q)$(CC) $(CFLAGS_ALL) $(LDFLAGS) -o $@ $^ $(LIBS_UI) $(LIBS_CORE)

$(TESTS_CORE) $(BENCHES): $B/%: $B/%.o $(OBJ_TESTLIB) $(LIB_CORE)
	$(if $(V),,@echo "  LD    $@")
	$(Q)$(CC) $(CFLAGS_ALL) $(LDFLAGS) -o $@ $^ $(LIBS_TEST) $(LIBS_CORE)
$(TESTS_UI): $B/%: $B/%.o $(OBJ_TESTLIB) $(LIB_UI) $(LIB_CORE)
	$(if $(V),,@echo "  LD    $@")
	$(Q)$(CC) $(CFLAGS_ALL) $(LDFLAGS) -o $@ $^ $(LIBS_TEST) $(LIBS_UI) $(LIBS_CORE)

tests: $(BIN) $(TESTS_CORE) $(TESTS_UI)

# --- proving ----------------------------------------------------------------------------------

# run-tests prints what fails and ends with "N passed, N failed, N skipped".
RUN = tests/lib/run-tests $B $(if $(LONG),--long) $(if $(TEST),--only '$(TEST)')

check: deps ## build and run all tests (LONG=1: the long forms too)
	$(Q)$(MAKE) --no-print-directory tests check-layers
	$(Q)$(RUN) unit image crash screen e2e
check-unit check-image check-crash check-screen check-e2e: check-%: tests ## one folder of tests
	$(Q)$(RUN) $*
check-asan: ## all tests under AddressSanitizer and UBSan
	$(Q)$(MAKE) --no-print-directory check BUILD=asan
check-tsan: ## all tests under ThreadSanitizer
	$(Q)$(MAKE) --no-print-directory check BUILD=tsan
fuzz: ## hostile images and journals under ASan and UBSan (LONG=1: 10,000)
	$(Q)$(MAKE) --no-print-directory BUILD=asan build/asan/tests/image/test_fuzz \
		build/asan/tests/image/test_fuzz_journal
	$(Q)tests/lib/run-tests build/asan $(if $(LONG),--long) --only 'test_fuzz*' image
check-layers: $(LIB_CORE) ## no ext2fs outside src/fs, no curses in the core, no src/ in ui/
	$(Q)tests/lib/check-layers $(LIB_CORE)
coverage: ## line coverage of all tests (gcov)
	$(Q)$(MAKE) --no-print-directory check BUILD=cov
	$(Q)tests/lib/coverage build/cov
bench: all $(BENCHES) ## side-by-side measurements, printed as ratios (needs root for some)
	$(Q)tests/bench/run $B $(if $(LONG),--long)
format: ## clang-format all sources
	$(Q)clang-format -i $$(git ls-files '*.c' '*.h')
lint: ## formatting, cppcheck, manual page
	$(Q)clang-format --dry-run --Werror $$(git ls-files '*.c' '*.h')
screenshots: all ## the pictures of the README, by the program's own `shot`
	$(Q)tests/lib/screenshots $(BIN)

# --- installing -------------------------------------------------------------------------------

MANDIR  := $(PREFIX)/share/man/man8
COMPDIR := $(PREFIX)/share/bash-completion/completions
install: all ## PREFIX=/usr/local, DESTDIR=
	install -d $(DESTDIR)$(PREFIX)/sbin $(DESTDIR)$(PREFIX)/share/cdefrag/themes $(DESTDIR)$(PREFIX)/share/cdefrag/lessons $(DESTDIR)$(MANDIR) $(DESTDIR)$(COMPDIR)
	install -m 755 $(BIN) $(DESTDIR)$(PREFIX)/sbin/cdefrag
	install -m 644 themes/*.theme $(DESTDIR)$(PREFIX)/share/cdefrag/themes/
	install -m 644 ui/lessons/*.lesson $(DESTDIR)$(PREFIX)/share/cdefrag/lessons/
	$(BIN) --print-man >$(DESTDIR)$(MANDIR)/cdefrag.8
	$(BIN) --print-completion >$(DESTDIR)$(COMPDIR)/cdefrag
	chmod 644 $(DESTDIR)$(MANDIR)/cdefrag.8 $(DESTDIR)$(COMPDIR)/cdefrag
uninstall: ## what install put there
	rm -f $(DESTDIR)$(PREFIX)/sbin/cdefrag $(DESTDIR)$(MANDIR)/cdefrag.8 $(DESTDIR)$(COMPDIR)/cdefrag
	rm -rf $(DESTDIR)$(PREFIX)/share/cdefrag
clean: ## all build output
	rm -rf build

-include $(shell find $B -name '*.d' 2>/dev/null)
