package sshd

import (
	"context"
	"errors"
	"testing"
	"testing/synctest"
	"time"
)

func TestIdleWarningTime(t *testing.T) {
	t.Parallel()
	for idle, warned := range map[time.Duration]time.Duration{
		30 * time.Minute: 29 * time.Minute, 2 * time.Minute: time.Minute, 70 * time.Second: 35 * time.Second, 2 * time.Second: time.Second,
	} {
		synctest.Test(t, func(t *testing.T) {
			limits := DefaultLimits()
			limits.Idle = idle
			began := time.Now()
			s := newSession(&conn{server: &Server{o: Options{Limits: limits}}}, nil, nil)
			s.started.Store(true)
			pass := func(until func() bool) (after time.Duration) {
				for !until() {
					time.Sleep(limits.Reload)
					s.check()
				}
				return time.Since(began)
			}
			if after := pass(func() bool { return len(s.warnings) > 0 }); after != warned {
				t.Errorf("idle time %v: warning after %v", idle, after)
			}
			if w := <-s.Warnings; w.Until != began.Add(idle) {
				t.Errorf("idle time %v: warning is for %v", idle, w.Until.Sub(began))
			}
			after := pass(func() bool { return s.ctx.Err() != nil })
			if after != idle || !errors.Is(context.Cause(s.ctx), ErrIdle) || len(s.warnings) > 0 {
				t.Errorf("idle time %v: session ends after %v with %v and %d more warnings", idle, after, context.Cause(s.ctx), len(s.warnings))
			}
		})
	}
}
