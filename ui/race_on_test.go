//go:build race

package ui

// crowd is the number of messages of the random robots. The checks run them with the race
// detector.
const crowd = 100_000
