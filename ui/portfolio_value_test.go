package ui

import (
	"errors"
	"strings"
	"testing"

	"tonne/api"
	"tonne/api/session"
	"tonne/model"
	must "tonne/model/musttest"
	"tonne/ui/uitest"
)

// large returns the value of a large portfolio.
func large() session.PortfolioValueEvent {
	e := uitest.BookValue()
	e.Value.Value, e.Value.OverCost, e.Value.Today = 18_422_049, 311_400, 41_180
	return e
}

func (r *robot) header() string { return r.heading(1) }

func (r *robot) heading(lines int) string {
	return strings.Join(strings.SplitN(r.Text(), "\n", lines+1)[:lines], "\n")
}

func TestHeaderShowsPortfolioValueOnEveryTab(t *testing.T) {
	t.Parallel()
	r := settled(t, 160, 45)
	if header := r.header(); strings.Contains(header, "book") {
		t.Errorf("before the value is known: %q", header)
	}
	r.hear(uitest.Book(), large())
	for _, key := range []string{"1", "2", "3"} {
		r.Press(key)
		header := r.header()
		must.Hold(t, strings.Contains(header, "book $184,220  vs cost ▲ +$3,114  today ▲ +$412 "), "tab", key, header)
	}
}

func TestHeaderShowsOnlyKnownPortfolioValues(t *testing.T) {
	t.Parallel()
	bare := large()
	bare.Value.Moved, bare.Value.Compared = 0, 0
	below := large()
	below.Value.OverCost, below.Value.Today = -311_400, 0
	old := uitest.Book()
	old.Status = session.Status{State: session.Stale, At: uitest.Now, Err: errors.New("connection refused")}
	part := uitest.Book()
	part.Partial, part.Status = true, session.Status{Fetching: true, Done: 3, Total: 7}
	early := part
	early.Err = &api.Error{Kind: api.Incomplete, Read: 3, Total: 5}
	for name, c := range map[string]struct {
		width int
		news  []session.Event
		want  string
	}{
		"incomplete":      {160, []session.Event{early}, "⚠ book incomplete: 3 of 5 projects"},
		"unreadable":      {160, []session.Event{session.PortfolioValueEvent{Err: model.ErrUnknown}}, "⚠ book unknown"},
		"no cost, no day": {160, []session.Event{bare}, "book $184,220     "},
		"at 120 columns":  {120, []session.Event{large()}, "  book $184,220  vs cost ▲ +$3,114  today ▲ +$412 ─"},
		"at 80 columns":   {80, []session.Event{large()}, "  book $184,220  vs cost ▲ +$3,114  today ▲ +$412 ─"},
		"at 60 columns":   {60, []session.Event{large()}, "  book $184,220 ─"},
		"below its cost":  {160, []session.Event{below}, "book $184,220  vs cost ▼ −$3,114  today $0 "},
		"at 150 columns":  {150, []session.Event{large()}, "book $184,220  vs cost ▲ +$3,114  today ▲ +$412 "},
		"stale":           {160, []session.Event{large(), old}, "⚠ book $184,220"},
		"overflow":        {160, []session.Event{session.PortfolioValueEvent{Err: model.ErrOverflow}}, ""},
		"incomplete page": {160, []session.Event{part}, "book page 3 of 7 "},
	} {
		r := settled(t, c.width, 45)
		r.hear(c.news...)
		header := r.heading(headerLines)
		must.Hold(t, strings.Contains(header, c.want) && (c.want != "" || !strings.Contains(header, "book")),
			name, header, c.want)
	}
}

// The change of the day matters more than the comparison with cost.
func TestPortfolioValueDropsCostBeforeDayChange(t *testing.T) {
	t.Parallel()
	r := settled(t, 80, 24)
	r.hear(uitest.Book(), large())
	for room, want := range map[int]string{60: "book $184,220  vs cost ▲ +$3,114  today ▲ +$412", 46: "book $184,220  today ▲ +$412", 20: "book $184,220", 5: ""} {
		must.Equal(t, r.app.header().bookWorth(room).String(), want, room)
	}
	// The name of the service matters more.
	r.app.o.Label = strings.Repeat("a long label ", 6)
	r.FrameAt(160, 45)
	header := r.header()
	must.Hold(t, strings.Contains(header, "a long label") && strings.Contains(header, "live") &&
		!strings.Contains(header, "today"),
		"the header", header)
}
