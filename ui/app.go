// Package ui is the terminal dashboard: a Bubble Tea program with three tabs, one dialog at a
// time, a header and a footer. It routes keys, mouse events and session events to the tabs and
// runs the effects that they return. It knows neither HTTP nor SQL: its data comes from a Feed.
// Start reading at App in app.go; the tabs are in ui/market, ui/inventory and ui/retirement.
package ui

import (
	"cmp"
	"context"
	"time"

	tea "charm.land/bubbletea/v2"

	"tonne/api/session"
	"tonne/ui/effect"
	"tonne/ui/inventory"
	"tonne/ui/keymap"
	"tonne/ui/market"
	"tonne/ui/retire"
	"tonne/ui/retirement"
	"tonne/ui/style"
	"tonne/ui/suspend"
	"tonne/ui/tab"
)

const (
	minWidth  = 60
	minHeight = 15
)

// App is the dashboard's model.
type App struct {
	o    Options
	view *tab.View
	// tabs are those of Tabs, and one with a recorded market or nil.
	tabs   [len(Tabs) + 1]tab.Tab
	replay replay
	people []session.Person
	// infos describe the tabs, keys are the active bindings, and own the bindings of every tab.
	infos [len(Tabs) + 1]tab.Info
	keys  []keymap.Group
	own   keymap.Group
	// accounts are the profiles when the list of commands was last opened.
	accounts []Profile
	// choices are the choices of the user, by name. If they cannot be stored, unsaved has the reason.
	choices map[string]string
	unsaved error
	book    session.PortfolioValueEvent
	valued  bool
	active  int
	matcher keymap.Matcher
	// last is the name of the last key's binding. repeated reports whether the previous key had the same.
	last     string
	repeated bool
	repeat   keyRepeat
	dialog   dialog
	search   search
	// unknown is the last key without a meaning, if no other key was pressed since.
	unknown string
	// changes are those that can be undone, the newest last.
	changes []change
	// opening is whether another profile is being opened.
	opening       bool
	retiring      calls
	toast         toast
	alert         alertToast
	width, height int
	mouse, paused bool
	unfocused     bool
	background    style.Background
	// ascii is whether the terminal shows only ASCII.
	ascii bool
	// clock is the time of the next tick, or zero.
	clock time.Time
	// frame is the frame that View returns. If stale, View draws it again.
	frame tea.View
	stale bool
	// drawn is called with each frame.
	drawn func(tea.View)
	wait  func(d time.Duration, reached tick) tea.Cmd
	quit  error
}

// Tabs are the tabs in order, with their names on the command line and the commands that print
// their lists. Saved views are of a list.
var Tabs = [...]struct{ Name, List string }{{"market", "market"}, {"inventory", "inventory"}, {"retirements", "ledger"}}

// New returns the model of a dashboard. Most callers use Run, which runs it in a program.
func New(ctx context.Context, o Options) *App {
	o = o.withDefaults()
	a := &App{o: o, mouse: !o.NoMouse, drawn: func(tea.View) {}}
	a.wait = func(d time.Duration, reached tick) tea.Cmd {
		return tea.Tick(d, func(time.Time) tea.Msg { return reached })
	}
	a.background = style.NewBackground(o.Theme, o.Getenv("NO_COLOR"))
	a.ascii = !style.Unicode(o.Getenv)
	a.view = &tab.View{
		Shared:   o.Remote != nil,
		Fleeting: o.Remote != nil && o.Remote.Fleeting,
		NoMotion: o.NoMotion,
		Theme:    a.background.Theme(), Location: o.Location, Now: o.Now, Files: o.Files, Context: ctx,
		WithFlags: o.WithFlags,
	}
	a.retiring = calls{view: a.view, read: o.Unfinished}
	if o.Retire != nil {
		controller := retire.New(a.view, o.Retire, o.Feed)
		a.retiring.controller, a.view.Retire = controller, controller.Begin
		if o.Alarm {
			controller.Alarm = production
		}
	}
	live := market.New(a.view, o.Feed, o.Safe)
	a.replay.app, live.Past = a, &a.replay
	holdings := inventory.New(a.view, o.Feed)
	holdings.Record = o.Purchases
	if o.Past != nil {
		holdings.Record.Show = a.replay.of
	}
	a.tabs = [len(Tabs) + 1]tab.Tab{
		live,
		holdings,
		retirement.New(a.view, o.Feed, o.Options),
	}
	if o.Prepare != nil {
		a.accounts = o.Profiles()
	}
	a.search.entry = tab.NewEntry()
	a.own = a.ownKeys()
	a.layout()
	return a
}

// Init starts listening to the feed and queries the terminal's background colour.
func (a *App) Init() tea.Cmd {
	cmds := []tea.Cmd{a.listen()}
	for n, t := range a.tabs[:recordedTab] {
		cmds = append(cmds, a.run(n, t.Handle(tab.Started{})))
	}
	cmds = append(cmds, a.run(a.active, a.tabs[a.active].Handle(tab.Shown{})))
	if a.o.Greeting != "" {
		a.say(a.o.Greeting)
	}
	if a.background.Auto {
		cmds = append(cmds, tea.RequestBackgroundColor)
	}
	return tea.Batch(cmds...)
}

type feedEvents struct {
	events []session.Event
	err    error
}

// listen waits for events. The next wait starts after they are handled, so events never pile up.
func (a *App) listen() tea.Cmd {
	ctx, source := a.view.Context, a.o.Feed
	return func() tea.Msg {
		events, err := source.Next(ctx)
		return feedEvents{events, err}
	}
}

type tick struct{ at time.Time }

