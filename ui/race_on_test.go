//go:build race

package ui

// crowd is the number of messages of the random robots, fewer because the race detector is slow.
const crowd = 100_000
