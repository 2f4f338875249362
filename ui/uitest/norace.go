//go:build !race

package uitest

// Race reports whether the race detector is on.
const Race = false
