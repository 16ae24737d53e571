#!/usr/bin/env bash
# Starts NAME of the cluster in DIR as recorded by up.sh in DIR/NAME.command, and writes its pid to DIR/pids.
# usage: start.sh DIR NAME
set -euo pipefail
cd "$1"
# A separate process group: Ctrl-C in the starter's terminal does not reach it, the starter decides when it stops.
set -m
bash "./$2.command" < /dev/null >> "$2.log" 2>&1 &
grep -v " $2\$" pids > pids.new || true
echo "$! $2" >> pids.new
mv pids.new pids
