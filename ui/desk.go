// Package ui is the dashboard: one Bubble Tea model that owns the tabs, the
// overlays and the feed.
package ui

import (
	"context"
	"time"

	tea "charm.land/bubbletea/v2"

	"tonne/api/feed"
	"tonne/ui/inventory"
	"tonne/ui/keymap"
	"tonne/ui/market"
	"tonne/ui/retirement"
	"tonne/ui/style"
	"tonne/ui/tab"
)

// The smallest terminal that the dashboard can be used in.
const (
	minWidth  = 60
	minHeight = 15
)

// Desk is the dashboard's model.
type Desk struct {
	o    Options
	view *tab.View
	tabs []tab.Tab
	// active is the number of the tab that is shown.
	active  int
	matcher keymap.Matcher
	hold    hold
	// overlay is nil unless something lies over the tab.
	overlay       overlay
	toast         toast
	width, height int
	mouse, paused bool
	blurred       bool
	background    style.Background
	// clock is when the next tick is due; zero while none is.
	clock time.Time
	// frame is what View returns until something changes; stale says that
	// something did.
	frame tea.View
	stale bool
	// wait makes the timer of the clock.
	wait func(d time.Duration, reached tick) tea.Cmd
	// quit is why the dashboard ends; nil for the person's wish.
	quit error
}

// follower is a tab that fetches more of the thing that the cursor came to.
type follower interface{ Follow() tea.Cmd }

// starter is a tab that has work before it is shown.
type starter interface{ Start() tea.Cmd }

// New returns the dashboard. Run it with Run, or in a program of your own.
func New(ctx context.Context, o Options) *Desk {
	o = o.withDefaults()
	d := &Desk{o: o, mouse: !o.NoMouse, wait: timer}
	d.background = style.NewBackground(o.Theme, o.Getenv("NO_COLOR"))
	d.view = &tab.View{
		Theme: d.background.Theme(), Location: o.Location, Now: o.Now, Context: ctx,
	}
	d.tabs = []tab.Tab{
		market.New(d.view, market.Options{Origin: o.Origin, Store: o.Store, Safe: o.Safe}),
		inventory.New(d.view, o.Feed),
		retirement.New(d.view, o.Feed, retirement.Options{
			Origin: o.Origin, Store: o.Store, Hints: o.Hints, CertificateDir: o.CertificateDir, Safe: o.Safe,
			WriteEvidence: o.WriteEvidence,
		}),
	}
	d.frame = tea.NewView("")
	return d
}

// Init starts listening to the feed and asks the terminal for its colours.
func (d *Desk) Init() tea.Cmd {
	cmds := []tea.Cmd{d.listen(), d.tabs[d.active].Enter()}
	for _, t := range d.tabs {
		if t, ok := t.(starter); ok {
			cmds = append(cmds, t.Start())
		}
	}
	if d.background.Auto {
		cmds = append(cmds, tea.RequestBackgroundColor)
	}
	return tea.Batch(cmds...)
}

// news is what the feed sent.
type news struct {
	events []feed.Event
	err    error
}

// listen waits for news of the feed. It is asked for again with each news, so
// that a slow frame never lets events pile up.
func (d *Desk) listen() tea.Cmd {
	ctx, source := d.view.Context, d.o.Feed
	return func() tea.Msg {
		events, err := source.Next(ctx)
		return news{events, err}
	}
}

// tick says that the clock reached a moment at which the screen changes.
type tick struct{ at time.Time }

// Update takes a message and hands it on.
func (d *Desk) Update(msg tea.Msg) (tea.Model, tea.Cmd) {
	cmd := d.handle(msg)
	for _, wish := range d.view.Wishes() {
		cmd = tea.Batch(cmd, d.wish(wish))
	}
	d.stale = true
	return d, tea.Batch(cmd, d.schedule())
}

func (d *Desk) handle(msg tea.Msg) tea.Cmd {
	switch msg := msg.(type) {
	case tea.WindowSizeMsg:
		d.width, d.height = msg.Width, msg.Height
	case tea.BackgroundColorMsg:
		d.background.Dark = msg.IsDark()
		d.view.Theme = d.background.Theme()
	case tea.FocusMsg, tea.BlurMsg:
		_, d.blurred = msg.(tea.BlurMsg)
		d.o.Feed.Focus(!d.blurred)
	case tea.KeyPressMsg:
		return d.press(msg)
	case tea.PasteMsg:
		return d.paste(msg)
	case tea.MouseClickMsg:
		return d.click(msg.Mouse())
	case tea.MouseWheelMsg:
		return d.wheel(msg.Mouse())
	case news:
		return d.receive(msg)
	case tick:
		if msg.at.Equal(d.clock) {
			d.clock = time.Time{}
		}
	case tab.Done:
		return msg()
	default:
		return d.wish(msg)
	}
	return nil
}

// wish takes what a tab asks the desk for.
func (d *Desk) wish(msg tea.Msg) tea.Cmd {
	switch msg := msg.(type) {
	case tab.Toast:
		d.toast = toast{msg.Text, msg.Bad, d.o.Now().Add(toastTime)}
	case tab.Copy:
		return d.copy(msg)
	case tab.Open:
		return d.browse(msg.URL)
	case tab.Notify:
		return d.notify(msg.Text)
	case tab.Ask:
		d.overlay = newQuestion(msg)
	case tab.Choose:
		d.overlay = &checklist{Choose: msg}
	case tab.Lay:
		d.overlay = panel{msg.Panel}
	}
	return nil
}

func (d *Desk) receive(n news) tea.Cmd {
	if n.err != nil {
		// The feed ends with the context, or with a fault of its own that
		// must not be taken for a quiet market.
		if d.view.Context.Err() == nil {
			d.quit = n.err
		}
		return tea.Quit
	}
	cmds := []tea.Cmd{d.listen()}
	for _, e := range n.events {
		d.view.Receive(e)
		for _, t := range d.tabs {
			cmds = append(cmds, t.Receive(e))
		}
	}
	return tea.Batch(cmds...)
}

// show switches to a tab.
func (d *Desk) show(n int) tea.Cmd {
	if n == d.active {
		return nil
	}
	d.tabs[d.active].Leave()
	if !d.toast.bad {
		// What it says is of the tab that it was said in.
		d.toast = toast{}
	}
	d.active = n
	return d.tabs[n].Enter()
}

// schedule asks for a tick at the next moment at which something on the
// screen changes by itself, and for none while nothing does.
func (d *Desk) schedule() tea.Cmd {
	now := d.o.Now()
	var next time.Time
	sooner := func(at time.Time, any bool) {
		if any && (next.IsZero() || at.Before(next)) {
			next = at
		}
	}
	for _, t := range d.tabs {
		sooner(t.Expire(now))
	}
	sooner(d.toast.expire(now))
	sooner(d.rest(now))
	sooner(d.ageChanges(now))
	if next.IsZero() || !d.clock.IsZero() && !next.Before(d.clock) && d.clock.After(now) {
		return nil
	}
	d.clock = next
	return d.wait(max(next.Sub(now), time.Millisecond), tick{next})
}

func timer(d time.Duration, reached tick) tea.Cmd {
	return tea.Tick(d, func(time.Time) tea.Msg { return reached })
}
