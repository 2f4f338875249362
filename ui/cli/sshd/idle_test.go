package sshd

import (
	"context"
	"errors"
	"testing"
	"testing/synctest"
	"time"
)

func TestTheIdleAreWarnedAMinuteBeforeOrHalfOfAShorterTime(t *testing.T) {
	t.Parallel()
	for idle, warned := range map[time.Duration]time.Duration{
		30 * time.Minute: 29 * time.Minute, 2 * time.Minute: time.Minute, 70 * time.Second: 35 * time.Second, time.Second: time.Second / 2,
	} {
		synctest.Test(t, func(t *testing.T) {
			limits := DefaultLimits()
			limits.Idle = idle
			began := time.Now()
			s := newSession(&conn{server: &Server{o: Options{Limits: limits}}}, nil)
			go s.watchIdle()
			w := <-s.Warnings
			if after := time.Since(began); after != warned || w.Until != began.Add(idle) {
				t.Errorf("of %v a warning comes after %v, for %v", idle, after, w.Until.Sub(began))
			}
			<-s.ctx.Done()
			if after := time.Since(began); after != idle || !errors.Is(context.Cause(s.ctx), ErrIdle) {
				t.Errorf("of %v the session ends after %v because of %v", idle, after, context.Cause(s.ctx))
			}
		})
	}
}
