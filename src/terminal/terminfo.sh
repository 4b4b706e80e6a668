#!/bin/sh
# terminfo.sh SOURCE ENTRY OUTPUT: compiles SOURCE and writes ENTRY's bytes as a C initialiser to OUTPUT. Without a tic
# that can do it a lone 0 is written, and the program goes without that entry.
set -eu
source=$1 entry=$2 output=$3
directory=$(mktemp -d)
trap 'rm -rf "$directory"' EXIT
compiled=
if tic -x -o "$directory" "$source" 2>"$directory/errors"; then
    compiled=$(find "$directory" -type f -name "$entry" | head -n 1)
fi
if [ -n "$compiled" ]; then
    od -An -v -tx1 "$compiled" | sed 's/ *\([0-9a-f][0-9a-f]\)/0x\1,/g' >"$output"
else
    echo 0 >"$output"
fi
