#!/bin/bash
# demo.sh BIN: opens BIN/dltui on the files of BIN/dltui-demo-origin, in a folder that is gone afterwards.
set -euo pipefail
programs=$1
folder=$(mktemp -d)
"$programs/dltui-demo-origin" "$folder/addresses" &
origin=$!
trap 'kill "$origin" 2>/dev/null || true; wait "$origin" 2>/dev/null || true; rm -rf "$folder"' EXIT
trap 'exit 130' INT TERM HUP

until [[ -s $folder/addresses ]]; do
  kill -0 "$origin"
  sleep 0.05
done
"$programs/dltui" --no-config --state-dir "$folder/state" --dir "$folder/files" --input-file "$folder/addresses" ||
  (($? == 7)) # unfinished downloads are left behind on purpose
