package share

import (
	"context"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"strings"
	"time"

	tea "charm.land/bubbletea/v2"

	"tonne/api/session"
	"tonne/api/worker"
	"tonne/model/file/store"
	"tonne/ui"
	"tonne/ui/cli/command"
	"tonne/ui/cli/dashboard"
	"tonne/ui/cli/sshd"
	"tonne/ui/cli/terminal"
	"tonne/ui/style"
)

func (s *server) serve(ctx context.Context, of *sshd.Session) (status int) {
	switch {
	case of.Command != "":
	case of.Person.CommandsOnly:
		return refuse(of, command.StatusUsage, "Your key may only run commands here, such as `ssh DESK market -o csv`.")
	case of.Terminal == nil:
		return refuse(of, command.StatusUsage,
			"The dashboard needs a terminal: leave out -T, or give a command, such as `market -o csv`.")
	case of.Terminal.InvalidType:
		return refuse(of, command.StatusUsage,
			fmt.Sprintf("The dashboard needs a terminal, but TERM is %q, which is not a terminal type: set TERM, or give a "+
				"command, such as `market`.", of.Terminal.Type))
	case of.Terminal.Type == "dumb":
		return refuse(of, command.StatusUsage,
			"The dashboard cannot run on a terminal of type dumb: set TERM, or give a command, such as `market`.")
	}
	own, err := s.storeOf(of.Person)
	if err != nil {
		s.log.Error("a store cannot be used", "person", of.Person.Name, "error", err)
		return refuse(of, command.StatusFailed, "The desk cannot save your ledger. Ask its operator: the log has the reason.")
	}
	defer own.Close()
	if of.Command != "" {
		return s.command(ctx, of, own)
	}
	shared, err := s.openFor(of.Person)
	if err != nil {
		return refuse(of, command.StatusFailed, "The desk cannot be opened. Ask its operator: the log has the reason.")
	}
	return s.dashboard(ctx, of, shared, own)
}

func refuse(s *sshd.Session, status int, why string) int {
	_, _ = io.WriteString(s.Err, fitted(why, s.Terminal)+"\n")
	return status
}

func fitted(text string, t *sshd.Terminal) string {
	if t == nil {
		return text
	}
	width, _ := t.Size()
	lines := strings.Split(text, "\n")
	for i, line := range lines {
		if style.Width(line) > width {
			lines[i] = strings.Join(style.Wrap(line, width), "\n")
		}
	}
	return strings.Join(lines, "\n")
}

func (s *server) dashboard(ctx context.Context, of *sshd.Session, shared *sharedSession,
	own *store.Store) (status int) {
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	work := shared.Join(of.Person.ID, of.Person.Name, own)
	ended := worker.Start(func() error { return work.Run(ctx) })
	o := remoteOptions(of, shared, own)
	o.Feed = work
	err := ui.Run(ctx, o)
	cancel(nil)
	if err := ended(); err != nil {
		s.log.Error("a session did not end well", "person", of.Person.Name, "error", err)
	}
	_, _ = io.WriteString(of.Out, terminal.Leave)
	return s.reportEnd(of, err)
}

func remoteOptions(of *sshd.Session, shared *sharedSession, own *store.Store) ui.Options {
	o := (&dashboard.Dashboard{App: shared.App}).Options(shared.settings.File)
	o.WithFlags = nil
	o.Host, o.Label, o.Alarm = shared.client.Origin(), shared.settings.Label(), shared.settings.Production() != ""
	o.KeyFrom, o.Theme, o.Who = "", "", of.Person.Name
	width, height := of.Terminal.Size()
	o.Remote = &ui.Remote{ID: of.Person.ID, Environ: of.Environ, Width: width, Height: height,
		Fleeting: of.Person.ReadOnly, Lag: rand.N(time.Second), Watch: watch(of)}
	o.Input, o.Output = of.In, of.Out
	o.Purchases = dashboard.Purchases(shared.App, string(shared.settings.BaseURL), own)
	o.Purchases.Explain = nil
	o.Past = dashboard.Past(shared.App.Record().Of(string(shared.settings.BaseURL)))
	return o
}

func watch(s *sshd.Session) func(context.Context, func(tea.Msg)) {
	return func(ctx context.Context, send func(tea.Msg)) {
		for {
			select {
			case <-ctx.Done():
				return
			case <-s.Terminal.Resized():
				width, height := s.Terminal.Size()
				send(tea.WindowSizeMsg{Width: width, Height: height})
			case w := <-s.Warnings:
				text := "This session is idle and will end soon. Press any key to keep it."
				send(ui.Notice{Text: text, Until: w.Until, Holds: w.Valid})
			}
		}
	}
}

// farewells explain why the server ended a session.
var farewells = map[error]string{
	sshd.ErrIdle:    "This session was idle and has ended. Log in again to continue.",
	sshd.ErrFlooded: "This session has ended because it sent too much input.",
	sshd.ErrRemoved: "Your key was removed or its options changed. Log in again, or ask the operator of the desk.",
	sshd.ErrExpired: "Your key has expired. Ask the operator of the desk to extend it.",
	sshd.ErrClosing: "The operator closed the desk. Try again later.",
}

func farewell(cause error) string {
	for known, text := range farewells {
		if errors.Is(cause, known) {
			return text
		}
	}
	return ""
}

func (s *server) reportEnd(of *sshd.Session, err error) (status int) {
	text := farewell(err)
	broke, panicked := errors.AsType[*session.PanicError](err)
	switch {
	case err == nil, errors.Is(err, context.Canceled):
		return command.StatusDone
	case errors.Is(err, ui.ErrInterrupted):
		return command.StatusInterrupted
	case errors.Is(err, sshd.ErrDisconnected), errors.Is(err, sshd.ErrStalled):
		return command.StatusFailed
	case text != "":
		_, _ = fmt.Fprintln(of.Out, fitted(text, of.Terminal))
		return command.StatusFailed
	case panicked:
		s.log.Error("panic", "what", broke.Value, "stack", broke.Stack)
	default:
		s.log.Error("a dashboard broke", "person", of.Person.Name, "error", err)
	}
	_, _ = fmt.Fprintln(of.Out,
		fitted("The desk stopped because of an internal error. Log in again, and report it to the operator.", of.Terminal))
	return command.StatusFailed
}
