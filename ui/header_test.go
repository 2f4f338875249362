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
	r.Press("3")
	answer.ID = "00mcomplete"
	r.answered(answer)
	return strings.TrimSpace(r.header())
}

func TestHeaderShowsConnectionAndAgeOfRequest(t *testing.T) {
	t.Parallel()
	complete := uitest.Answer{Retirement: uitest.Retirement("00mcomplete", retirement.Complete), At: uitest.Now.Add(-3 * time.Minute)}
	stale := session.Status{State: session.Stale, At: uitest.Now.Add(-45 * time.Second), Err: errors.New("connection refused")}
	failed := func(kind api.Kind) uitest.Answer { return uitest.Answer{Err: &api.Error{Kind: kind}} }
	for _, c := range []struct {
		market session.Status
		answer uitest.Answer
		want   string
	}{
		{uitest.Live(), complete, " ● live · request 3m old"},
		{stale, complete, "⚠ stale 45s"},
		// An unknown id is not an error of the connection.
		{uitest.Live(), failed(api.NotFound), " ● live · 2s ago"},
		{uitest.Live(), failed(api.Invalid), " ● live · 2s ago"},
		{uitest.Live(), failed(api.Unreachable), "⚠"},
	} {
		header := lookedUp(t, c.market, c.answer)
		if !strings.Contains(header, c.want) || strings.Contains(c.want, "⚠") && strings.Contains(header, "live") {
			t.Errorf("%+v: the header is %q, want %q", c.answer, header, c.want)
		}
	}
}
