package suspend

import (
	"bytes"
	"runtime/pprof"
	"time"
)

const renderer = "charm.land/bubbletea/v2.(*Program).startRenderer.func"

// The renderer needs a moment to end. One that does not is of another program.
const (
	rendererStep  = time.Millisecond
	rendererSteps = 1000
)

// awaitRenderer returns when the goroutine that drew has ended. Bubble Tea does
// not wait for it: a late one stops the clock of the next, which then never
// draws (docs/upstream/bubbletea-renderer-stays-stopped.md).
func awaitRenderer() {
	for range rendererSteps {
		if !drawing() {
			return
		}
		time.Sleep(rendererStep)
	}
}

func drawing() bool {
	var stacks bytes.Buffer
	_ = pprof.Lookup("goroutine").WriteTo(&stacks, 1)
	return bytes.Contains(stacks.Bytes(), []byte(renderer))
}
