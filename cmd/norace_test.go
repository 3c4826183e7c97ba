//go:build !race

package cmd

const underRace = false
