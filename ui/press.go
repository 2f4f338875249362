package ui

import (
	"errors"
	"slices"
	"time"

	tea "charm.land/bubbletea/v2"

	"tonne/ui/keymap"
	"tonne/ui/tab"
)

// ErrInterrupted is why the dashboard ended when Ctrl-C was pressed.
var ErrInterrupted = errors.New("interrupted")

// press takes a key: Ctrl-C first, then what lies on top.
func (d *Desk) press(msg tea.KeyPressMsg) tea.Cmd {
	switch {
	case msg.Keystroke() == "ctrl+c":
		d.quit = ErrInterrupted
		return tea.Quit
	case msg.Keystroke() == "ctrl+z":
		return tea.Suspend
	case d.overlay != nil:
		done, cmd := d.overlay.Press(msg)
		if done {
			d.overlay = nil
		}
		return cmd
	case d.tabs[d.active].Typing():
		return d.tabs[d.active].Type(msg)
	}
	d.view.Running = d.hold.note(msg.Keystroke(), d.o.Now())
	binding, result := d.matcher.Press(msg, d.groups())
	if result != keymap.Matched {
		return nil
	}
	return perform(binding)
}

// perform does what a binding is for, or says why not.
func perform(b keymap.Binding) tea.Cmd {
	if why := b.Disabled(); why != "" {
		return tab.Say(why)
	}
	return b.Do()
}

func (d *Desk) paste(msg tea.PasteMsg) tea.Cmd {
	switch {
	case d.overlay != nil:
		return d.overlay.Paste(msg)
	case d.tabs[d.active].Typing():
		return d.tabs[d.active].Type(msg)
	}
	return d.tabs[d.active].Paste(msg.Content)
}

// click takes the left button: the tabs in the header, or the tab's body.
func (d *Desk) click(m tea.Mouse) tea.Cmd {
	if m.Button != tea.MouseLeft || d.tooSmall() {
		return nil
	}
	if d.overlay != nil {
		// Whatever lies there ends its work as if Esc had closed it.
		_, cmd := d.overlay.Press(tea.KeyPressMsg{Code: tea.KeyEscape})
		d.overlay = nil
		return cmd
	}
	if m.Y == 0 {
		if n, ok := d.tabAt(m.X); ok {
			return d.show(n)
		}
		return nil
	}
	if y := m.Y - headerLines; y >= 0 && y < d.bodyHeight() {
		return d.tabs[d.active].Click(m.X, y)
	}
	return nil
}

// wheelLines is how far one notch of the wheel goes.
const wheelLines = 3

func (d *Desk) wheel(m tea.Mouse) tea.Cmd {
	y := m.Y - headerLines
	if d.overlay != nil || d.tooSmall() || y < 0 || y >= d.bodyHeight() {
		return nil
	}
	d.view.Running = d.hold.note("wheel", d.o.Now())
	t := d.tabs[d.active]
	switch m.Button {
	case tea.MouseWheelUp:
		t.Wheel(m.X, y, -wheelLines)
	case tea.MouseWheelDown:
		t.Wheel(m.X, y, wheelLines)
	}
	if t, ok := t.(follower); ok {
		return t.Follow()
	}
	return nil
}

// groups returns the bindings that are active now: the tab's before the
// desk's, so that a tab may give a key a meaning of its own.
func (d *Desk) groups() []keymap.Group {
	return d.o.Remap.Apply(append(d.tabs[d.active].Groups(), d.ownKeys()))
}

// CheckKeys reports remapped keys that no binding has, that no keyboard has, or
// that two bindings would share.
func (d *Desk) CheckKeys() []error {
	var all []keymap.Group
	var problems []error
	for _, t := range d.tabs {
		groups := append(t.Groups(), d.ownKeys())
		problems = append(problems, d.o.Remap.Conflicts(groups...)...)
		all = append(all, groups...)
	}
	return slices.Concat(problems, d.o.Remap.Unknown(all...), d.o.Remap.Unusable())
}

// ownKeys are the bindings that work in every tab.
func (d *Desk) ownKeys() keymap.Group {
	g := keymap.Group{Name: "Everywhere"}
	for n, t := range d.tabs {
		key := string(rune('1' + n))
		g.Bindings = append(g.Bindings, keymap.Binding{
			Name: "desk.tab" + key, Keys: []string{key}, Help: "show " + t.Title(),
			Do: func() tea.Cmd { return d.show(n) },
		})
	}
	step := func(by int) func() tea.Cmd {
		return func() tea.Cmd { return d.show((d.active + by + len(d.tabs)) % len(d.tabs)) }
	}
	g.Bindings = append(g.Bindings,
		keymap.Binding{Name: "desk.next", Keys: []string{"tab"}, Help: "next tab", Do: step(1)},
		keymap.Binding{Name: "desk.previous", Keys: []string{"shift+tab"}, Help: "previous tab", Do: step(-1)},
		keymap.Binding{Name: "desk.refresh", Keys: []string{"r", "ctrl+r"}, Help: "ask the service now", Do: d.refresh},
		keymap.Binding{Name: "desk.pause", Keys: []string{"space"}, Help: "pause or resume polling", Do: d.pause},
		keymap.Binding{Name: "desk.units", Keys: []string{"u"}, Help: "tonnes or grams", Do: d.units},
		keymap.Binding{Name: "desk.mouse", Keys: []string{"m"}, Help: "mouse on or off", Do: d.toggleMouse},
		keymap.Binding{Name: "desk.palette", Keys: []string{":"}, Help: "find a command", Do: d.openPalette},
		keymap.Binding{Name: "desk.help", Keys: []string{"?", "f1"}, Help: "help", Short: "help", Do: d.openHelp},
		keymap.Binding{Name: "desk.quit", Keys: []string{"q"}, Help: "quit", Short: "quit", Do: func() tea.Cmd { return tea.Quit }},
	)
	return g
}

func (d *Desk) refresh() tea.Cmd {
	d.o.Feed.Refresh()
	s := d.tabs[d.active].Health()
	if left := s.RetryAt.Sub(d.o.Now()); s.Asked && left > 0 {
		return tab.Say("The service asked to wait. It is asked again in " + tab.Age(left+time.Second-1) + ".")
	}
	return nil
}

func (d *Desk) pause() tea.Cmd {
	d.paused = !d.paused
	d.o.Feed.Pause(d.paused)
	if d.paused {
		return tab.Say("Polling is paused. Space resumes.")
	}
	return tab.Say("Polling goes on.")
}

func (d *Desk) units() tea.Cmd {
	d.view.InGrams = !d.view.InGrams
	for _, t := range d.tabs {
		t.Remeasure()
	}
	return nil
}

func (d *Desk) toggleMouse() tea.Cmd {
	d.mouse = !d.mouse
	if d.mouse {
		return tab.Say("The mouse works in tonne. m gives it back to the terminal.")
	}
	return tab.Say("The mouse selects text of the terminal. m brings it back.")
}
