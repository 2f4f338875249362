package retirement

import (
	"strings"
	"testing"

	tea "charm.land/bubbletea/v2"
	"github.com/charmbracelet/x/ansi"

	"tonne/model/retirement"
	"tonne/ui/retirement/ledger"
	"tonne/ui/style"
	"tonne/ui/tab"
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
	r.tab = New(r.View, r.feed, o)
	r.Show(r.tab)
	r.listen()
	r.Frame()
	return r
}

// listen hands over what the session tells.
func (r *robot) listen() {
	for news := r.feed.News(); len(news) > 0; news = r.feed.News() {
		r.Hear(news...)
	}
}

// Press types keys, and hears what they lead to.
func (r *robot) Press(names ...string) {
	r.T.Helper()
	for _, name := range names {
		r.Robot.Press(name)
		r.listen()
	}
}

// Reply types a line where the tab asked for one, and hears what it leads to.
func (r *robot) Reply(line string) (problem string) {
	r.T.Helper()
	defer r.listen()
	return r.Robot.Reply(line)
}

// enters shows the tab again.
func (r *robot) enters() {
	r.Run(r.tab.Handle(tab.Shown{}))
	r.listen()
}

// typed types each character of a text.
func (r *robot) typed(text string) {
	r.T.Helper()
	r.Press(strings.Split(text, "")...)
}

// paste pastes text into whatever takes it.
func (r *robot) paste(text string) {
	defer r.listen()
	if r.tab.Info().Typing {
		r.Run(r.tab.Input(tea.PasteMsg{Content: text}))
		return
	}
	r.Run(r.tab.Input(tea.PasteMsg{Content: text}))
}

// found tells that a request was found.
func (r *robot) found(answers ...*retirement.Request) {
	for _, a := range answers {
		r.feed.Answer(uitest.Answer{ID: a.ID, Retirement: a, At: r.Now})
	}
	r.listen()
}

// answered tells what look-ups led to.
func (r *robot) answered(news ...uitest.Answer) {
	for _, e := range news {
		r.feed.Answer(e)
	}
	r.listen()
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

// binding does what a binding without a key does, by its name.
func (r *robot) binding(name string) {
	r.T.Helper()
	for _, g := range r.tab.Groups() {
		for _, b := range g.Bindings {
			if b.Name == name {
				r.Run(b.Do())
				return
			}
		}
	}
	r.T.Fatalf("there is no binding %s", name)
}

func selected(t *Tab) ledger.Row { return t.subject().Row }
