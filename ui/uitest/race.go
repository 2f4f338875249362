//go:build race

package uitest

// Race says that the race detector watches. A test that measures memory over
// thousands of polls takes minutes then, and measures the detector's.
const Race = true
