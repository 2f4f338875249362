// Package retiring is the journal of retirements as commands see it: where it is, whose
// calls it shows, what its failures mean. Only here is a client made that may retire.
package retiring

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"slices"

	"tonne/api"
	"tonne/api/retire"
	"tonne/model"
	"tonne/ui/cli/command"
	"tonne/ui/cli/terminal"
)

// ClientThatRetires returns a client that may retire. No other client may.
func ClientThatRetires(o api.Options) (*api.Client, error) {
	o.MayRetire = true
	return api.New(o)
}

// Account returns the account in the journal that the settings select.
func Account(a *command.App, s *command.Settings) retire.Account {
	return retire.NewAccount(string(s.BaseURL), s.ProfileName, s.Key)
}

// Workflow returns the workflow of the account that the settings select. Its journal is
// not open yet.
func Workflow(a *command.App, s *command.Settings) *retire.Workflow {
	return &retire.Workflow{Path: Path(a), Account: Account(a, s), By: a.MadeBy(), Now: a.Now}
}

// Open returns the workflow of an account with its journal open, and warns of calls that
// no flag selects. The error says what to do.
func Open(ctx context.Context, a *command.App, s *command.Settings) (*retire.Workflow, error) {
	w := Workflow(a, s)
	if err := Failure(a, w.Open(ctx)); err != nil {
		return nil, err
	}
	warnOfStranded(ctx, a, w, s)
	return w, nil
}

// warnOfStranded warns of calls to this address that are not settled and belong
// to an account that no flag selects: that of a profile with another address, or
// of no profile although one profile has the address.
func warnOfStranded(ctx context.Context, a *command.App, w *retire.Workflow, s *command.Settings) {
	warn := func(profile, of, with string) {
		calls, err := w.Calls(ctx, retire.UnsettledOf(retire.NewAccount(string(s.BaseURL), profile, "")))
		calls = slices.DeleteFunc(calls, func(c retire.Call) bool { return s.Key != "" && c.KeyMark == w.Account.KeyMark })
		if err == nil && len(calls) > 0 {
			a.Warn("not settled, and not seen here with this key: %s to %s made %s; use the key that made them, or add --config with a file in which %s",
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
func Failure(a *command.App, err error) error {
	switch {
	case err == nil:
		return nil
	case errors.Is(err, retire.ErrEmptied):
		return Unsent(a, err)
	case errors.Is(err, retire.ErrLocked):
		return command.Failed("nothing is sent without it; close the program that has it open, then run this again", "%w", err)
	}
	return command.Failed("nothing is sent without it; make the file usable again", "%w", err)
}

// Calls reads calls of the journal. If there is none, none is made.
func Calls(ctx context.Context, a *command.App, account retire.Account, q retire.Query) ([]retire.Call, error) {
	w := &retire.Workflow{Path: Path(a), Account: account}
	calls, err := w.Calls(ctx, q)
	return calls, errors.Join(Failure(a, err), w.Close(terminal.Patience))
}

// Unsent explains an error of the workflow, after which nothing more is sent.
func Unsent(a *command.App, err error) error {
	const runThis = "run this again"
	again := func(todo, format string, args ...any) error {
		return &command.Failure{What: fmt.Sprintf(format, args...), Todo: todo, Again: runThis, Status: command.StatusFailed, Cause: err}
	}
	switch {
	case errors.Is(err, retire.ErrHeld), errors.Is(err, retire.ErrEnded), errors.Is(err, retire.ErrOtherBody):
		return again("let it end, and see with `tonne retire pending` and `tonne ledger` what became of it", "another program retires the same at this moment: %v", err)
	case errors.Is(err, retire.ErrUnsettled):
		return command.Failed("run `tonne retire resume`; for a second retirement give another --reference", "%w; nothing was sent", err)
	case errors.Is(err, retire.ErrNotSent):
		return command.Failed("look at the id once more: `tonne retire pending` lists the calls; `--not-carried-out` or no flag settles this one", "%w, so it is in no request", err)
	case errors.Is(err, retire.ErrNoCall):
		return command.Failed("look whether this is the profile that made it, and whether "+Path(a)+" was moved away", "%w; nothing was sent", err)
	case errors.Is(err, retire.ErrOtherKey):
		return command.Failed("use the key it was made with; if the key was rotated for the same tenant, add --same-tenant", "%w; it was not sent again, nor is any after it", err)
	case errors.Is(err, retire.ErrEmptied):
		return command.Failed("restore it from a copy; without one, ask the operator of the service what was retired, then move the file and its -owners directory away", "%w; nothing was sent", err)
	case errors.Is(err, retire.ErrLocked):
		return again("close the program that has "+Path(a)+" open", "%v; the call was not sent, nor is any after it", err)
	case errors.Is(err, retire.ErrDisk):
		return &command.Failure{
			What: err.Error() + "; the call was not sent, nor is any after it", Status: command.StatusFailed, Code: "disk_full",
			Todo: "make room on the disk of " + Path(a), Again: runThis,
		}
	}
	return err
}
