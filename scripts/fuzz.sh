#!/bin/sh
# Runs every fuzz target of the project, one after the other. A failing input is
# left in the package's testdata/fuzz, to be committed with its mending. FUZZTIME
# is for each target a time or, as 3000x, a number of inputs: with a time Go 1.26
# fails now and then where nothing was found (go.dev/issue/75804).
set -eu
time=${FUZZTIME:-20000x}
for package in $(go list ./...); do
	for target in $(go test -list '^Fuzz' "$package" | grep '^Fuzz' || true); do
		echo "fuzz $package $target ($time)"
		go test -run '^$' -fuzz "^$target\$" -fuzztime "$time" -fuzzminimizetime 20x "$package"
	done
done
