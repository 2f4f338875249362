// Package journal reads the journal of retirements for the commands, and turns its errors into advice. It sends
// nothing. Start reading at Entries.
package journal

import (
	"context"
	"errors"
	"path/filepath"

	"tonne/api"
	"tonne/api/retire"
	"tonne/api/wire"
	"tonne/model/advice"
	"tonne/model/retirement"
	"tonne/ui/cli/command"
	"tonne/ui/cli/terminal"
)

// Account returns the account in the journal that the settings select.
func Account(s *command.Settings) retire.Account {
	return retire.NewAccount(string(s.BaseURL), s.ProfileName, s.Key)
}

// Path returns the path of the journal.
func Path(a *command.App) string { return filepath.Join(a.DataDir(), "journal.db") }

// Failure explains why the journal cannot be opened.
func Failure(err error) error {
	if _, known := errors.AsType[*retire.Problem](err); err == nil || known {
		return Unsent(err)
	}
	return command.Failed("nothing is sent without the journal; make the file usable again", "%w", err)
}

// Calls reads calls of the journal. It does not create a missing journal.
func Calls(ctx context.Context, a *command.App, account retire.Account, q retire.Query) ([]retire.Call, error) {
	w := &retire.Workflow{Path: Path(a), Account: account, ReadOnly: a.Agent != nil}
	calls, err := w.Calls(ctx, q)
	return calls, errors.Join(Failure(err), w.Close(terminal.Patience))
}

// Unsent explains an error of the workflow, after which nothing more is sent.
func Unsent(err error) error {
	problem, ok := errors.AsType[*retire.Problem](err)
	switch {
	case api.KindOf(err) == api.Incomplete:
		return command.Incomplete("%v; nothing was sent", err)
	case !ok:
		return err
	}
	f := &command.Failure{Todo: problem.Todo, Status: command.StatusFailed, Code: problem.Code, Cause: err}
	switch problem.Code {
	case retire.ErrMoved.Code:
		f.Status = command.StatusNotFound
	case retire.ErrUnsettled.Code, "outcome_unknown", retire.ErrBookUnread.Code, retire.ErrElsewhere.Code:
		f.Status = command.StatusUnreachable
	}
	what := err.Error() + "; nothing more was sent"
	if f.Status != command.StatusFailed && problem.Code != retire.ErrElsewhere.Code {
		what = err.Error() + "; nothing was sent"
	}
	if f.What = advice.Plain(what); problem.Passes {
		f.Again = advice.Plain("run this again")
	}
	return f
}

// DoneOf returns the done calls in the form that evidence uses.
func DoneOf(calls []retire.Call) (entries []retirement.JournalEntry) {
	for _, c := range calls {
		if c.State != retire.Done {
			continue
		}
		plan := c.Plan
		plan.VintageID, plan.SellOrderID = wire.Clean(plan.VintageID), wire.Clean(plan.SellOrderID)
		entries = append(entries, retirement.JournalEntry{
			Account: c.Profile, ExternalID: c.ExternalID, Batch: wire.Clean(c.Batch), Reference: c.Reference, Call: plan,
			Body:   c.Body,
			MadeBy: wire.Clean(c.MadeBy), MadeAt: c.MadeAt, SentAt: c.SentAt, AnsweredAt: c.AnsweredAt,
			State: string(c.State), Tries: c.Tries,
			RequestID: wire.Clean(c.RequestID), Remark: wire.Clean(c.Remark().String()),
		})
	}
	return entries
}

// Entries returns a function that reads the done calls to a service. For a guest it returns
// none, because the journal belongs to the users of the machine.
func Entries(a *command.App, origin string) func(context.Context) ([]retirement.JournalEntry, error) {
	return func(ctx context.Context) ([]retirement.JournalEntry, error) {
		if a.Guest != nil {
			return nil, nil
		}
		calls, err := Calls(ctx, a, retire.Account{Origin: origin}, retire.OfService)
		return DoneOf(calls), err
	}
}

// CountEntries returns a function that counts what Entries reads.
func CountEntries(a *command.App, origin string) func(context.Context) (int64, error) {
	return func(ctx context.Context) (int64, error) {
		if a.Guest != nil {
			return 0, nil
		}
		w := &retire.Workflow{Path: Path(a), Account: retire.Account{Origin: origin}, ReadOnly: a.Agent != nil}
		n, err := w.CountDone(ctx)
		return n, errors.Join(Failure(err), w.Close(terminal.Patience))
	}
}
