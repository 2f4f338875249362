// Package worker runs functions on goroutines. A panic in one is raised again in the
// goroutine that waits for it, as a string with its stack.
package worker

import (
	"context"
	"fmt"
	"runtime/debug"
	"sync/atomic"
)

// Start starts work and returns a function that waits for its end.
func Start(work func() error) (wait func() error) {
	var err error
	var panicked string
	done := make(chan struct{})
	go func() {
		defer close(done)
		defer func() {
			if p := recover(); p != nil {
				panicked = fmt.Sprintf("%v\n%s", p, debug.Stack())
			}
		}()
		err = work()
	}()
	return func() error {
		<-done
		if panicked != "" {
			panic(panicked)
		}
		return err
	}
}

// Each calls do with each number below n, at most few at once, and waits for all
// calls. Once ctx has ended it starts no more.
func Each(ctx context.Context, few, n int, do func(i int)) {
	var begun atomic.Int64
	next := func() error {
		for i := int(begun.Add(1)); i <= n && ctx.Err() == nil; i = int(begun.Add(1)) {
			do(i - 1)
		}
		return nil
	}
	var workers []func() error
	for range min(few, n) {
		workers = append(workers, Start(next))
	}
	for _, wait := range workers {
		_ = wait()
	}
}
