package table

import (
	"runtime"
	"sync"
)

// inParts calls do for each of some parts of n rows, all at once, and returns
// when all are done. A panic reaches the caller, who knows how to
// leave the terminal.
func inParts(n, parts int, do func(part, from, to int)) {
	var wait sync.WaitGroup
	panics := make(chan any, parts)
	for part := range parts {
		wait.Go(func() {
			defer func() {
				if p := recover(); p != nil {
					panics <- p
				}
			}()
			do(part, n*part/parts, n*(part+1)/parts)
		})
	}
	wait.Wait()
	close(panics)
	if p, panicked := <-panics; panicked {
		panic(p)
	}
}

func parts() int { return min(runtime.GOMAXPROCS(0), 8) }
