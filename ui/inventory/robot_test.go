package inventory

import (
	"strings"
	"testing"
	"time"

	tea "charm.land/bubbletea/v2"
	"github.com/charmbracelet/x/ansi"

	"tonne/api/feed"
	"tonne/model"
	"tonne/ui/keys"
	"tonne/ui/paint"
	"tonne/ui/uitest"
	"tonne/ui/view"
)

// robot is somebody at the keyboard of the tab, with a clock that stands.
type robot struct {
	t       testing.TB
	tab     *Tab
	view    *view.View
	feed    *uitest.Feed
	now     time.Time
	matcher keys.Matcher
	// said and copied are the wishes that the tab sent.
	said, copied []string
	ask          *view.Ask
}

func newRobot(t testing.TB) *robot {
	r := &robot{t: t, now: uitest.Now, feed: &uitest.Feed{}}
	r.view = &view.View{
		Theme: paint.NewTheme(paint.Mono), Location: time.UTC, Now: func() time.Time { return r.now }, Context: t.Context(),
	}
	r.tab = New(r.view, r.feed)
	r.run(r.tab.Enter())
	return r
}

// settled is a robot in front of the first page.
func settled(t testing.TB) *robot {
	r := newRobot(t)
	r.know()
	r.answer(uitest.Inventory())
	return r
}

// know sends names, prices and what was last paid.
func (r *robot) know() {
	r.hear(feed.ProjectsEvent{Projects: uitest.Projects()})
	r.hear(feed.MarketEvent{Status: uitest.Live(), Generation: 1, Market: uitest.Market(0)})
	r.hear(feed.LastPaidEvent{Status: uitest.Live(), Prices: uitest.Inventory().LastPaid()})
}

// answer is the page that the tab asked for last.
func (r *robot) answer(inv *model.Inventory) { r.answerWith(inv, nil) }

func (r *robot) answerWith(inv, purchases *model.Inventory) {
	r.hear(feed.InventoryEvent{
		Status: uitest.Live(), Query: r.feed.Query, Inventory: inv, Purchases: purchases,
		Page: model.Page{PerPage: 20, TotalPages: 7, TotalItems: 134, Current: r.feed.Query.Page},
	})
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
	case tea.BatchMsg:
		for _, c := range msg {
			r.run(c)
		}
	case view.Done:
		r.run(msg())
	case view.Toast:
		r.said = append(r.said, msg.Text)
	case view.Copy:
		r.copied = append(r.copied, msg.Text)
	}
}

// press types keys: single characters, or names such as "enter".
func (r *robot) press(names ...string) {
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

var codes = map[string]rune{"enter": tea.KeyEnter, "esc": tea.KeyEscape, "up": tea.KeyUp, "down": tea.KeyDown}

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

// text is the frame with what the footer says, without styles.
func (r *robot) text() string { return ansi.Strip(r.frame()) + "\n" + r.tab.Status() }

func (r *robot) sees(texts ...string) {
	r.t.Helper()
	frame := r.text()
	for _, text := range texts {
		if !strings.Contains(frame, text) {
			r.t.Errorf("%q is not on the screen:\n%s", text, frame)
		}
	}
}

// line returns the line of the screen that contains a text.
func (r *robot) line(text string) string {
	r.t.Helper()
	for line := range strings.SplitSeq(r.text(), "\n") {
		if strings.Contains(line, text) {
			return line
		}
	}
	r.t.Fatalf("no line contains %q:\n%s", text, r.text())
	return ""
}

func lastOf(texts []string) string {
	if len(texts) == 0 {
		return ""
	}
	return texts[len(texts)-1]
}
