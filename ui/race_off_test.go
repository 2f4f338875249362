//go:build !race

package ui

// crowd is the number of messages of the random robots.
const crowd = 12_000
