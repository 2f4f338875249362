package uitest

import (
	"errors"
	"path/filepath"
	"strings"
	"testing"
	"time"

	tea "charm.land/bubbletea/v2"
	"github.com/charmbracelet/x/ansi"

	"tonne/api/session"
	"tonne/model/attribute"
	"tonne/model/file/localfile"
	must "tonne/model/musttest"
	"tonne/ui/effect"
	"tonne/ui/keymap"
	"tonne/ui/style"
	"tonne/ui/tab"
)

// Robot simulates the user of a tab and the program around it, with a
// stopped clock. The robot of a tab embeds it.
type Robot struct {
	// Screen is the frame. A robot that reads more replaces its Text.
	Screen
	Effects
	View *tab.View
	// Now is the time of the clock.
	Now           time.Time
	tab           tab.Tab
	matcher       keymap.Matcher
	width, height int
}

// NewRobot returns a robot without a tab. Its View is for the tab.
func NewRobot(t testing.TB, width, height int) *Robot {
	r := &Robot{Now: Now, width: width, height: height}
	r.Screen = Screen{T: t, Text: func() string { return ansi.Strip(r.Frame()) }}
	r.View = &tab.View{
		Theme: style.NewTheme(style.Mono), Location: time.UTC, Now: func() time.Time { return r.Now }, Context: t.Context(),
		Files: localfile.Machine{},
	}
	return r
}

// Show starts the tab and shows it to the robot. It must be called first.
func (r *Robot) Show(t tab.Tab) {
	r.tab = t
	r.Run(t.Handle(tab.Started{}))
	r.Run(t.Handle(tab.Shown{}))
}

// CarryOut executes the effects of a tab, and returns their work without running
// it.
func (r *Robot) CarryOut(e effect.Effect) effect.Effect {
	var left effect.Several
	for _, work := range r.take(e) {
		left = append(left, work)
	}
	return effect.Batch(left...)
}

// Run executes the effects of a tab, and the resulting effects.
func (r *Robot) Run(e effect.Effect) {
	for _, work := range r.take(e) {
		r.deliver(work(r.View.Context))
	}
}

func (r *Robot) deliver(result any) {
	switch result := result.(type) {
	case nil:
	case effect.Effect:
		r.Run(result)
	default:
		r.Run(r.tab.Handle(result))
	}
}

// Hear delivers events together, as the program does.
func (r *Robot) Hear(news ...session.Event) {
	var all []effect.Effect
	for _, e := range news {
		r.View.Receive(e)
		all = append(all, r.tab.Handle(e))
	}
	r.Run(effect.Batch(all...))
}

// Press presses keys by the names of Stroke.
func (r *Robot) Press(names ...string) {
	r.T.Helper()
	for _, name := range names {
		// The program lays out after each message.
		r.tab.Layout(r.width, r.height)
		r.press(Stroke(name))
	}
}

func (r *Robot) press(key tea.KeyPressMsg) {
	switch {
	case r.Panel != nil:
		done, e := r.Panel.Press(key)
		if done {
			r.Panel = nil
		}
		r.Run(e)
	case r.tab.Info().Typing:
		r.Run(r.tab.Input(key))
	case key.Text == "Z" && len(r.undo) > 0:
		last := r.undo[len(r.undo)-1]
		r.undo = r.undo[:len(r.undo)-1]
		r.Run(last.Undone())
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

// Reply types a line into the prompt of the tab, and returns the problem with it. The
// prompt stays open until the line is valid.
func (r *Robot) Reply(line string) (problem string) {
	r.T.Helper()
	must.Need(r.T, r.Prompt != nil, "nothing was asked for", line)
	form := r.Prompt
	form.SetValue(0, line)
	done, e := form.Enter()
	if !done {
		return form.Problem
	}
	r.Prompt = nil
	r.Run(e)
	return ""
}

// Frame returns the frame of the tab, which has exactly the size of the terminal.
func (r *Robot) Frame() string {
	r.T.Helper()
	r.tab.Layout(r.width, r.height)
	frame, _ := r.tab.Render()
	Exact(r.T, frame, r.width, r.height)
	return frame
}

// FrameAt changes the size of the terminal and returns the frame.
func (r *Robot) FrameAt(width, height int) string {
	r.T.Helper()
	r.width, r.height = width, height
	return r.Frame()
}

// Clock moves the clock, and nothing else.
func (r *Robot) Clock(d time.Duration) { r.Now = r.Now.Add(d) }

// Hidden leaves the tab.
func (r *Robot) Hidden() { r.Run(r.tab.Handle(tab.Hidden{})) }

// Shown returns to the tab.
func (r *Robot) Shown() { r.Run(r.tab.Handle(tab.Shown{})) }

// Pastes pastes a text into the tab.
func (r *Robot) Pastes(text string) { r.Run(r.tab.Input(tea.PasteMsg{Content: text})) }

// Click clicks at a cell of the tab.
func (r *Robot) Click(x, y int) { r.Run(r.tab.Input(tab.Click{X: x, Y: y})) }

// Binding runs a binding by its name, like the palette.
func (r *Robot) Binding(name string) {
	r.T.Helper()
	for _, g := range r.tab.Groups() {
		for _, b := range g.Bindings {
			if b.Name == name {
				r.Run(b.Do())
				return
			}
		}
	}
	r.T.Fatalf("no binding %s", name)
}

// StoreUnusable reports that nothing can be saved.
func (r *Robot) StoreUnusable(why string) { r.Hear(session.StoreEvent{Problem: errors.New(why)}) }

// FailedWrite reports that a subject could not be saved.
func (r *Robot) FailedWrite(of session.Subject) {
	r.Hear(session.StoreEvent{Failed: []session.WriteError{{Subject: of, Err: errors.New("the disk is full")}}})
}

// PartOfMarket sends a market that is still being read.
func (r *Robot) PartOfMarket() {
	r.Hear(session.MarketEvent{Status: Live(), Market: Market(0), Partial: true})
}

// Labelled gives a project a label.
func (r *Robot) Labelled(project string) { r.Hear(Labels(attribute.OfProject, project)) }

// Labels is the label of a project or a vintage.
func Labels(scope attribute.Scope, id string) session.AnnotationsEvent {
	return session.AnnotationsEvent{Facts: attribute.NewFacts([]attribute.Fact{{
		Scope: scope, ID: id, Attribute: attribute.CCP, Value: attribute.Labelled, Source: "https://icvcm.example/a",
		Checked: Now,
	}})}
}

// Hears checks that the last message has a text.
func (r *Robot) Hears(text string) {
	r.T.Helper()
	must.Hold(r.T, strings.Contains(LastOf(r.Said), text), "messages", r.Said, text)
}

// Closed checks that no panel is open.
func (r *Robot) Closed() { r.Equal("panel", r.Panel, nil) }

// Heading checks the heading of the prompt.
func (r *Robot) Heading(want string) { r.Equal("heading", r.Prompt.Heading, want) }

// Proposed checks the value of the prompt, or its end if that is a path.
func (r *Robot) Proposed(want string) { r.Equal("value", filepath.Base(r.Prompt.Value(0)), want) }

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
