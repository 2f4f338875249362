package ui

import (
	"context"
	"errors"
	"fmt"
	"io"
	"strconv"
	"strings"
	"sync"
	"time"

	tea "charm.land/bubbletea/v2"
	"github.com/charmbracelet/colorprofile"
	uv "github.com/charmbracelet/ultraviolet"

	"tonne/api/session"
	"tonne/ui/screen"
	"tonne/ui/suspend"
)

// Remote is the terminal of a remote user. The dashboard ends at the end of Options.Input.
type Remote struct {
	// ID identifies the user among those of the desk.
	ID string
	// Environ is the environment of the terminal as NAME=value, at least TERM.
	Environ []string
	// Width and Height are the size of the terminal in cells.
	Width, Height int
	// Fleeting reports whether edits by the user are discarded at the end of the session.
	Fleeting bool
	// Lag, less than a second, delays updates of ages, so that not all terminals are drawn at once.
	Lag time.Duration
	// Watch, if not nil, sends a tea.WindowSizeMsg for each resize, and Notices, until ctx ends.
	Watch func(ctx context.Context, send func(tea.Msg))
}

// Notice is a message from the operator to a user.
type Notice struct {
	Text string
	// Until is when the message disappears, or zero for the usual time. Holds, if not nil, reports whether it is true.
	Until time.Time
	Holds func() bool
}

const remoteFPS = 20

func (r *Remote) run(ctx context.Context, app *App, input io.Reader, options []tea.ProgramOption) error {
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	guard := func(work func()) {
		defer func() {
			if broke := recover(); broke != nil {
				cancel(session.Recovered(broke))
			}
		}()
		work()
	}
	colours := colorprofile.Env(r.Environ)
	shown := screen.New(app.o.Output, colours, time.Second/remoteFPS)
	app.drawn = shown.Show
	if app.background.Auto {
		// The library does not query the background colour without an input.
		shown.Send("\x1b]11;?\a")
	}
	// The library's renderer needs a megabyte per terminal for three copies of the screen,
	// compares them cell by cell, and wakes up at every tick. So the program runs without the
	// renderer and the input reader; package screen draws instead.
	p := tea.NewProgram(app,
		append(options, tea.WithoutRenderer(), tea.WithFPS(1), tea.WithInput(nil), tea.WithOutput(io.Discard),
			tea.WithFilter(toScreen(shown)), tea.WithContext(ctx), tea.WithEnvironment(r.Environ),
			tea.WithColorProfile(colours))...)
	var drawing sync.WaitGroup
	defer drawing.Wait()
	defer cancel(nil)
	// A disconnected terminal also ends the input.
	drawing.Go(func() { guard(func() { _ = shown.Run(ctx) }) })
	go guard(func() {
		// The library may send an initial size after a later one.
		p.Send(tea.WindowSizeMsg{Width: r.Width, Height: r.Height})
		if r.Watch != nil {
			r.Watch(ctx, p.Send)
		}
	})
	go guard(func() {
		(&keys{send: p.Send}).stream(input, guard)
		p.Quit()
	})
	_, err := p.Run()
	if broke, ok := errors.AsType[*session.PanicError](context.Cause(ctx)); ok {
		return broke
	}
	return err
}

func toScreen(s *screen.Screen) func(tea.Model, tea.Msg) tea.Msg {
	return func(_ tea.Model, msg tea.Msg) tea.Msg {
		switch raw := msg.(type) {
		case tea.RawMsg:
			s.Send(fmt.Sprint(raw.Msg))
			return nil
		case tea.WindowSizeMsg:
			if raw.Width == 0 {
				return nil // The library knows no size.
			}
			s.Clear()
		}
		return msg
	}
}

var errElsewhere = errors.New("a shared desk cannot read or write files")

// instead has the replacement for each binding that needs local files, by name.
var instead = map[string]string{
	"market.export":          "ssh DESK market -o csv",
	"market.basketexport":    "ssh DESK basket --tonnes N -o csv",
	"inventory.export":       "ssh DESK inventory -o csv",
	"retirement.statement":   "ssh DESK statement --fiscal-year YEAR -o csv",
	"retirement.evidence":    "ssh DESK retirement ID --evidence - -o csv",
	"retirement.evidenceall": "ssh DESK retirement ID... --evidence - -o csv",
	"retirement.import":      "ssh DESK retirement --file - < FILE",
	"retirement.download":    "o shows the address of the certificate",
	"retirement.downloadto":  "o shows the address of the certificate",
	"retirement.preview":     "o shows the address of the certificate",
}

func (a *App) whyElsewhere(name string) string {
	year := strconv.Itoa(a.o.Now().In(a.o.Location).Year())
	return "A shared desk has no files: " + strings.Replace(instead[name], "YEAR", year, 1)
}

func (o Options) withoutMachine() Options {
	o.Getenv = uv.Environ(o.Remote.Environ).Getenv
	o.CertificateDir, o.WriteEvidence, o.ReadCertificate, o.Browse, o.Retire, o.Prepare = "", nil, nil, nil, nil, nil
	o.Files = noFiles{}
	return o
}

// noFiles denies remote users access to files.
type noFiles struct{}

func (noFiles) Downloads() string                  { return "" }
func (noFiles) Expand(string) (string, error)      { return "", errElsewhere }
func (noFiles) Read(string, int64) ([]byte, error) { return nil, errElsewhere }
func (noFiles) Create(string, []byte) error        { return errElsewhere }
func (noFiles) SHA256(string) (string, error)      { return "", errElsewhere }

func (a *App) suspend() tea.Cmd {
	if a.o.Remote == nil {
		return suspend.Suspend
	}
	a.say("There is no shell here. Enter ~ Ctrl-z suspends ssh.")
	return nil
}
