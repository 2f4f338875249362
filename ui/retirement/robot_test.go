package retirement

import (
	"strings"
	"testing"

	"github.com/charmbracelet/x/ansi"
	"go.uber.org/goleak"

	"tonne/api/session"
	must "tonne/model/musttest"
	"tonne/model/retirement"
	"tonne/ui/retirement/ledger"
	"tonne/ui/style"
	"tonne/ui/uitest"
)

// robot types keys into a tab and reads its screen.
type robot struct {
	*uitest.Robot
	tab  *Tab
	feed *uitest.Feed
	// evidence takes the files of evidence.
	evidence evidenceWriter
}

func newRobot(t testing.TB, o Options) *robot {
	t.Helper()
	r := &robot{Robot: uitest.NewRobot(t, 140, 32), feed: &uitest.Feed{}}
	r.View.Theme, r.View.Projects = style.NewTheme(style.Dark), uitest.Projects()
	r.Text = func() string {
		// This size shows everything.
		text := ansi.Strip(r.FrameAt(160, 60))
		if r.Panel != nil {
			text += "\n" + r.box(110, 40)
		}
		return text
	}
	r.has(o)
	return r
}

// has starts the tab again with other options.
func (r *robot) has(o Options) {
	r.tab = New(r.View, r.feed, o)
	r.Show(r.tab)
	r.tab.Handle(session.LedgerEvent{Requests: r.feed.Requests()})
	r.Listen()
	r.Frame()
}

func (r *robot) Listen() {
	for news := r.feed.News(); len(news) > 0; news = r.feed.News() {
		r.Hear(news...)
	}
}

// Press types keys and delivers the events of the session.
func (r *robot) Press(names ...string) {
	r.T.Helper()
	for _, name := range names {
		r.Robot.Press(name)
		r.Listen()
	}
}

// Reply answers a prompt and delivers the events of the session.
func (r *robot) Reply(line string) (problem string) {
	r.T.Helper()
	defer r.Listen()
	return r.Robot.Reply(line)
}

// Shown returns to the tab, and delivers the events of the session.
func (r *robot) Shown() {
	r.Robot.Shown()
	r.Listen()
}

func (r *robot) typed(text string) {
	r.T.Helper()
	r.Press(strings.Split(text, "")...)
}

// Pastes pastes a text, and delivers the events of the session.
func (r *robot) Pastes(text string) {
	r.Robot.Pastes(text)
	r.Listen()
}

// with adds requests to the ledger and looks them up.
func (r *robot) with(answers ...*retirement.Request) *robot {
	for _, a := range answers {
		r.Pastes(a.ID)
	}
	r.found(answers...)
	return r
}

// found delivers successful look-ups.
func (r *robot) found(answers ...*retirement.Request) {
	for _, a := range answers {
		r.feed.Answer(uitest.Answer{ID: a.ID, Retirement: a, At: r.Now})
	}
	r.Listen()
}

// answered delivers results of look-ups.
func (r *robot) answered(news ...uitest.Answer) {
	for _, e := range news {
		r.feed.Answer(e)
	}
	r.Listen()
}

// box returns the open dialog as text.
func (r *robot) box(width, height int) string {
	r.T.Helper()
	must.Need(r.T, r.Panel != nil, "no dialog is open; messages", r.Said)
	w, h := r.Panel.Size(width, height)
	block := style.NewBlock(r.View.Theme, w, h)
	r.Panel.Draw(block)
	frame := block.String()
	uitest.Exact(r.T, frame, w, h)
	return ansi.Strip(frame)
}

// shows fails unless the open dialog contains all texts.
func (r *robot) shows(width, height int, texts ...string) {
	r.T.Helper()
	box := r.box(width, height)
	for _, text := range texts {
		must.Hold(r.T, strings.Contains(box, text), text, box)
	}
}

// asked counts calls of the session.
func (r *robot) asked(what string) (n int) {
	for _, a := range r.feed.Asked {
		if a == what {
			n++
		}
	}
	return n
}

func selected(t *Tab) ledger.Row { return t.subject().Row }

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }
