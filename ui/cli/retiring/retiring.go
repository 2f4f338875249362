// Package retiring opens the journal of retirements for the commands: it selects the file
// and the account and turns errors into advice. It is the only package that creates a
// client that may retire. Start reading at Open.
package retiring

import (
	"cmp"
	"context"
	"errors"
	"path/filepath"
	"slices"

	"tonne/api"
	"tonne/api/retire"
	"tonne/api/wire"
	"tonne/model"
	"tonne/model/advice"
	"tonne/model/retirement"
	"tonne/ui/cli/command"
	"tonne/ui/cli/terminal"
)

// ClientThatRetires returns a client that may retire. No other client may.
func ClientThatRetires(o api.Options) (*api.Client, error) {
	o.MayRetire = true
	return api.New(o)
}

// Account returns the account in the journal that the settings select.
func Account(s *command.Settings) retire.Account {
	return retire.NewAccount(string(s.BaseURL), s.ProfileName, s.Key)
}

// Workflow returns the workflow of the account that the settings select. It is not open.
func Workflow(a *command.App, s *command.Settings) *retire.Workflow {
	return &retire.Workflow{Path: Path(a), Account: Account(s), Ledger: referenceLedger{a, string(s.BaseURL)},
		By: a.MadeBy(), Now: a.Now}
}

// Open returns an open workflow, and warns of calls that no flag selects.
func Open(ctx context.Context, a *command.App, s *command.Settings) (*retire.Workflow, error) {
	w := Workflow(a, s)
	if err := Failure(w.Open(ctx)); err != nil {
		return nil, err
	}
	warnOfStranded(ctx, a, w, s)
	return w, nil
}

// warnOfStranded warns of unsettled calls to this address of accounts that no flag
// selects: of a profile that now has another address, or of no profile although one
// profile has the address.
func warnOfStranded(ctx context.Context, a *command.App, w *retire.Workflow, s *command.Settings) {
	warn := func(profile, of, with string) {
		calls, err := w.Calls(ctx, retire.UnsettledOf(retire.NewAccount(string(s.BaseURL), profile, "")))
		calls = slices.DeleteFunc(calls, func(c retire.Call) bool { return s.Key != "" && c.KeyMark == w.Account.KeyMark })
		if err == nil && len(calls) > 0 {
			a.Warn("unsettled and not visible with this key: %s to %s made %s; use the key that made them, or add --config "+
				"with a file in which %s",
				model.Count(len(calls), "call", "calls"), s.BaseURL, of, with)
		}
	}
	if s.Displaced != "" {
		warn(s.Displaced, "with the profile "+s.Displaced, "that profile has this address")
	}
	if len(s.File.At(s.BaseURL)) == 1 {
		warn("", "without a profile", "no profile has this address")
	}
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
	w := &retire.Workflow{Path: Path(a), Account: account}
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
			MadeBy: wire.Clean(c.MadeBy), MadeAt: c.MadeAt, State: string(c.State), Tries: c.Tries,
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
		w := &retire.Workflow{Path: Path(a), Account: retire.Account{Origin: origin}}
		n, err := w.CountDone(ctx)
		return n, errors.Join(Failure(err), w.Close(terminal.Patience))
	}
}

// referenceLedger is the ledger of this machine as retiring uses it.
type referenceLedger struct {
	app    *command.App
	origin string
}

// WithReference searches the ledger. If it cannot be read, WithReference only warns, because
// the ids of the calls still prevent a second retirement.
func (l referenceLedger) WithReference(ctx context.Context, reference string) ([]string, error) {
	local := l.app.OpenStore()
	defer local.Close()
	ids, err := local.Of(l.origin).Ledger.WithReference(ctx, reference)
	if err == nil {
		err = local.Problem()
	}
	if err != nil && ctx.Err() == nil {
		l.app.Log().Warn("the ledger was not searched for the reference", "error", err)
		return nil, nil
	}
	return ids, err
}

// Remember enters requests in the order in which they were made, with their references.
func (l referenceLedger) Remember(ctx context.Context, ids []string, references map[string][]string) error {
	local := l.app.OpenStore()
	defer local.Close()
	ledger := local.Of(l.origin).Ledger
	return cmp.Or(ledger.Remember(ctx, l.app.Now(), ids...), ledger.KeepReferences(ctx, references), local.Problem())
}
