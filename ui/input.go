package ui

import (
	"context"
	"errors"
	"slices"
	"time"

	tea "charm.land/bubbletea/v2"

	"tonne/ui/effect"
	"tonne/ui/keymap"
	"tonne/ui/tab"
)

// ErrInterrupted is returned by Run after Ctrl-C.
var ErrInterrupted = errors.New("interrupted")

func (a *App) press(msg tea.KeyPressMsg) tea.Cmd {
	held := a.repeat.held(msg.Keystroke(), a.o.Now())
	a.toast.stands = false
	// Typing text does not move a cursor.
	a.view.KeyHeld = false
	switch {
	case msg.Keystroke() == "ctrl+c":
		return a.leave(ErrInterrupted)
	case msg.Keystroke() == "ctrl+z":
		return a.suspend()
	case a.dialog.shown():
		return a.pressDialog(msg, false)
	case a.search.entry.Focused():
		return searching{a}.press(msg)
	case a.infos[a.active].Typing:
		return a.run(a.active, a.tabs[a.active].Input(msg))
	}
	a.view.KeyHeld = held
	binding, result := a.matcher.Press(msg, a.keys)
	a.repeated = result == keymap.Matched && binding.Name == a.last
	if a.last = ""; result == keymap.NoMatch {
		return a.run(a.active, a.sayUnknown(msg.String()))
	}
	if a.unknown = ""; result != keymap.Matched {
		return nil
	}
	a.last = binding.Name
	// The effect belongs to the tab that the binding leads to.
	return a.run(current, effect.Then(func() effect.Effect { return perform(binding) }))
}

// sayUnknown says once that a key has no meaning.
func (a *App) sayUnknown(stroke string) effect.Effect {
	if stroke == a.unknown {
		return nil
	}
	a.unknown = stroke
	return effect.Say(keymap.Label(stroke) + " has no meaning here. ? lists the keys, : finds commands.")
}

func perform(b keymap.Binding) effect.Effect {
	if why := b.Disabled(); why != "" {
		return effect.SayWhile(func() bool { return b.Disabled() == why }, why)
	}
	return b.Do()
}

func (a *App) paste(msg tea.PasteMsg) tea.Cmd {
	a.toast.stands = false
	if a.dialog.shown() {
		return a.run(a.dialog.tab, a.dialog.Paste(msg))
	}
	if a.search.entry.Focused() {
		return searching{a}.edit(msg)
	}
	return a.run(a.active, a.tabs[a.active].Input(msg))
}

func (a *App) click(m tea.Mouse) tea.Cmd {
	if m.Button != tea.MouseLeft || a.tooSmall() {
		return nil
	}
	a.toast.stands = false
	if a.dialog.shown() {
		return a.pressDialog(tea.KeyPressMsg{Code: tea.KeyEscape}, true)
	}
	if m.Y == 0 {
		if n, ok := a.header().tabAt(m.X); ok {
			return a.run(n, a.show(n))
		}
		return nil
	}
	if y := m.Y - headerLines; y >= 0 && y < a.bodyHeight() {
		return a.run(a.active, a.tabs[a.active].Input(tab.Click{X: m.X, Y: y}))
	}
	return nil
}

const wheelLines = 3

func (a *App) wheel(m tea.Mouse) tea.Cmd {
	y := m.Y - headerLines
	if a.dialog.shown() || a.tooSmall() || y < 0 || y >= a.bodyHeight() {
		return nil
	}
	a.view.KeyHeld = a.repeat.held("wheel", a.o.Now())
	lines := wheelLines
	switch m.Button {
	case tea.MouseWheelUp:
		lines = -wheelLines
	case tea.MouseWheelDown:
	default:
		return nil
	}
	return a.run(a.active, a.tabs[a.active].Input(tab.Wheel{X: m.X, Y: y, Lines: lines}))
}

// CheckKeys returns an error for each remapped key without a binding, that no keyboard has, or that two bindings share.
func (a *App) CheckKeys() []error {
	var all []keymap.Group
	var problems []error
	for _, t := range a.tabs[:recordedTab] {
		groups := append(t.Groups(), a.own)
		problems = append(problems, a.o.Remap.Conflicts(groups...)...)
		all = append(all, groups...)
	}
	return slices.Concat(problems, a.o.Remap.Unknown(all...), a.o.Remap.Unusable())
}

