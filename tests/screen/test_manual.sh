# SPDX-License-Identifier: GPL-3.0-or-later
# test_manual.sh - manual page and shell completion say what the program knows, no more and no less; they are
# installed; the start file on the command line.
set -u
n=0 bad=0
check() { local name=$1; shift; n=$((n + 1)); if "$@"; then echo "ok $n - $name"; else echo "not ok $n - $name"; bad=1; fi; }
skip() { n=$((n + 1)); echo "ok $n - $1 # SKIP $2"; }
man=$TMPDIR/cdefrag.8 comp=$TMPDIR/cdefrag.bash
"$CDEFRAG" --print-man >"$man"; "$CDEFRAG" --print-completion >"$comp"; "$CDEFRAG" -c help >"$TMPDIR/help"
"$CDEFRAG" --help >"$TMPDIR/usage"
# Verbs as help has them, up to the first line that is no verb.
verbs=$(sed -n 's/^\([a-z][a-z-]*\)\(\[!\]\)\{0,1\} .*/\1/p' "$TMPDIR/help" | sort -u)
options=$(grep -oE -- '--[a-z-]+ ' "$TMPDIR/usage" | grep -v -- '--help\.' | tr -d ' ' | sort -u)

check 'help lists many verbs' [ "$(echo "$verbs" | wc -l)" -gt 40 ]
if command -v mandoc >/dev/null; then
	mandoc -Tutf8 -Owidth=200 "$man" | col -b >"$TMPDIR/text"
	mandoc -Tlint "$man" >"$TMPDIR/lint" 2>/dev/null
	check 'mandoc has nothing to say' bash -c '! grep -vE "outdated mandoc.db|Xr .* not found|referenced manual not found" "$1" | sed "s/^/# /" | grep .' - "$TMPDIR/lint"
	check 'the verbs are those of help' [ "$(sed -n '/^COMMANDS/,/^TARGETS/p' "$TMPDIR/text" |
		sed -n 's/^     \([a-z][a-z-]*\)\(\[!\]\)\{0,1\}\( .*\)\{0,1\}$/\1/p' | sort -u)" = "$verbs" ]
	check 'the options are those of --help' [ "$(sed -n '/^OPTIONS/,/^COMMANDS/p' "$TMPDIR/text" |
		grep -oE '^     (-., )?--[a-z-]+' | grep -oE -- '--[a-z-]+' | sort -u)" = "$(echo "$options")" ]
	check 'the settings are those of set' [ "$(sed -n '/^SETTINGS/,/^ENVIRONMENT/p' "$TMPDIR/text" |
		sed -n 's/^     \([a-z.]*\)=.*/\1/p' | sort)" = "$("$CDEFRAG" -c set | sed 's/=.*//' | sort)" ]
else
	skip 'the manual' 'mandoc is not installed'
fi
words() { # words WORD...: what bash completes the last word to
	bash -c '. "$1"; shift; COMP_WORDS=("$@"); COMP_CWORD=$(($# - 1)); _cdefrag; printf "%s\n" "${COMPREPLY[@]}"' - "$comp" "$@" | sort -u
}
check 'the completion knows the verbs' [ "$(words cdefrag -c '')" = "$verbs" ]
check 'and the options' [ "$(words cdefrag --)" = "$options" ]
check 'a part of one' [ "$(words cdefrag --off)" = --offset ]
check 'and the themes' [ "$(words cdefrag --theme oka)" = okabe ]
if command -v make >/dev/null && [ -f Makefile ]; then
	make -s install BUILD="$(basename "$BUILD_DIR")" DESTDIR="$TMPDIR/root" >/dev/null 2>&1
	check 'install puts them in their places' bash -c 'cmp "$1" "$3/usr/local/share/man/man8/cdefrag.8" &&
		cmp "$2" "$3/usr/local/share/bash-completion/completions/cdefrag"' - "$man" "$comp" "$TMPDIR/root"
	make -s uninstall BUILD="$(basename "$BUILD_DIR")" DESTDIR="$TMPDIR/root" >/dev/null 2>&1
	check 'uninstall takes them away' [ -z "$(find "$TMPDIR/root" -type f)" ]
fi

mkdir -p "$XDG_CONFIG_HOME/cdefrag"; rc=$XDG_CONFIG_HOME/cdefrag/rc
printf 'alias hello echo well\nset color=kind\n' >"$rc"; chmod 644 "$rc"
check 'the start file is run' [ "$("$CDEFRAG" -c 'hello met' -c 'set color?')" = 'well met
color=kind' ]
check '--no-rc' bash -c '! "$CDEFRAG" --no-rc -c hello 2>/dev/null'
echo 'set speed=9' >>"$rc"
check 'what is wrong is said, and costs nothing' bash -c '[ "$("$CDEFRAG" -c "hello you" 2>"$1/err")" = "well you" ] &&
	grep -q "rc:3: no option is called \"speed\"" "$1/err" && "$CDEFRAG" -c "hello you" >/dev/null 2>&1' - "$TMPDIR"
echo 'set theme=okabe' >"$rc"
check 'the command line goes before it' [ "$("$CDEFRAG" --theme default -c 'set theme?')$("$CDEFRAG" -c 'set theme?')" = theme=defaulttheme=okabe ]
echo "1..$n"
exit $bad
