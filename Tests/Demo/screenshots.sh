#!/bin/bash
# screenshots.sh BIN FOLDER: real pictures of BIN/dltui, downloading from BIN/dltui-demo-origin, as FOLDER/*.png.
# The program runs in tmux, through which the keys come; an xterm on a virtual screen shows it.
set -euo pipefail
programs=$(realpath "$1")
pictures=$2
work=$(mktemp -d)
socket=dltui-screenshots-$$
program=
window=
processes=()

clean_up() {
  tmux -L "$socket" kill-server 2>/dev/null || true
  while [[ $program ]] && kill -0 "$program" 2>/dev/null; do sleep 0.05; done
  for process in $window "${processes[@]}"; do kill "$process" 2>/dev/null || true; done
  wait
  rm -rf "$work"
}
trap clean_up EXIT
trap 'exit 130' INT TERM HUP

# wait_for COMMAND...: until it succeeds, for a minute.
wait_for() {
  local turn
  for ((turn = 0; turn < 600; turn++)); do
    "$@" >/dev/null 2>&1 && return
    sleep 0.1
  done
  echo "screenshots: waited in vain for: $*" >&2
  tmux -L "$socket" capture-pane -p >&2 || true
  return 1
}

keys() { tmux -L "$socket" send-keys "$@"; }
shows() { tmux -L "$socket" capture-pane -p | grep -qE -- "$1"; }

# command_line WORDS...: what is typed on the program's line of commands.
command_line() {
  keys :
  keys -l "$*"
  keys Enter g # which takes the answer away
}

# open_window COLUMNS ROWS BACKGROUND FOREGROUND: an xterm of that size in place of the one before.
open_window() {
  if [[ $window ]]; then
    kill "$window"
    wait "$window" || true
    wait_for is_alone
  fi
  background=$3
  tmux -L "$socket" resize-window -x "$1" -y "$2"
  xterm -T dltui-picture -u8 -geometry "${1}x$2+0+0" -b 0 +sb -fa 'DejaVu Sans Mono' -fd 'WenQuanYi Micro Hei Mono' -fs 11 \
    -bg "$3" -fg "$4" -xrm 'XTerm*pointerMode: 3' -xrm 'XTerm*cursorBlink: false' \
    -e env -u TMUX tmux -L "$socket" -u attach 2>"$work/xterm.log" &
  window=$!
  wait_for is_attached
}

is_attached() { [[ $(tmux -L "$socket" list-clients) ]]; }
is_alone() { ! is_attached; }

# picture NAME: what is on the screen a moment later, when it has been painted.
picture() {
  sleep 0.8
  import -window dltui-picture "$work/picture.png"
  convert "$work/picture.png[0]" -bordercolor "$background" -border 8 -strip "$pictures/$1.png"
  echo "$pictures/$1.png"
}

export LC_ALL=C.UTF-8 XDG_CACHE_HOME=$work/cache
mkdir -p "$pictures"

Xvfb -displayfd 3 -screen 0 1600x1000x24 -nolisten tcp 3>"$work/display" 2>/dev/null &
processes+=($!)
wait_for test -s "$work/display"
DISPLAY=:$(<"$work/display")
export DISPLAY

"$programs/dltui-demo-origin" "$work/addresses" &
processes+=($!)
wait_for test -s "$work/addresses"

command=${SCREENSHOT_COMMAND:-"'$programs/dltui' --no-config --jobs 8 --state-dir '$work/state' -d '$work/files' -i '$work/addresses'"}
printf '%s\n' 'set -g status off' 'set -g remain-on-exit on' 'set -g default-terminal tmux-256color' 'set -g escape-time 0' \
  'set -ga terminal-overrides ",xterm*:RGB"' >"$work/tmux.conf"
tmux -L "$socket" -u -f "$work/tmux.conf" new-session -d -x 120 -y 32 "exec $command"
program=$(tmux -L "$socket" display-message -p '#{pane_pid}')

open_window 120 32 '#101418' '#d6dce2'
wait_for shows '[^[:space:]]'

if [[ -n ${SCREENSHOT_COMMAND:-} ]]; then
  picture trial
  exit
fi

wait_for shows 'failed'
sleep 5
keys j j j p g
sleep 2
picture main
keys P # two that have all connections for themselves
sleep 1
keys r j r g Enter
sleep 12
picture details
keys Enter R '?'
picture help
keys Escape
sleep 0.2
keys a
keys -l 'https://example.org/a.iso'
picture add
keys Escape
sleep 0.2
tmux -L "$socket" set-buffer -- "Mirrors: https://mirror.example.org/iso/debian-13.1.0-amd64-netinst.iso, $(head -1 "$work/addresses")
and https://b.example/linux-6.18.tar.xz.
\$ curl 'https://dl.example.com/app-2.4.1.AppImage?id=7' -H 'Cookie: session=1' -u ada:secret --compressed -k -o app.AppImage"
tmux -L "$socket" paste-buffer -p -r
picture review
keys Escape
sleep 0.2
open_window 80 24 '#101418' '#d6dce2'
picture small
command_line theme ascii
picture ascii
command_line theme light
open_window 120 32 '#fbfaf6' '#2b2f33'
picture light
keys q q
