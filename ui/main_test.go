package ui

import (
	"os"
	"runtime/debug"
	"testing"
)

// TestMain runs the garbage collector less often, because the tests discard thousands of frames.
func TestMain(m *testing.M) {
	debug.SetGCPercent(400)
	os.Exit(m.Run())
}
