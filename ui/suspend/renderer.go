package suspend

import (
	"bytes"
	"runtime/pprof"
	"time"
)

const renderer = "charm.land/bubbletea/v2.(*Program).startRenderer.func"

// awaitRenderer returns when the goroutine that drew has ended. Bubble Tea does
// not wait for it: a late one stops the clock of the next, which then never
// draws (docs/upstream.md). One that has not ended
// after a second belongs to another program.
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
