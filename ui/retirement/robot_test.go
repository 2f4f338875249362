package retirement

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

// robot is somebody at the tab, and the desk below them.
type robot struct {
	t    *testing.T
	tab  *Tab
	feed *uitest.Feed
	view *view.View
	now  time.Time

	// What the tab wished for.
	said     []string
	copied   []string
	opened   []string
	notified []string
	ask      *view.Ask
	panel    view.Panel
	choices  []view.Choice
}

// newRobot shows the tab with its options to somebody.
func newRobot(t *testing.T, o Options) *robot {
	t.Helper()
	r := &robot{t: t, feed: &uitest.Feed{}, now: uitest.Now}
	r.view = &view.View{
		Theme: paint.NewTheme(paint.Dark), Location: time.UTC, Now: func() time.Time { return r.now },
		Projects: uitest.Projects(), Context: t.Context(),
	}
	if o.Origin == "" {
		o.Origin = "https://market.example"
	}
	r.tab = New(r.view, r.feed, o)
	r.run(r.tab.Start())
	r.run(r.tab.Enter())
	r.frame(140, 32)
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

// run performs a command and what it leads to.
func (r *robot) run(cmd tea.Cmd) {
	if cmd != nil {
		r.take(cmd())
	}
	for _, wish := range r.view.Wishes() {
		r.take(wish)
	}
}

func (r *robot) take(msg tea.Msg) {
	switch msg := msg.(type) {
	case tea.BatchMsg:
		for _, cmd := range msg {
			r.run(cmd)
		}
	case view.Done:
		r.run(msg())
	case view.Toast:
		r.said = append(r.said, msg.Text)
	case view.Copy:
		r.copied = append(r.copied, msg.Text)
	case view.Open:
		r.opened = append(r.opened, msg.URL)
	case view.Notify:
		r.notified = append(r.notified, msg.Text)
	case view.Ask:
		r.ask = &msg
	case view.Lay:
		r.panel = msg.Panel
	case view.Choose:
		r.choices = msg.Choices
	}
}

var codes = map[string]rune{
	"enter": tea.KeyEnter, "esc": tea.KeyEscape, "tab": tea.KeyTab, "up": tea.KeyUp, "down": tea.KeyDown,
	"left": tea.KeyLeft, "right": tea.KeyRight, "pgup": tea.KeyPgUp, "pgdown": tea.KeyPgDown,
}

func stroke(name string) tea.KeyPressMsg {
	if rest, ok := strings.CutPrefix(name, "ctrl+"); ok {
		return tea.KeyPressMsg{Code: rune(rest[0]), Mod: tea.ModCtrl}
	}
	if code, ok := codes[name]; ok {
		return tea.KeyPressMsg{Code: code}
	}
	return tea.KeyPressMsg{Code: []rune(name)[0], Text: name}
}

// press types keys, one by one.
func (r *robot) press(names ...string) {
	r.t.Helper()
	var matcher keys.Matcher
	for _, name := range names {
		msg := stroke(name)
		switch {
		case r.panel != nil:
			done, cmd := r.panel.Press(msg)
			if done {
				r.panel = nil
			}
			r.run(cmd)
		case r.tab.Typing():
			r.run(r.tab.Type(msg))
		default:
			r.perform(matcher.Press(msg, r.tab.Groups()))
		}
	}
}

func (r *robot) perform(b keys.Binding, result keys.Result) {
	if result != keys.Matched {
		return
	}
	if why := b.Disabled(); why != "" {
		r.said = append(r.said, why)
		return
	}
	r.run(b.Do())
}

// typed types each character of a text.
func (r *robot) typed(text string) {
	r.t.Helper()
	r.press(strings.Split(text, "")...)
}

// answer hands in what was asked for and returns what is wrong with it.
func (r *robot) answer(text string) (problem string) {
	r.t.Helper()
	if r.ask == nil {
		r.t.Fatal("nothing was asked")
	}
	ask := r.ask
	r.ask = nil
	cmd, problem := ask.Done(text)
	r.run(cmd)
	return problem
}

// hear hands over news that came together, as the desk does.
func (r *robot) hear(news ...feed.Event) {
	var cmds []tea.Cmd
	for _, e := range news {
		cmds = append(cmds, r.tab.Receive(e))
	}
	r.run(tea.Batch(cmds...))
}

// found tells that a request was found.
func (r *robot) found(answers ...*model.Retirement) {
	for _, a := range answers {
		r.hear(feed.RetirementEvent{ID: a.ID, Retirement: a, At: r.now})
	}
}

// frame renders the tab and checks its size.
func (r *robot) frame(width, height int) string {
	r.t.Helper()
	frame, _ := r.tab.Render(width, height)
	uitest.Exact(r.t, frame, width, height)
	return frame
}

// text is the frame at a size that shows all.
func (r *robot) text() string {
	r.t.Helper()
	return ansi.Strip(r.frame(160, 60))
}

// box is what lies over the tab.
func (r *robot) box(width, height int) string {
	r.t.Helper()
	if r.panel == nil {
		r.t.Fatalf("nothing lies over the tab; it said %q", r.said)
	}
	w, h := r.panel.Size(width, height)
	block := paint.NewBlock(r.view.Theme, w, h)
	r.panel.Draw(block)
	frame := block.String()
	uitest.Exact(r.t, frame, w, h)
	return ansi.Strip(frame)
}

func (r *robot) sees(texts ...string) {
	r.t.Helper()
	all := r.text()
	for _, text := range texts {
		if !strings.Contains(all, text) {
			r.t.Errorf("%q is not to be seen in:\n%s", text, all)
		}
	}
}

func (r *robot) seesNot(text string) {
	r.t.Helper()
	if all := r.text(); strings.Contains(all, text) {
		r.t.Errorf("%q is to be seen in:\n%s", text, all)
	}
}

// hears fails unless the last message contains a text.
func (r *robot) hears(text string) {
	r.t.Helper()
	if len(r.said) == 0 || !strings.Contains(r.said[len(r.said)-1], text) {
		r.t.Errorf("the messages were %q, none of them with %q at the end", r.said, text)
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

// paste pastes text into whatever takes it.
func (r *robot) paste(text string) {
	if r.tab.Typing() {
		r.run(r.tab.Type(tea.PasteMsg{Content: text}))
		return
	}
	r.run(r.tab.Paste(text))
}
