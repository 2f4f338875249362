//go:build !race

package ui

// crowd is how many messages the random robots send.
const crowd = 12_000
