//go:build !race

package shop_test

const underRace = false
