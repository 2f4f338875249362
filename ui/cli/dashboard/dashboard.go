// Package dashboard opens the dashboard for `tonne`, `tonne demo` and `tonne share`. It
// creates the client, the session and, if retiring is allowed, the workflow that retires.
// It also contains the first run and the plain-text tabs. The screens are in package ui.
// Start reading at Dashboard.
package dashboard

import (
	"context"
	"errors"
	"os"
	"os/exec"
	"runtime"
	"runtime/debug"
	"strings"

	tea "charm.land/bubbletea/v2"
	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"tonne/api"
	"tonne/api/retire"
	"tonne/api/session"
	"tonne/api/worker"
	"tonne/model"
	"tonne/model/advice"
	"tonne/model/market"
	"tonne/ui"
	"tonne/ui/cli/command"
	"tonne/ui/cli/config"
	"tonne/ui/cli/credentials"
	"tonne/ui/cli/filing"
	"tonne/ui/cli/journal"
	"tonne/ui/cli/retiring"
	"tonne/ui/cli/terminal"
)

// Dashboard opens the dashboard, or prints a tab of it as lines.
type Dashboard struct {
	App *command.App
	// plain prints the tab as lines instead of the dashboard.
	plain bool
	tab   string
	// AllowRetire is the flag --allow-retire, or nil for a command without it.
	AllowRetire *pflag.Flag
}

// Flags adds the flags of commands that open the dashboard.
func (d *Dashboard) Flags(cmd *cobra.Command) {
	d.App.SettingFlags(cmd, "theme", "mouse", "motion")
	cmd.Flags().BoolVar(&d.plain, "plain", false,
		"print one tab as plain lines, one fact per line (for screen readers), then exit")
	cmd.Flags().StringVar(&d.tab, "tab", ui.Tabs[0].Name, "tab that --plain prints, `"+strings.Join(TabNames(), "|")+"`")
}

// Run opens the dashboard, or begins the first run if no marketplace is configured.
func (d *Dashboard) Run(ctx context.Context, cmd *cobra.Command, _ []string) error {
	d.AllowRetire = cmd.Flag("allow-retire")
	if err := d.CheckTab(); err != nil {
		return err
	}
	s, err := d.App.Settings()
	if err == nil {
		err = d.App.FindKey(s)
	}
	switch {
	case errors.Is(err, command.ErrNotConfigured) || errors.Is(err, credentials.ErrNone):
		return d.firstRun(ctx, cmd, s)
	case err != nil:
		return err
	case d.InText():
		return d.PrintTab(ctx, cmd)
	}
	return d.open(ctx, s)
}

func (d *Dashboard) open(ctx context.Context, s *command.Settings) error {
	if err := d.NeedTerminal(advice.Format("print data with %s, %s or %s, or a tab as plain lines with %s",
		advice.Tonne("market"), advice.Tonne("inventory"), advice.Tonne("retirement"), advice.Tonne("--plain"))); err != nil {
		return err
	}
	first := &account{Dashboard: d, settings: s}
	now := first
	for {
		err := now.show(ctx, first)
		switched, ok := err.(*ui.Switched)
		if !ok {
			return err
		}
		now = switched.To.(*account)
		// Errors at the end of the program are about the account in use.
		d.App.Key, d.App.Production = now.App.Key, now.App.Production
	}
}

// account is the dashboard of one profile.
type account struct {
	*Dashboard
	settings *command.Settings
	greeting string
}

// show draws the dashboard until the user quits or switches the profile, and then closes it. first is
// the account that flags and environment select.
func (d *account) show(ctx context.Context, first *account) error {
	s := d.settings
	client, err := d.App.NewClient(s, 0)
	if err != nil {
		return err
	}
	defer client.Close()
	local := d.App.OpenStore()
	defer local.Close()
	o := d.Options(first.settings.File)
	o.Host, o.Label, o.Alarm = client.Origin(), s.Label(), s.Production() != ""
	o.Account = s.StatementAccount()
	o.KeyFrom = d.App.KeySource.Brief(d.App.Getenv("HOME"))
	o.Greeting = d.greeting
	first.offerProfiles(&o, s)
	leave, err := d.LetRetire(&o, s)
	if err != nil {
		return err
	}
	defer leave()
	of := session.Options{Origin: string(s.BaseURL), Account: s.BookAccount(), KeyMark: journal.Account(s).KeyMark,
		Store: local}
	of.Journal = journal.Entries(d.App, of.Origin)
	return d.Show(ctx, client, of, o)
}

// Options returns the options that the flags and the configuration choose.
func (d *Dashboard) Options(file *config.File) ui.Options {
	set := func(name string) string {
		text, _ := d.App.Value(name, file, "")
		return text
	}
	o := ui.Options{
		Theme: set("theme"), NoMouse: set("mouse") == "false", NoMotion: set("motion") == "false",
		Browse: browse, Getenv: d.App.Getenv, Now: d.App.Now, Remap: file.Keys,
		WithFlags: d.App.Advice,
	}
	o.CertificateDir = set("certificates")
	o.Safe = func(raw string) (string, error) {
		u, err := api.CheckURL(raw)
		if err != nil {
			return "", err
		}
		return u.Host, nil
	}
	return o
}

