package ui

import (
	"errors"
	"strings"
	"testing"
	"time"

	"tonne/api"
	"tonne/api/session"
	"tonne/model/retirement"
	"tonne/ui/uitest"
)

// lookedUp returns the header for a request and a state of the market.
func lookedUp(t *testing.T, market session.Status, answer uitest.Answer) string {
	r := ready(t)
	r.hear(session.MarketEvent{Status: market, Generation: 1, Market: uitest.Market(0)})
	r.press("3")
	answer.ID = "00mcomplete"
	r.answered(answer)
	return strings.TrimSpace(r.header())
}

func TestHeaderShowsConnectionAndAgeOfRequest(t *testing.T) {
	t.Parallel()
	complete := uitest.Answer{Retirement: uitest.Retirement("00mcomplete", retirement.Complete), At: uitest.Now.Add(-3 * time.Minute)}
	if header := lookedUp(t, uitest.Live(), complete); !strings.HasSuffix(header, " ● live · request 3m old") {
		t.Errorf("the header is %q", header)
	}
	stale := session.Status{State: session.Stale, At: uitest.Now.Add(-45 * time.Second), Err: errors.New("connection refused")}
	if header := lookedUp(t, stale, complete); strings.Contains(header, "live") || !strings.Contains(header, "⚠ stale 45s") {
		t.Errorf("without a connection: %q", header)
	}
}

func TestUnknownIDIsNotAConnectionError(t *testing.T) {
	t.Parallel()
	for _, kind := range []api.Kind{api.NotFound, api.Invalid} {
		if header := lookedUp(t, uitest.Live(), uitest.Answer{Err: &api.Error{Kind: kind}}); !strings.HasSuffix(header, " ● live · 2s ago") {
			t.Errorf("kind %v: the header is %q", kind, header)
		}
	}
	if header := lookedUp(t, uitest.Live(), uitest.Answer{Err: &api.Error{Kind: api.Unreachable}}); !strings.Contains(header, "⚠") {
		t.Errorf("not reached: %q", header)
	}
}
