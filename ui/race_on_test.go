//go:build race

package ui

// crowd is how many messages the random robots send: what they find that is
// new, they find behind the race detector.
const crowd = 100_000
