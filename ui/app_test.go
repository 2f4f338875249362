package ui

import (
	"errors"
	"fmt"
	"os"
	"runtime/debug"
	"slices"
	"strings"
	"testing"
	"time"

	tea "charm.land/bubbletea/v2"
	"github.com/charmbracelet/x/ansi"

	"tonne/api/session"
	"tonne/model"
	"tonne/model/file/store"
	"tonne/model/market"
	"tonne/model/retirement"
	"tonne/ui/uitest"
)

// robot types keys into a dashboard with a fake clock and reads its screen.
type robot struct {
	uitest.Screen
	app  *App
	feed *uitest.Feed
	now  time.Time
	quit bool
	raw  []string
	// flow is the workflow of a dashboard that may retire.
	flow *carriesOut
}

func newRobot(t testing.TB, width, height int) *robot {
	return newRobotWith(t, width, height, func(*Options) {})
}

// settled returns a robot for a dashboard with data.
func settled(t testing.TB, width, height int) *robot {
	r := newRobot(t, width, height)
	r.settle()
	return r
}

// newRobotWith returns a robot for a dashboard with other options.
func newRobotWith(t testing.TB, width, height int, choose func(*Options)) *robot {
	r := &robot{feed: &uitest.Feed{}, now: uitest.Now}
	r.Screen = uitest.Screen{T: t, Text: func() string { return ansi.Strip(r.frame()) }}
	o := Options{
		Feed: r.feed, Host: "market.example", Label: "acme",
		Theme: "dark", Now: func() time.Time { return r.now }, Location: time.UTC,
		Getenv: func(string) string { return "" },
	}
	o.Hints = func() []session.Entry {
		return []session.Entry{{ID: "00mcomplete", Label: "Q3 flights"}, {ID: "00mclosed", Label: "checkout offsets"}}
	}
	choose(&o)
	r.app = New(t.Context(), o)
	// Tests move the clock themselves.
	r.app.wait = func(time.Duration, tick) tea.Cmd { return nil }
	r.send(tea.WindowSizeMsg{Width: width, Height: height})
	return r
}

// send sends a message and runs the resulting commands.
func (r *robot) send(msg tea.Msg) {
	_, cmd := r.app.Update(msg)
	r.run(cmd)
	r.listen()
}

func (r *robot) listen() {
	for due := r.feed.News(); len(due) > 0; due = r.feed.News() {
		r.send(feedEvents{events: due})
	}
}

func (r *robot) run(cmd tea.Cmd) {
	if cmd == nil {
		return
	}
	r.take(cmd())
}

// idle reports whether a message only reports that the feed has no events.
func idle(msg tea.Msg) bool {
	n, ok := msg.(feedEvents)
	return ok && errors.Is(n.err, uitest.ErrNoNews)
}

func (r *robot) take(msg tea.Msg) {
	switch msg := msg.(type) {
	case nil:
	case tea.BatchMsg:
		for _, cmd := range msg {
			r.run(cmd)
		}
	case tea.QuitMsg:
		r.quit = true
	case tea.RawMsg:
		r.raw = append(r.raw, fmt.Sprint(msg.Msg))
	default:
		if !idle(msg) {
			r.send(msg)
		}
	}
}

// Press types keys: single characters or names such as "enter".
func (r *robot) Press(names ...string) {
	for _, name := range names {
		r.send(uitest.Stroke(name))
	}
}

// Reply types a line into a prompt.
func (r *robot) Reply(line string) (problem string) {
	r.send(tea.PasteMsg{Content: line})
	r.Press("enter")
	return ""
}

// FrameAt changes the size of the terminal and returns the frame.
func (r *robot) FrameAt(width, height int) string {
	r.T.Helper()
	r.send(tea.WindowSizeMsg{Width: width, Height: height})
	uitest.Exact(r.T, r.frame(), width, height)
	return r.frame()
}

// Last returns the message in the footer and the last copied text.
func (r *robot) Last() (said, text string) {
	if len(r.raw) > 0 && strings.HasPrefix(uitest.LastOf(r.raw), "\x1b]52") {
		text = copied(r.T, r)
	}
	return r.app.toast.text, text
}

func (r *robot) hear(events ...session.Event) { r.send(feedEvents{events: events}) }

// settle delivers all data that a running dashboard has.
func (r *robot) settle() {
	inventory := uitest.Inventory()
	r.hear(
		session.ProjectsEvent{Projects: uitest.Projects()},
		session.MarketEvent{Status: uitest.Live(), Generation: 1, Market: uitest.Market(0)},
		session.PortfolioEvent{Status: uitest.Live(), LastPaid: inventory.LastPaid()},
	)
	r.hear(recorded(uitest.Market(0))...)
}

// recorded returns the events of a session that has just recorded its first market.
func recorded(m *market.Market) []session.Event {
	trends, opened := make(map[model.VintageKey][]model.PriceCents), make(map[model.VintageKey]model.PriceCents)
	for i := range m.Vintages() {
		trends[m.Key(i)] = slices.Repeat([]model.PriceCents{m.Vintage(i).BestAsk}, session.TrendPoints)
		opened[m.Key(i)] = m.Vintage(i).BestAsk
	}
	first := m.Key(0)
	at := uitest.Live().At
	return []session.Event{
		session.TrendsEvent{At: at, Prices: trends, Opened: opened, Since: at.Truncate(24 * time.Hour)},
		session.PricesEvent{Observations: map[model.VintageKey][]store.Observation{first: {{Vintage: first, At: at,
			BestAsk: m.Vintage(0).BestAsk}}}},
	}
}

func (r *robot) ShowInventory() {
	r.Press("2")
	r.hear(uitest.Opened(), uitest.Book(), uitest.BookValue())
}

func (r *robot) ShowRetirements() {
	r.Press("3")
	r.answered(
		uitest.Answer{ID: "00mcomplete", Retirement: uitest.Retirement("00mcomplete", retirement.Complete), At: uitest.Now},
		uitest.Answer{ID: "00mclosed", Retirement: uitest.Retirement("00mclosed", retirement.Closed), At: uitest.Now},
	)
}

// answered delivers results of look-ups.
func (r *robot) answered(all ...uitest.Answer) {
	for _, e := range all {
		r.feed.Answer(e)
	}
	r.listen()
}

func (r *robot) frame() string { return r.app.View().Content }

// TestMain runs the garbage collector less often, because the tests discard thousands of frames.
func TestMain(m *testing.M) {
	debug.SetGCPercent(400)
	os.Exit(m.Run())
}
