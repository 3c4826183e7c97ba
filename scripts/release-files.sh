#!/bin/sh
# Makes the completions and man pages that the archives and packages carry.
set -eu
SOURCE_DATE_EPOCH=$(git log -1 --format=%ct)
export SOURCE_DATE_EPOCH
rm -rf build
mkdir -p build/completions build/man
go build -trimpath -o build/desfecho ./cmd/desfecho
for shell in bash zsh fish; do
	build/desfecho completion "$shell" >"build/completions/desfecho.$shell"
done
build/desfecho man build/man
gzip -9 -n build/man/*.1
