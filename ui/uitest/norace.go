//go:build !race

package uitest

// Race says that the race detector watches.
const Race = false
