package cli

import (
	"context"
	"errors"
	"os"
	"strings"

	tea "charm.land/bubbletea/v2"
	"github.com/spf13/cobra"

	"tonne/api"
	"tonne/api/session"
	"tonne/api/worker"
	"tonne/ui"
	"tonne/ui/cli/config"
	"tonne/ui/cli/credentials"
	"tonne/ui/keymap"
)

type dashboardRun struct {
	*app
	// printMarket prints the market as a table.
	printMarket func(context.Context, *app, *reading) error
	// demo shows the demo to somebody who has no marketplace yet.
	demo func(context.Context, dashboardRun, *config.File) error
	// plain prints the tab that tab names as lines, in place of the dashboard.
	plain bool
	tab   string
	// allowRetire is what --allow-retire says, nil where it was not given.
	allowRetire *bool
}

func (d *dashboardRun) flags(cmd *cobra.Command) {
	d.settingFlags(cmd, "theme", "mouse", "motion")
	cmd.Flags().BoolVar(&d.plain, "plain", false, "print a tab as lines, a fact each, for a screen reader, and end")
	cmd.Flags().StringVar(&d.tab, "tab", marketTab, "what --plain prints, `market|inventory|retirements`")
}

func (d *dashboardRun) run(ctx context.Context, cmd *cobra.Command, _ []string) error {
	d.takeAllowRetire(cmd)
	if err := d.checkTab(); err != nil {
		return err
	}
	s, err := d.settings()
	if err == nil {
		err = d.findKey(s)
	}
	switch {
	case errors.Is(err, errNotConfigured) || errors.Is(err, credentials.ErrNone):
		return d.firstRun(ctx, s)
	case err != nil:
		return err
	case d.linear():
		return d.printTab(ctx)
	case d.isDumb():
		return d.printTable(ctx)
	}
	return d.open(ctx, s)
}

// open shows the dashboard on a marketplace.
func (d *dashboardRun) open(ctx context.Context, s *settings) error {
	if err := d.needTerminal("print data with `tonne market`, `tonne inventory` or `tonne retirement`, or a tab as lines with `tonne --plain`"); err != nil {
		return err
	}
	client, err := d.newClient(s, 0)
	if err != nil {
		return err
	}
	defer client.Close()
	local := d.openStore()
	defer local.Close()
	o := d.options(s.file)
	o.Host, o.Label, o.Alarm = client.Origin(), s.label(), s.production() != ""
	o.KeyFrom = briefSource(d.keySource, d.Getenv("HOME"))
	leave, err := d.letRetire(&o, s)
	if err != nil {
		return err
	}
	defer leave()
	drawn := awaitFrame(&o)
	of := session.Options{Origin: string(s.baseURL), Account: s.bookAccount(), KeyMark: d.account(s).KeyMark, Store: local}
	of.Journal = d.journalOf(of.Origin)
	return d.show(ctx, client, of, o, drawn)
}

func (d *dashboardRun) options(file *config.File) ui.Options {
	set := func(name string) string {
		text, _ := d.value(name, file, "")
		return text
	}
	o := ui.Options{
		Theme: set("theme"), NoMouse: set("mouse") == "false", NoMotion: set("motion") == "false", CertificateDir: set("certificates"),
		Browse: browse, Safe: safeHost, Getenv: d.Getenv, Now: d.Now, Remap: make(keymap.Remap),
		WithFlags: d.advice,
	}
	for name, strokes := range file.Keys {
		o.Remap[name] = strokes
	}
	return o
}

func (d *dashboardRun) needTerminal(todo string) error {
	if theme := d.app.flags["theme"]; theme != "" {
		if _, err := config.ParseTheme(theme); err != nil {
			return usage("permitted: auto, dark, light, mono", "--theme: there is no theme %q", theme)
		}
	}
	if !isTerminal(d.Stdout) {
		return usage(todo, "the dashboard needs a terminal, and standard output is none")
	}
	return nil
}

// awaitFrame returns a channel that is closed when the first frame was drawn. What
// begins earlier competes with the frame, so that it comes later.
func awaitFrame(o *ui.Options) <-chan struct{} {
	drawn := make(chan struct{})
	o.Drawn = func() { close(drawn) }
	return drawn
}

func (d *dashboardRun) show(ctx context.Context, client *api.Client, of session.Options, o ui.Options, drawn <-chan struct{}) error {
	screen, done := d.terminal.draw()
	defer done()
	defer d.hideStderr()()
	d.terminal.crash.open()
	defer d.terminal.crash.remove()
	ctx, cancel := context.WithCancel(ctx)
	of.Log = d.log()
	work := session.New(tunedCollector{client}, of)
	ended := worker.Start(func() error {
		select {
		case <-drawn:
		case <-ctx.Done():
		}
		return work.Run(ctx)
	})
	o.Feed = work
	d.offerAudit(&o, client, of.Store, of.Origin, work.KeepCertificate)
	o.Output = screen
	err := hungUp(screen.file, ui.Run(ctx, o))
	cancel()
	workErr := ended()
	if _, ok := errors.AsType[*session.PanicError](workErr); !ok {
		// The dashboard has told of a panic.
		err = errors.Join(err, workErr)
	}
	switch {
	case errors.Is(err, ui.ErrInterrupted):
		return &failure{status: statusInterrupted, silent: true}
	case errors.Is(err, ui.ErrKeys):
		return usage("correct [keys] with `tonne config edit`", "%s", strings.ReplaceAll(err.Error(), "\n", "; "))
	case errors.Is(err, tea.ErrProgramPanic):
		return d.panicked(err)
	}
	return err
}

// hideStderr sends what libraries write to standard error while the screen is
// drawn to the debug log, or nowhere: the stack of a panic, above all.
func (a *app) hideStderr() (restore func()) {
	before, sink := os.Stderr, a.file
	if sink == nil {
		var err error
		if sink, err = os.OpenFile(os.DevNull, os.O_WRONLY, 0); err != nil {
			return func() {}
		}
	}
	os.Stderr = sink
	return func() { os.Stderr = before }
}