// ownKeys returns the bindings of every tab. The bindings of a tab take precedence.
func (a *App) ownKeys() keymap.Group {
	g := keymap.Group{Name: "Everywhere"}
	for n, t := range a.tabs[:recordedTab] {
		key := string(rune('1' + n))
		g.Bindings = append(g.Bindings, keymap.Binding{
			Name: "desk.tab" + key, Keys: []string{key}, Help: "show " + t.Info().Title,
			Do: func() effect.Effect { return a.show(n) },
		})
	}
	step := func(by int) func() effect.Effect {
		return func() effect.Effect { return a.show((a.replay.kind() + by + len(Tabs)) % len(Tabs)) }
	}
	g.Bindings = append(g.Bindings,
		keymap.Binding{Name: "desk.next", Keys: []string{"tab"}, Help: "next tab", Do: step(1)},
		keymap.Binding{Name: "desk.previous", Keys: []string{"shift+tab"}, Help: "previous tab", Do: step(-1)},
		keymap.Binding{Name: "desk.refresh", Keys: []string{"r", "ctrl+r"}, Help: "refresh now", Do: a.refresh},
		keymap.Binding{Name: "desk.pause", Keys: []string{"space"}, Help: "pause or resume polling", Do: a.pause},
		keymap.Binding{Name: "desk.units", Keys: []string{"u"}, Help: "show tonnes or grams", Do: a.units},
		a.undoKey(),
		keymap.Binding{Name: "desk.shell", Keys: []string{"!"}, Help: "copy the command that prints what is on the screen",
			Why: func() string { return a.o.NoShell },
			Do: func() effect.Effect {
				return a.tabs[a.active].Shell().Copy(a.view)
			}},
		keymap.Binding{Name: "desk.mouse", Keys: []string{"m"}, Help: "turn mouse support on or off", Do: a.toggleMouse},
		keymap.Binding{Name: "desk.unfinished", Keys: []string{"U"}, Help: "unresolved retirements",
			Why: a.retiring.whyNotUnfinished, Do: func() effect.Effect { return a.retiring.controller.Unfinished() }},
		keymap.Binding{Name: "desk.palette", Keys: []string{":"}, Help: "find a command or a project", Do: palette{a}.open},
		keymap.Binding{Name: "desk.profile", Help: "switch the profile", Why: profiles{a}.whyNotSwitch,
			Do: func() effect.Effect {
				a.openKeys("Profiles · ↵ switches · Esc closes", "name of a profile", true,
					func(typed string) []keymap.Group { return []keymap.Group{profiles{a}.keys(typed)} })
				return profiles{a}.read()
			}},
		keymap.Binding{Name: "desk.view", Help: "restore or delete a view", Why: views{a}.whyNone, Do: views{a}.open},
		keymap.Binding{Name: "desk.viewsave", Action: "view save",
			Help: "view save NAME · save columns, sort and filter of this tab", Do: views{a}.ask},
		keymap.Binding{Name: "desk.help", Keys: []string{"?", "f1"}, Help: "help", Short: "help", Do: func() effect.Effect {
			return a.openKeys("Keys · type to filter · Esc closes", keyHint, false, always(a.keys...))
		}},
		keymap.Binding{Name: quitName, Keys: []string{"q"}, Help: "quit", Short: "quit",
			Do: func() effect.Effect { return effect.Quit{} }},
	)
	g.Bindings = append(g.Bindings, searching{a}.keys()...)
	if a.o.Remote != nil {
		g.Bindings = append(g.Bindings,
			keymap.Binding{Name: "desk.people", Keys: []string{"@"}, Help: "show who is at the desk", Do: func() effect.Effect {
				return effect.Show{Panel: &participantsPanel{app: a}}
			}})
	}
	return g
}

const quitName = "desk.quit"

// ownNow returns the bindings of every tab. While a lower pane is open, the key to quit closes it.
func (a *App) ownNow() keymap.Group {
	closing := a.infos[a.active].Close
	if closing == nil {
		return a.own
	}
	g := a.own
	g.Bindings = slices.Clone(g.Bindings)
	for i := range g.Bindings {
		if b := &g.Bindings[i]; b.Name == quitName {
			b.Help, b.Short, b.Do = "close the lower pane; if there is none, quit", "close", closing
		}
	}
	return g
}

func (a *App) refresh() effect.Effect {
	a.o.Feed.Refresh()
	return nil
}

func (a *App) pause() effect.Effect {
	a.paused = !a.paused
	a.o.Feed.Pause(a.paused)
	if a.paused {
		return effect.SayWhile(func() bool { return a.paused }, "Polling is paused. Space resumes.")
	}
	return effect.Say("Polling resumed.")
}

func (a *App) units() effect.Effect {
	a.view.InGrams = !a.view.InGrams
	a.replay.sync()
	for _, t := range a.replay.shownTabs() {
		t.Handle(tab.UnitChanged{})
	}
	return nil
}

func (a *App) toggleMouse() effect.Effect {
	a.mouse = !a.mouse
	if a.mouse {
		return effect.Say("Mouse support is on. m turns it off, so that you can select text.")
	}
	return effect.Say("Mouse support is off: the mouse selects text. m turns it on.")
}

// repeatWindow is longer than the interval of a held key: keyboards repeat 10 to 40 times a second.
const repeatWindow = 120 * time.Millisecond

type keyRepeat struct {
	stroke string
	at     time.Time
}

func (k *keyRepeat) held(stroke string, now time.Time) bool {
	again := stroke == k.stroke && now.Sub(k.at) < repeatWindow
	k.stroke, k.at = stroke, now
	return again
}

func (a *App) releases(now time.Time) time.Time {
	at := a.repeat.at.Add(repeatWindow)
	a.view.KeyHeld = a.view.KeyHeld && now.Before(at)
	if !a.view.KeyHeld {
		return time.Time{}
	}
	return at
}

// Keys returns the default bindings: a group for each tab, and then the bindings of every tab.
func Keys() []keymap.Group {
	a := New(context.Background(), Options{})
	var all []keymap.Group
	for n, t := range a.tabs[:recordedTab] {
		var own []keymap.Binding
		for _, g := range t.Groups() {
			own = append(own, g.Bindings...)
		}
		all = append(all, keymap.Group{Name: a.infos[n].Title, Bindings: own})
	}
	return append(all, a.own)
}
