package ui

import (
	"context"
	"fmt"
	"io"
	"time"

	tea "charm.land/bubbletea/v2"
	"github.com/charmbracelet/colorprofile"

	"tonne/ui/screen"
)

// remoteFPS is how many frames a second a remote terminal gets at most.
const remoteFPS = 20

// onScreen is a dashboard that shows its frames itself. The library's renderer
// keeps a screen in cells three times over, a megabyte for each person at a desk,
// compares them cell by cell, and looks for a frame at every tick.
type onScreen struct {
	*App
	screen *screen.Screen
	// anew says that the terminal has another size since the last frame.
	anew bool
}

// Init asks the terminal for its background as well.
func (o *onScreen) Init() tea.Cmd {
	if o.background.Auto {
		o.screen.Send("\x1b]11;?\a")
	}
	return o.App.Init()
}

// Update hands a message on.
func (o *onScreen) Update(msg tea.Msg) (tea.Model, tea.Cmd) {
	if _, resized := msg.(tea.WindowSizeMsg); resized {
		o.anew = true
	}
	_, cmd := o.App.Update(msg)
	return o, cmd
}

// View shows the frame.
func (o *onScreen) View() tea.View {
	v := o.App.View()
	o.screen.Show(v, o.anew)
	o.anew = false
	return v
}

func (o *onScreen) pass(_ tea.Model, msg tea.Msg) tea.Msg {
	if raw, ok := msg.(tea.RawMsg); ok {
		o.screen.Send(fmt.Sprint(raw.Msg))
		return nil
	}
	return msg
}

// options are those of a program that neither draws nor reads, and so has next
// to nothing to do at its ticks.
func (o *onScreen) options() []tea.ProgramOption {
	return []tea.ProgramOption{tea.WithoutRenderer(), tea.WithFPS(1), tea.WithInput(nil), tea.WithOutput(io.Discard), tea.WithFilter(o.pass)}
}

func (r *Remote) screenOf(app *App, output io.Writer) *onScreen {
	return &onScreen{App: app, screen: screen.New(output, colorprofile.Env(r.Environ), time.Second/remoteFPS)}
}

func (o *onScreen) draw(ctx context.Context, aside func(func())) (stop func()) {
	ctx, cancel := context.WithCancel(ctx)
	ended := make(chan struct{})
	aside(func() {
		defer close(ended)
		// A terminal that is gone ends the input too.
		_ = o.screen.Run(ctx)
	})
	return func() {
		cancel()
		<-ended
	}
}
