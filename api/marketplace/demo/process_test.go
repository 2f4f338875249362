package demo

import (
	"context"
	"log/slog"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"tonne/api/marketplace"
	"tonne/model/must"
	"tonne/model/retirement"
)

func TestFollowedRequestsPassTheirStates(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		m := open(t, marketplace.Options{Now: standing, RatePerSecond: -1})
		made := must.Get(Load(t.Context(), m, Options{Seed: 1}))
		d := client(t, m, made)
		labelled := func(label string) string {
			n := slices.IndexFunc(made.Retirements, func(r Retirement) bool { return r.Label == label })
			return made.Retirements[n].ID
		}
		waits, processed := labelled("followed from its invoice on"), labelled("followed on the registry")
		ctx, cancel := context.WithCancel(t.Context())
		ended := make(chan bool)
		go func() {
			Process(ctx, m, 45*time.Second, slog.New(slog.DiscardHandler))
			close(ended)
		}()
		var states []retirement.Status
		for range 4 {
			states = append(states, d.Retirement(waits).Status)
			time.Sleep(45*time.Second + time.Millisecond)
			synctest.Wait()
		}
		cancel()
		<-ended
		if want := []retirement.Status{retirement.Closed, retirement.Closed, retirement.InProgress, retirement.Complete}; !slices.Equal(states, want) {
			t.Errorf("what waits for its invoice went through %v, want %v", states, want)
		}
		if r := d.Retirement(processed); r.Status != retirement.Complete || len(r.SerialNumbers) == 0 {
			t.Errorf("what the registry processed is %+v", r)
		}
		for _, r := range made.Retirements {
			for _, state := range []string{"open", "closed", "progress", "complete", "nothing"} {
				if strings.Contains(r.Label, state) {
					t.Errorf("%q is the wrong label for a pending request", r.Label)
				}
			}
		}
		d.CheckBooks()
	})
}
