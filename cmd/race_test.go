//go:build race

package cmd

const underRace = true
