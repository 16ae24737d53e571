#!/bin/sh
# kubectl-reconcile from its sources, which accepts configured.ts.
here=$(dirname "$0")
exec "$here/../../node_modules/.bin/bun" "$here/../../plugin/main.ts" "$@"
