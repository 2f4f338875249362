package ui

import (
	"context"
	"errors"
	"fmt"
	"io"
	"strconv"
	"strings"
	"time"

	tea "charm.land/bubbletea/v2"
	"github.com/charmbracelet/colorprofile"
	uv "github.com/charmbracelet/ultraviolet"

	"tonne/api/session"
	"tonne/model/spreadsheet"
	"tonne/ui/screen"
	"tonne/ui/suspend"
)

// Remote is a terminal at another machine. Options.Input and Output lead to it:
// the dashboard ends when Input does.
type Remote struct {
	// Environ is what the terminal says of itself, as NAME=value: TERM above all.
	Environ []string
	// Width and Height are its size in cells.
	Width, Height int
	// Fleeting says that what the person records is gone with the session.
	Fleeting bool
	// Lag is how much later than it could the age of what is shown is drawn
	// anew, less than a second: the ages of all at a desk change together.
	Lag time.Duration
	// Messages are Resized and Notice, until it is closed. It may be nil.
	Messages <-chan tea.Msg
}

// Resized says that the terminal has another size, in cells.
type Resized struct{ Width, Height int }

// Notice is a message of the desk's operator to the person.
type Notice struct {
	Text string
	// Until is when it goes away by itself; zero is the usual time. Holds reports
	// whether it is still true; nil means always.
	Until time.Time
	Holds func() bool
}

const remoteFPS = 20

// run runs the program on the terminal.
//
// The input is decoded here and sent to the program: its own reader waits for
// ever with a key that nobody takes when the program has ended, which would
// keep all that the program held. What breaks here ends this program alone.
func (r *Remote) run(ctx context.Context, app *App, input io.Reader, options []tea.ProgramOption) error {
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	aside := func(work func()) {
		go func() {
			defer func() {
				if broke := recover(); broke != nil {
					cancel(session.Recovered(broke))
				}
			}()
			work()
		}()
	}
	colours := colorprofile.Env(r.Environ)
	shown := &onScreen{App: app, screen: screen.New(app.o.Output, colours, time.Second/remoteFPS)}
	// The program neither draws nor reads, and so has next to nothing to do at its ticks.
	p := tea.NewProgram(shown, append(options, tea.WithoutRenderer(), tea.WithFPS(1), tea.WithInput(nil), tea.WithOutput(io.Discard),
		tea.WithFilter(shown.pass), tea.WithContext(ctx), tea.WithEnvironment(r.Environ), tea.WithColorProfile(colours), tea.WithWindowSize(r.Width, r.Height))...)
	drawing, stop := context.WithCancel(ctx)
	drawn := make(chan struct{})
	aside(func() {
		defer close(drawn)
		// A terminal that is gone ends the input too.
		_ = shown.screen.Run(drawing)
	})
	defer func() {
		stop()
		<-drawn
	}()
	aside(func() { r.forward(ctx, p) })
	aside(func() {
		(&keys{send: p.Send}).stream(ctx, input, aside)
		p.Quit()
	})
	_, err := p.Run()
	if broke, ok := errors.AsType[*session.PanicError](context.Cause(ctx)); ok {
		return broke
	}
	return err
}

func (r *Remote) forward(ctx context.Context, p *tea.Program) {
	for {
		select {
		case <-ctx.Done():
			return
		case msg, more := <-r.Messages:
			if !more {
				return
			}
			if size, resized := msg.(Resized); resized {
				msg = tea.WindowSizeMsg(size)
			}
			p.Send(msg)
		}
	}
}

var errElsewhere = errors.New("a shared desk writes no files")

// instead is the way to what a key that needs the machine leads to, by the name
// of its binding.
var instead = map[string]string{
	"market.export":          "ssh DESK market -o csv",
	"market.basketexport":    "ssh DESK basket --tonnes N -o csv",
	"inventory.export":       "ssh DESK inventory -o csv",
	"retirement.statement":   "ssh DESK statement --fiscal-year YEAR -o csv",
	"retirement.evidence":    "ssh DESK retirement ID --evidence - -o csv",
	"retirement.evidenceall": "ssh DESK retirement ID... --evidence - -o csv",
	"retirement.import":      "ssh DESK retirement --file - < FILE",
	"retirement.download":    "o shows where the certificate is",
	"retirement.downloadto":  "o shows where the certificate is",
	"retirement.preview":     "o shows where the certificate is",
}

func (a *App) whyElsewhere(name string) string {
	year := strconv.Itoa(a.o.Now().In(a.o.Location).Year())
	return "A shared desk has no files: " + strings.Replace(instead[name], "YEAR", year, 1)
}

func (o Options) withoutMachine() Options {
	o.Getenv = uv.Environ(o.Remote.Environ).Getenv
	o.CertificateDir, o.WriteEvidence, o.CheckEvidence, o.ReadCertificate, o.Browse, o.Retire = "", nil, nil, nil, nil, nil
	o.SaveSheet = func(string, spreadsheet.Sheet) error { return errElsewhere }
	o.SaveBook = func(string, spreadsheet.Workbook) error { return errElsewhere }
	return o
}

func (a *App) suspend() tea.Cmd {
	if a.o.Remote == nil {
		return suspend.Suspend
	}
	a.say("There is no shell here. Enter ~ Ctrl-z suspends ssh.")
	return nil
}

// onScreen is a dashboard that shows its frames itself. The library's renderer
// keeps a screen in cells three times over, a megabyte for each person at a desk,
// compares them cell by cell, and looks for a frame at every tick.
type onScreen struct {
	*App
	screen *screen.Screen
	// anew says that the terminal has another size since the last frame.
	anew bool
}

func (o *onScreen) Init() tea.Cmd {
	if o.background.Auto {
		o.screen.Send("\x1b]11;?\a")
	}
	return o.App.Init()
}

func (o *onScreen) Update(msg tea.Msg) (tea.Model, tea.Cmd) {
	if _, resized := msg.(tea.WindowSizeMsg); resized {
		o.anew = true
	}
	_, cmd := o.App.Update(msg)
	return o, cmd
}

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
