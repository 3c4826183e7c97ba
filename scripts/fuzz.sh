#!/bin/sh
# Runs every fuzz target of the project, one after the other. A failing input is
# left in the package's testdata/fuzz, to be committed with its mending.
set -eu
time=${FUZZTIME:-20s}
for package in $(go list ./...); do
	for target in $(go test -list '^Fuzz' "$package" | grep '^Fuzz' || true); do
		echo "fuzz $package $target ($time)"
		go test -run '^$' -fuzz "^$target\$" -fuzztime "$time" "$package"
	done
done
