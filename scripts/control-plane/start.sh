#!/usr/bin/env bash
# Starts NAME of the cluster in DIR as up.sh noted it in DIR/NAME.command, and writes its pid into DIR/pids.
# usage: start.sh DIR NAME
set -euo pipefail
cd "$1"
# A process group of its own: Ctrl-C at the terminal of the starter is not for it, the starter says when it ends.
set -m
bash "./$2.command" < /dev/null >> "$2.log" 2>&1 &
grep -v " $2\$" pids > pids.new || true
echo "$! $2" >> pids.new
mv pids.new pids
