package uitest

import (
	"testing"
	"time"

	tea "charm.land/bubbletea/v2"
	"github.com/charmbracelet/x/ansi"

	"tonne/api/feed"
	"tonne/ui/keymap"
	"tonne/ui/style"
	"tonne/ui/tab"
)

// Tab is what a robot needs of a tab.
type Tab interface {
	Enter() tea.Cmd
	Receive(e feed.Event) tea.Cmd
	Groups() []keymap.Group
	Typing() bool
	Type(msg tea.Msg) tea.Cmd
	Render(width, height int) (string, *tea.Cursor)
}

// Robot is somebody at the keyboard of a tab, and the desk below it, with a
// clock that stands. A tab's own robot embeds it.
type Robot struct {
	// Screen is the frame. A robot that reads more replaces its Text.
	Screen
	Wishes
	View *tab.View
	// Now is what the clock shows.
	Now           time.Time
	tab           Tab
	matcher       keymap.Matcher
	width, height int
}

// NewRobot returns a robot that has no tab yet. Its View is for one.
func NewRobot(t testing.TB, width, height int) *Robot {
	r := &Robot{Now: Now, width: width, height: height}
	r.Screen = Screen{T: t, Text: func() string { return ansi.Strip(r.Frame()) }}
	r.View = &tab.View{
		Theme: style.NewTheme(style.Mono), Location: time.UTC, Now: func() time.Time { return r.Now }, Context: t.Context(),
	}
	return r
}

// Show shows the tab to the robot. It comes before all that follows.
func (r *Robot) Show(tab Tab) {
	r.tab = tab
	r.Run(tab.Enter())
}

// Run performs a command and what it leads to.
func (r *Robot) Run(cmd tea.Cmd) {
	for _, wish := range r.View.Wishes() {
		r.take(wish)
	}
	if cmd == nil {
		return
	}
	switch msg := cmd().(type) {
	case tea.BatchMsg:
		for _, c := range msg {
			r.Run(c)
		}
	case tab.Done:
		r.Run(msg())
	default:
		r.take(msg)
	}
}

// Hear hands over news that came together, as the desk does.
func (r *Robot) Hear(news ...feed.Event) {
	var cmds []tea.Cmd
	for _, e := range news {
		r.View.Receive(e)
		cmds = append(cmds, r.tab.Receive(e))
	}
	r.Run(tea.Batch(cmds...))
}

// Press types keys by their names, as Stroke has them.
func (r *Robot) Press(names ...string) {
	r.T.Helper()
	for _, name := range names {
		// Columns and pages are those of the last frame.
		_, _ = r.tab.Render(r.width, r.height)
		r.press(Stroke(name))
	}
}

func (r *Robot) press(key tea.KeyPressMsg) {
	switch {
	case r.Panel != nil:
		done, cmd := r.Panel.Press(key)
		if done {
			r.Panel = nil
		}
		r.Run(cmd)
	case r.tab.Typing():
		r.Run(r.tab.Type(key))
	default:
		r.perform(r.matcher.Press(key, r.tab.Groups()))
	}
}

func (r *Robot) perform(b keymap.Binding, result keymap.Result) {
	if result != keymap.Matched {
		return
	}
	if why := b.Disabled(); why != "" {
		r.Said = append(r.Said, why)
		return
	}
	r.Run(b.Do())
}

// Reply types a line where the tab asked for one, and returns what is wrong
// with it. The question stays until the line is right.
func (r *Robot) Reply(line string) (problem string) {
	r.T.Helper()
	if r.Ask == nil {
		r.T.Fatalf("nothing was asked for %q", line)
	}
	cmd, problem := r.Ask.Done(line)
	if problem == "" {
		r.Ask = nil
	}
	r.Run(cmd)
	return problem
}

// Frame is the tab, in exactly the size of the terminal.
func (r *Robot) Frame() string {
	r.T.Helper()
	frame, _ := r.tab.Render(r.width, r.height)
	Exact(r.T, frame, r.width, r.height)
	return frame
}

// FrameAt gives the terminal another size and returns the frame.
func (r *Robot) FrameAt(width, height int) string {
	r.T.Helper()
	r.width, r.height = width, height
	return r.Frame()
}

// FitsEverySize fails unless the tab fills terminals of all kinds exactly,
// before and after ↵.
func (r *Robot) FitsEverySize() {
	r.T.Helper()
	for _, size := range [...][2]int{{60, 11}, {80, 20}, {160, 41}, {200, 56}, {60, 5}, {30, 1}} {
		for range 2 {
			r.FrameAt(size[0], size[1])
			r.Press("enter")
		}
	}
}
