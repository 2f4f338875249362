// Package retiring opens the journal of retirements for the commands that retire. It is the only package that
// creates a client that may retire. Start reading at Open.
package retiring

import (
	"cmp"
	"context"
	"slices"

	"tonne/api"
	"tonne/api/retire"
	"tonne/model"
	"tonne/ui/cli/command"
	"tonne/ui/cli/journal"
)

// ClientThatRetires returns a client that may retire. No other package makes one.
func ClientThatRetires(o api.Options) (*api.Retirer, error) { return api.NewRetirer(o) }

// Workflow returns the workflow of the account that the settings select. It is not open.
func Workflow(a *command.App, s *command.Settings) *retire.Workflow {
	return &retire.Workflow{Path: journal.Path(a), Account: journal.Account(s),
		Ledger: referenceLedger{a, string(s.BaseURL)}, By: a.MadeBy(), Now: a.Now}
}

// Open returns an open workflow, and warns of calls that no flag selects.
func Open(ctx context.Context, a *command.App, s *command.Settings) (*retire.Workflow, error) {
	w := Workflow(a, s)
	if err := journal.Failure(w.Open(ctx)); err != nil {
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
