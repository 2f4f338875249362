//go:build race

package longtest

// Race reports whether the race detector is on. With it, a test that measures memory
// over thousands of polls takes minutes and measures the detector's memory.
const Race = true
