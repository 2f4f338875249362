package audit

import (
	"context"
	"errors"
	"sync/atomic"
	"testing"
	"testing/synctest"
)

func TestCertificatesAreReadTwoAtATime(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		var begun atomic.Int64
		ctx, end := context.WithCancel(t.Context())
		goOn, done := make(chan struct{}), make(chan error)
		go func() {
			done <- NewRecords(nil).check(ctx, make([]Request, 9), &Auditor{Progress: func(string, ...any) {
				begun.Add(1)
				<-goOn
			}})
		}()
		for _, want := range []int64{2, 3, 4} {
			if synctest.Wait(); begun.Load() != want {
				t.Errorf("%d reads started, want %d", begun.Load(), want)
			}
			goOn <- struct{}{}
		}
		end()
		close(goOn)
		if err := <-done; !errors.Is(err, context.Canceled) || begun.Load() > 5 {
			t.Errorf("%d reads started: %v", begun.Load(), err)
		}
	})
}
