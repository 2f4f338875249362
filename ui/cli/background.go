package cli

import (
	"context"
	"sync/atomic"
)

// alongside starts work and returns a function that waits for its end. A panic in
// it belongs to whoever waits.
func alongside(work func() error) (wait func() error) {
	var err error
	var panicked any
	done := make(chan struct{})
	go func() {
		defer close(done)
		defer func() { panicked = recover() }()
		err = work()
	}()
	return func() error {
		<-done
		if panicked != nil {
			panic(panicked)
		}
		return err
	}
}

// atOnce calls do with each number below n, a few at once, and waits for all. Once
// ctx has ended it calls it for no more.
func atOnce(ctx context.Context, few, n int, do func(i int)) {
	var begun atomic.Int64
	worker := func() error {
		for i := int(begun.Add(1)); i <= n && ctx.Err() == nil; i = int(begun.Add(1)) {
			do(i - 1)
		}
		return nil
	}
	var workers []func() error
	for range min(few, n) {
		workers = append(workers, alongside(worker))
	}
	for _, wait := range workers {
		_ = wait()
	}
}
