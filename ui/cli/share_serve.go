package cli

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
	"tonne/ui"
	"tonne/ui/cli/sshd"
	"tonne/ui/style"
)

func (d *desks) serve(ctx context.Context, s *sshd.Session) (status int) {
	if text := farewell(context.Cause(ctx)); text != "" {
		return refuse(s, statusFailed, text)
	}
	switch {
	case s.Command != "":
		return d.command(ctx, s)
	case s.Person.CommandsAlone:
		return refuse(s, statusUsage, "Your key gets no terminal here, but commands alone, such as `ssh DESK market -o csv`.")
	case s.Terminal == nil:
		return refuse(s, statusUsage, "The dashboard needs a terminal: leave out -T, or give a command, such as `market -o csv`.")
	case s.Terminal.Nameless:
		return refuse(s, statusUsage, fmt.Sprintf("The dashboard needs a terminal, and TERM is %q, which is no name of one: set TERM, or give a command, such as `market`.", s.Terminal.Type))
	case s.Terminal.Type == "dumb":
		return refuse(s, statusUsage, "The dashboard needs a terminal that can do more than one of the type dumb: set TERM, or give a command, such as `market`.")
	}
	desk, err := d.deskOf(s.Person)
	if err != nil {
		return refuse(s, statusFailed, "The desk cannot be opened. Whoever runs it finds the reason in its log.")
	}
	return d.dashboard(ctx, s, desk)
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

func (d *desks) dashboard(ctx context.Context, s *sshd.Session, desk *openDesk) (status int) {
	own, err := d.storeOf(s.Person)
	if err != nil {
		d.log.Error("a store cannot be used", "person", s.Person.Name, "error", err)
		return refuse(s, statusFailed, "The desk cannot keep your ledger. Whoever runs it finds the reason in its log.")
	}
	defer own.Close()
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	work := desk.Join(s.Person.Name, own)
	ended := worker.Start(func() error { return work.Run(ctx) })
	o := d.remoteOptions(ctx, s, desk)
	o.Feed = &orderly{Feed: work, turns: d.turns}
	err = ui.Run(ctx, o)
	cancel(nil)
	if err := ended(); err != nil {
		d.log.Error("a session did not end well", "person", s.Person.Name, "error", err)
	}
	_, _ = io.WriteString(s.Out, leave)
	return d.ended(s, err)
}

func (d *desks) remoteOptions(ctx context.Context, s *sshd.Session, desk *openDesk) ui.Options {
	o := (&dashboardRun{app: desk.app}).options(desk.settings.file)
	o.WithFlags = nil
	o.Host, o.Label, o.Alarm = desk.client.Origin(), desk.settings.label(), desk.settings.production() != ""
	o.KeyFrom, o.Theme, o.Who = "", "", s.Person.Name
	width, height := s.Terminal.Size()
	o.Remote = &ui.Remote{Environ: s.Environ, Width: width, Height: height, Fleeting: s.Person.ReadOnly, Lag: rand.N(time.Second), Messages: messages(ctx, s)}
	o.Input, o.Output = s.In, s.Out
	return o
}

func messages(ctx context.Context, s *sshd.Session) <-chan tea.Msg {
	out := make(chan tea.Msg)
	go func() {
		for {
			var msg tea.Msg
			select {
			case <-ctx.Done():
				return
			case <-s.Terminal.Resized():
				width, height := s.Terminal.Size()
				msg = ui.Resized{Width: width, Height: height}
			case w := <-s.Warnings:
				text := "No key was pressed for long: this session is about to end. Any key keeps it."
				msg = ui.Notice{Text: text, Until: w.Until, Holds: w.Holds}
			}
			select {
			case <-ctx.Done():
				return
			case out <- msg:
			}
		}
	}()
	return out
}

// farewells are what a person is told about an end that was not theirs.
var farewells = map[error]string{
	sshd.ErrIdle:    "No key was pressed for long, so this session has ended. Log in again to go on.",
	sshd.ErrFlooded: "More came in than a person types, so this session has ended.",
	sshd.ErrRemoved: "Your key is not accepted any more, or otherwise than before. Log in again, or ask whoever runs the desk.",
	sshd.ErrExpired: "Your key has expired. Ask whoever runs the desk for more time.",
	sshd.ErrClosing: "The desk was closed by whoever runs it. Try again later.",
}

// farewell is what a person is told about an end that was not theirs; empty for
// any other.
func farewell(cause error) string {
	var full sshd.FullError
	if errors.As(cause, &full) {
		return capital(full.Error()) + ". Try again later, or end one of yours."
	}
	for known, text := range farewells {
		if errors.Is(cause, known) {
			return text
		}
	}
	return ""
}

func (d *desks) ended(s *sshd.Session, err error) (status int) {
	switch {
	case err == nil, errors.Is(err, context.Canceled):
		return statusDone
	case errors.Is(err, ui.ErrInterrupted):
		return statusInterrupted
	}
	if text := farewell(err); text != "" {
		_, _ = fmt.Fprintln(s.Out, fitted(text, s.Terminal))
		return statusFailed
	}
	if errors.Is(err, sshd.ErrGone) || errors.Is(err, sshd.ErrStalled) {
		return statusFailed
	}
	var broke *session.PanicError
	if errors.As(err, &broke) {
		d.log.Error("panic", "what", broke.Value, "stack", broke.Stack)
	} else {
		d.log.Error("a dashboard broke", "person", s.Person.Name, "error", err)
	}
	_, _ = fmt.Fprintln(s.Out, fitted("The desk came upon a mistake of its own and had to stop. Log in again, and tell whoever runs it.", s.Terminal))
	return statusFailed
}
