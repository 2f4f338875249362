package ui

import (
	"os"
	"runtime/debug"
	"testing"
)

// TestMain lets the collector run less often: thousands of frames are thrown
// away.
func TestMain(m *testing.M) {
	debug.SetGCPercent(400)
	os.Exit(m.Run())
}