// Update handles a message.
func (a *App) Update(msg tea.Msg) (tea.Model, tea.Cmd) {
	cmd := a.handle(msg)
	now := a.o.Now()
	recount := a.run(a.active, a.retiring.recount(now))
	next := earlier(a.expire(now), a.retiring.recounts)
	a.layout()
	return a, tea.Batch(cmd, recount, a.replay.take(), a.schedule(now, next))
}

// shownTabs returns the tabs, without that of a recorded market before its first use.
func (r *replay) shownTabs() []tab.Tab {
	if r.tab == nil {
		return r.app.tabs[:recordedTab]
	}
	return r.app.tabs[:]
}

func (a *App) layout() {
	a.replay.sync()
	for n, t := range a.replay.shownTabs() {
		a.infos[n] = t.Info()
	}
	a.keys = a.o.Remap.Apply(append(a.tabs[a.active].Groups(), a.ownNow()))
	if a.o.Remote != nil {
		a.keys = keymap.WithoutMachine(a.keys, a.whyElsewhere)
	}
	if !a.tooSmall() {
		a.tabs[a.active].Layout(a.width, a.bodyHeight())
		a.infos[a.active].Status = a.tabs[a.active].Info().Status
		a.dialog.layout(a.width-4, a.bodyHeight())
	}
	a.stale = true
}

func (a *App) handle(msg tea.Msg) tea.Cmd {
	switch msg := msg.(type) {
	case tea.WindowSizeMsg:
		a.width, a.height = msg.Width, msg.Height
	case tea.BackgroundColorMsg:
		a.background.Dark = msg.IsDark()
		a.view.Theme = a.background.Theme()
	case tea.FocusMsg, tea.BlurMsg:
		_, a.unfocused = msg.(tea.BlurMsg)
		a.o.Feed.Focus(!a.unfocused)
	case tea.KeyPressMsg:
		return a.press(msg)
	case tea.PasteMsg:
		return a.paste(msg)
	case tea.MouseClickMsg:
		return a.click(msg.Mouse())
	case tea.MouseWheelMsg:
		return a.wheel(msg.Mouse())
	case feedEvents:
		return a.receive(msg)
	case Notice:
		a.toast = toast{text: msg.Text, bad: true, until: msg.Until, holds: msg.Holds}
		if msg.Until.IsZero() {
			a.toast.until = a.o.Now().Add(toastTime)
		}
	case tick:
		if msg.at.Equal(a.clock) {
			a.clock = time.Time{}
		}
	case result:
		return a.dispatch(msg)
	case suspend.Back:
		if msg.Err != nil {
			a.quit = msg.Err
			return tea.Quit
		}
		if msg.Stayed {
			a.say("There is no shell to go back to.")
		}
		return tea.ClearScreen
	}
	return nil
}

func (a *App) receive(n feedEvents) tea.Cmd {
	if n.err != nil {
		// If the feed fails while the context is alive, end visibly: silence would look like a quiet market.
		if a.view.Context.Err() == nil {
			a.quit = n.err
		}
		return tea.Quit
	}
	cmds := []tea.Cmd{a.listen()}
	for _, e := range n.events {
		a.view.Receive(e)
		switch e := e.(type) {
		case session.PresenceEvent:
			a.people = e.People
		case session.PortfolioValueEvent:
			a.book, a.valued = e, true
		case session.ChoicesEvent:
			a.choices = e.Choices
		case session.StoreEvent:
			a.unsaved = cmp.Or(e.Problem, a.unsaved)
			for _, f := range e.Failed {
				if f.Subject == session.ChoiceWrites {
					a.warn("Could not save your choice: " + f.Err.Error() + ".")
				}
			}
		}
		if controller := a.retiring.controller; controller != nil {
			controller.Hear(e)
		}
		for n, t := range a.tabs[:recordedTab] {
			cmds = append(cmds, a.run(n, t.Handle(e)))
		}
		if a.replay.tab != nil {
			cmds = append(cmds, a.run(recordedTab, a.replay.hear(e)))
		}
	}
	return tea.Batch(cmds...)
}

func (a *App) show(n int) effect.Effect {
	if n == a.active {
		return nil
	}
	a.tabs[a.active].Handle(tab.Hidden{})
	a.search.entry.Blur()
	if !a.toast.bad {
		// The message is about the previous tab.
		a.toast = toast{}
	}
	a.active = n
	return a.tabs[n].Handle(tab.Shown{})
}

func earlier(a, b time.Time) time.Time {
	if a.IsZero() || !b.IsZero() && b.Before(a) {
		return b
	}
	return a
}

func (a *App) expire(now time.Time) (next time.Time) {
	for _, t := range a.replay.shownTabs() {
		if at, any := t.Expire(now); any {
			next = earlier(next, at)
		}
	}
	next = earlier(earlier(next, a.toast.expire(now)), a.alert.expire(now))
	return earlier(next, a.releases(now))
}

func (a *App) schedule(now, next time.Time) tea.Cmd {
	if !a.unfocused && !a.tooSmall() {
		due := a.header().ageChanges(now)
		if a.o.Remote != nil && !due.IsZero() {
			due = due.Add(a.o.Remote.Lag)
		}
		next = earlier(next, due)
	}
	if a.width <= 0 {
		// The filter of sized learns the first size from the next message.
		next = earlier(next, now.Add(100*time.Millisecond))
	}
	if next.IsZero() || !a.clock.IsZero() && !next.Before(a.clock) && a.clock.After(now) {
		return nil
	}
	a.clock = next
	return a.wait(max(next.Sub(now), time.Millisecond), tick{next})
}
