package retirement

import (
	"strings"
	"testing"

	tea "charm.land/bubbletea/v2"
	"github.com/charmbracelet/x/ansi"

	"tonne/api/feed"
	"tonne/model"
	"tonne/model/store"
	"tonne/ui/style"
	"tonne/ui/uitest"
)

// robot is somebody at the keyboard of the tab.
type robot struct {
	*uitest.Robot
	tab  *Tab
	feed *uitest.Feed
}

// newRobot shows the tab with its options to somebody.
func newRobot(t *testing.T, o Options) *robot {
	t.Helper()
	r := &robot{Robot: uitest.NewRobot(t, 140, 32), feed: &uitest.Feed{}}
	r.View.Theme, r.View.Projects = style.NewTheme(style.Dark), uitest.Projects()
	// A size that shows all.
	r.Text = func() string { return ansi.Strip(r.FrameAt(160, 60)) }
	if o.Origin == "" {
		o.Origin = "https://market.example"
	}
	r.tab = New(r.View, r.feed, o)
	r.Show(r.tab)
	r.Frame()
	return r
}

// memory is a store that ends with the test.
func memory(t *testing.T, path string) *store.Store {
	t.Helper()
	s := store.Open(path)
	t.Cleanup(func() {
		if err := s.Close(); err != nil {
			t.Error(err)
		}
	})
	return s
}

// typed types each character of a text.
func (r *robot) typed(text string) {
	r.T.Helper()
	r.Press(strings.Split(text, "")...)
}

// paste pastes text into whatever takes it.
func (r *robot) paste(text string) {
	if r.tab.Typing() {
		r.Run(r.tab.Type(tea.PasteMsg{Content: text}))
		return
	}
	r.Run(r.tab.Paste(text))
}

// found tells that a request was found.
func (r *robot) found(answers ...*model.Retirement) {
	for _, a := range answers {
		r.Hear(feed.RetirementEvent{ID: a.ID, Retirement: a, At: r.Now})
	}
}

// box is what lies over the tab.
func (r *robot) box(width, height int) string {
	r.T.Helper()
	if r.Panel == nil {
		r.T.Fatalf("nothing lies over the tab; it said %q", r.Said)
	}
	w, h := r.Panel.Size(width, height)
	block := style.NewBlock(r.View.Theme, w, h)
	r.Panel.Draw(block)
	frame := block.String()
	uitest.Exact(r.T, frame, w, h)
	return ansi.Strip(frame)
}

// hears fails unless the last message contains a text.
func (r *robot) hears(text string) {
	r.T.Helper()
	if !strings.Contains(uitest.LastOf(r.Said), text) {
		r.T.Errorf("the messages were %q, none of them with %q at the end", r.Said, text)
	}
}

// asked counts how often the feed was asked for something.
func (r *robot) asked(what string) (n int) {
	for _, a := range r.feed.Asked {
		if a == what {
			n++
		}
	}
	return n
}
