package suspend

import (
	"bytes"
	"runtime/pprof"
	"time"
)

const renderer = "charm.land/bubbletea/v2.(*Program).startRenderer.func"

// awaitRenderer waits until Bubble Tea's renderer goroutine has ended. Bubble Tea does not
// wait for it, and a late goroutine stops the clock of the next renderer, which then never
// draws (docs/library-defects.md). A goroutine that has not ended after a second belongs to another
// program.
func awaitRenderer() {
	for range 1000 {
		var stacks bytes.Buffer
		_ = pprof.Lookup("goroutine").WriteTo(&stacks, 1)
		if !bytes.Contains(stacks.Bytes(), []byte(renderer)) {
			return
		}
		time.Sleep(time.Millisecond)
	}
}