// NeedTerminal returns an error with advice if standard output is not a terminal.
func (d *Dashboard) NeedTerminal(todo advice.Text) error {
	if !terminal.IsTerminal(d.App.Stdout) {
		return command.Usage(todo, "the dashboard needs a terminal, and standard output is not a terminal")
	}
	return nil
}

// Show draws the dashboard of a session until the user leaves it.
func (d *Dashboard) Show(ctx context.Context, client *api.Client, of session.Options, o ui.Options) error {
	screen, done := d.App.Terminal.Draw(os.Stdout)
	defer done()
	defer HideStderr(d.App)()
	if d.App.File != nil {
		// The screen would hide the runtime's report of a fatal error.
		_ = debug.SetCrashOutput(d.App.File, debug.CrashOptions{})
		defer func() { _ = debug.SetCrashOutput(nil, debug.CrashOptions{}) }()
	}
	ctx, cancel := context.WithCancel(ctx)
	of.Log, of.Portfolio = d.App.Log(), true
	work := session.New(TunedCollector{Client: client}, of)
	ended := worker.Start(func() error { return work.Run(ctx) })
	o.Feed, o.Past = work, Past(d.App.Record().Of(of.Origin))
	o.Purchases = Purchases(d.App, of.Origin, of.Store)
	filing.OfferAudit(d.App, &o, client, of.Store, of.Origin, work.KeepCertificate)
	o.Output = screen
	err := terminal.HungUp(screen.File, ui.Run(ctx, o))
	cancel()
	workErr := ended()
	_, broke := errors.AsType[*session.PanicError](workErr)
	switched, ok := err.(*ui.Switched)
	switch {
	case ok && workErr == nil:
		return switched
	case ok:
		err = workErr
	case !broke:
		// The dashboard has reported a panic.
		err = errors.Join(err, workErr)
	}
	switch {
	case errors.Is(err, ui.ErrInterrupted):
		return &command.Failure{Status: command.StatusInterrupted, Silent: true}
	case errors.Is(err, ui.ErrKeys):
		return command.Usage(advice.Format("correct [keys] with %s", advice.Tonne("config edit")), "%s",
			strings.ReplaceAll(err.Error(), "\n", "; "))
	case errors.Is(err, tea.ErrProgramPanic):
		return d.App.Panicked(err)
	}
	return err
}

// HideStderr redirects standard error to the debug log, if any, while the screen is drawn.
// Libraries would otherwise write to the screen, such as the stack of a panic.
func HideStderr(a *command.App) (restore func()) {
	before, sink := os.Stderr, a.File
	if sink == nil {
		var err error
		if sink, err = os.OpenFile(os.DevNull, os.O_WRONLY, 0); err != nil {
			return func() {}
		}
	}
	os.Stderr = sink
	return func() { os.Stderr = before }
}

// deskPatience limits the wait for a call in flight at the end of a dashboard.
const deskPatience = terminal.Patience / 2

// LetRetire gives the dashboard a workflow if retiring is allowed. Otherwise it creates no
// client that may retire. leave closes the workflow.
func (d *Dashboard) LetRetire(o *ui.Options, s *command.Settings) (leave func(), err error) {
	allowed := s.Profile.AllowRetire
	if given := d.AllowRetire; given != nil && given.Changed {
		allowed = given.Value.String() == "true"
	}
	flow := retiring.Workflow(d.App, s)
	if !allowed {
		o.Unfinished = func(ctx context.Context) (int, error) {
			// The journal may be another file by now.
			read := retiring.Workflow(d.App, s)
			calls, err := read.Unsettled(ctx)
			return len(retire.NotKnown(calls)), errors.Join(journal.Failure(err), read.Close(deskPatience))
		}
		return func() {}, nil
	}
	client, err := retiring.ClientThatRetires(d.App.ClientOptions(s, command.Retries))
	if err != nil {
		return nil, err
	}
	flow.Client = client
	o.Retire = flow
	return func() { LeaveDesk(flow, client) }, nil
}

// LeaveDesk closes a workflow. A call that does not finish in time is in the same state as
// after a crash.
func LeaveDesk(flow *retire.Workflow, client *api.Retirer) {
	_ = flow.Close(deskPatience)
	client.Close()
}

func browse(ctx context.Context, raw string) error {
	u, err := api.CheckURL(raw)
	if err != nil {
		return err
	}
	// The opener receives the parsed URL and never the text. It begins with
	// http, so that no program interprets it as an option.
	opener := map[string][]string{"darwin": {"open"}, "windows": {"rundll32", "url.dll,FileProtocolHandler"}}[runtime.GOOS]
	if opener == nil {
		opener = []string{"xdg-open"}
	}
	return exec.CommandContext(ctx, opener[0], append(opener[1:], u.String())...).Run()
}

// TunedCollector is a client that runs the garbage collector more often if the market is large.
// A market is cheap to scan, and 100 % garbage would be hundreds of megabytes.
type TunedCollector struct{ session.Client }

// The number of sell orders of a large market, and its GOGC value in per cent. At 100,000 orders
// the slowest key took twice as long during polls with more frequent collections.
const (
	largeMarket  = 250_000
	largeGarbage = 30
)

// Market reads the whole market.
func (t TunedCollector) Market(ctx context.Context, perPage int, each func(*market.Page, model.Page)) (*market.Market,
	error) {
	m, err := t.Client.Market(ctx, perPage, each)
	if m != nil && m.Orders() >= largeMarket {
		debug.SetGCPercent(largeGarbage)
	}
	return m, err
}
