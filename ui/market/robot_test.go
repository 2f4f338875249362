package market

import (
	"strings"
	"testing"
	"time"

	tea "charm.land/bubbletea/v2"
	"github.com/charmbracelet/x/ansi"

	"tonne/api/feed"
	"tonne/model"
	"tonne/model/store"
	"tonne/ui/keys"
	"tonne/ui/paint"
	"tonne/ui/uitest"
	"tonne/ui/view"
)

// robot is somebody at the keyboard of the tab, with a clock that stands.
type robot struct {
	t          testing.TB
	tab        *Tab
	view       *view.View
	now        time.Time
	generation uint64
	market     *model.Market
	matcher    keys.Matcher
	// said, notified and copied are the wishes that the tab sent.
	said, notified, copied []string
	ask                    *view.Ask
}

func newRobot(t testing.TB, s *store.Store) *robot {
	r := &robot{t: t, now: uitest.Now}
	r.view = &view.View{
		Theme: paint.NewTheme(paint.Mono), Location: time.UTC, Now: func() time.Time { return r.now }, Context: t.Context(),
	}
	r.tab = New(r.view, Options{Origin: "https://market.example", Store: s})
	r.run(r.tab.Enter())
	return r
}

// settled is a robot in front of a market with names and last paid prices.
func settled(t testing.TB) *robot {
	r := newRobot(t, store.Open(""))
	r.know()
	r.poll(uitest.Market(0))
	return r
}

// know sends the names and what is owned.
func (r *robot) know() {
	inv := uitest.Inventory()
	r.hear(feed.ProjectsEvent{Projects: uitest.Projects()})
	r.hear(feed.LastPaidEvent{Status: uitest.Live(), Prices: inv.LastPaid(), Balances: inv.Balances()})
}

// hear hands over news as the desk does.
func (r *robot) hear(e feed.Event) {
	switch e := e.(type) {
	case feed.MarketEvent:
		r.view.Market = e
	case feed.LastPaidEvent:
		r.view.LastPaid = e
	case feed.ProjectsEvent:
		r.view.Learn(e.Projects)
	}
	r.run(r.tab.Receive(e))
}

// poll is the next complete market.
func (r *robot) poll(m *model.Market) {
	r.generation++
	e := feed.MarketEvent{Status: feed.Status{State: feed.Live, At: r.now}, Generation: r.generation, Market: m}
	if r.market != nil {
		e.Changes = m.Since(r.market)
	}
	r.market = m
	r.hear(e)
}

// later moves the clock.
func (r *robot) later(d time.Duration) {
	r.now = r.now.Add(d)
	r.tab.Expire(r.now)
}

func (r *robot) run(cmd tea.Cmd) {
	for _, wish := range r.view.Wishes() {
		if ask, ok := wish.(view.Ask); ok {
			r.ask = &ask
		}
	}
	if cmd == nil {
		return
	}
	switch msg := cmd().(type) {
	case nil:
	case tea.BatchMsg:
		for _, c := range msg {
			r.run(c)
		}
	case view.Done:
		r.run(msg())
	case view.Toast:
		r.said = append(r.said, msg.Text)
	case view.Notify:
		r.notified = append(r.notified, msg.Text)
	case view.Copy:
		r.copied = append(r.copied, msg.Text)
	}
}

// press types keys: single characters, or names such as "enter".
func (r *robot) press(names ...string) {
	r.t.Helper()
	for _, name := range names {
		// Columns and pages are those of the last frame.
		_, _ = r.tab.Render(width, height)
		msg := key(name)
		if r.tab.Typing() {
			r.run(r.tab.Type(msg))
			continue
		}
		binding, result := r.matcher.Press(msg, r.tab.Groups())
		switch {
		case result != keys.Matched:
		case binding.Disabled() != "":
			r.said = append(r.said, binding.Disabled())
		default:
			r.run(binding.Do())
		}
	}
}

// answer types a line where the tab asked for one, and returns the problem.
func (r *robot) answer(line string) string {
	r.t.Helper()
	if r.ask == nil {
		r.t.Fatalf("nothing was asked for %q", line)
	}
	cmd, problem := r.ask.Done(line)
	r.run(cmd)
	return problem
}

var codes = map[string]rune{
	"enter": tea.KeyEnter, "esc": tea.KeyEscape, "up": tea.KeyUp, "down": tea.KeyDown,
	"left": tea.KeyLeft, "right": tea.KeyRight, "pgup": tea.KeyPgUp, "pgdown": tea.KeyPgDown,
}

func key(name string) tea.KeyPressMsg {
	if code, ok := codes[name]; ok {
		return tea.KeyPressMsg{Code: code}
	}
	return tea.KeyPressMsg{Code: []rune(name)[0], Text: name}
}

const width, height = 120, 32

func (r *robot) frame() string {
	r.t.Helper()
	frame, _ := r.tab.Render(width, height)
	uitest.Exact(r.t, frame, width, height)
	return frame
}

func (r *robot) text() string { return ansi.Strip(r.frame()) }

func (r *robot) sees(texts ...string) {
	r.t.Helper()
	frame := r.text()
	for _, text := range texts {
		if !strings.Contains(frame, text) {
			r.t.Errorf("%q is not on the screen:\n%s", text, frame)
		}
	}
}

func (r *robot) seesNot(texts ...string) {
	r.t.Helper()
	frame := r.text()
	for _, text := range texts {
		if strings.Contains(frame, text) {
			r.t.Errorf("%q is on the screen:\n%s", text, frame)
		}
	}
}

// lastOf returns the newest of what was said, or "".
func lastOf(texts []string) string {
	if len(texts) == 0 {
		return ""
	}
	return texts[len(texts)-1]
}
