package retire

import (
	"context"
	"fmt"
	"io"

	"tonne/api/audit"
	"tonne/api/retire"
	"tonne/model/atomicfile"
	"tonne/model/retirement"
	"tonne/ui/cli/command"
	"tonne/ui/cli/filing"
	"tonne/ui/cli/retiring"
)

// follow finds out by the ledger where the grams of fractions stand that moved on.
func (r *purchase) follow(ctx context.Context) {
	local, account := r.app.OpenStore(), r.send.flow.Account
	defer local.Close()
	ledger, err := filing.NewAuditor(r.app, nil, local, account.Origin).Ledger(context.WithoutCancel(ctx))
	if err != nil {
		r.app.Log().Warn("the fractions were not followed", "error", err)
		return
	}
	r.followed = make(map[string]retirement.JournalEntry)
	for _, of := range ledger.Calls {
		for _, e := range of {
			if e.Account == account.Profile {
				r.followed[e.ExternalID] = e
			}
		}
	}
}

func (r *purchase) writeFiles(ctx context.Context, results []*retire.Call) error {
	if err := atomicfile.Write(r.o.results, 0o600, func(w io.Writer) error { return writeResults(w, results) }); err != nil {
		return err
	}
	calls, err := r.send.flow.Calls(ctx, retire.OfBatch(r.sub.Batch))
	if err != nil || len(calls) == 0 {
		return err
	}
	var entries []retirement.JournalEntry
	for _, c := range calls {
		entry, stands := retiring.EntryOf(c), r.followed[c.ExternalID]
		entry.Parts, entry.Unclear = stands.Parts, stands.Unclear
		entries = append(entries, entry)
	}
	path := audit.JournalPath(r.o.results)
	source := filing.EvidenceSource(r.app, r.send.flow.Account.Origin, false)
	if err := audit.WriteBatch(path, source, r.sub.Batch, r.batchHash, entries); err != nil {
		return fmt.Errorf("the evidence was not written: %w", err)
	}
	r.app.Note(command.Notice{Code: command.SavedCode, Message: fmt.Sprintf("the results are in %s, their evidence in %s", r.o.results, path)})
	return nil
}
