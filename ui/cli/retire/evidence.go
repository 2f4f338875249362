package retire

import (
	"context"
	"fmt"

	"tonne/api/audit"
	"tonne/api/retire"
	"tonne/model"
	"tonne/model/store"
	"tonne/ui/cli/command"
	"tonne/ui/cli/filing"
	"tonne/ui/cli/retiring"
)

// follow finds out where the grams of fractions stand that moved on from the
// request that they went into, by the ledger of this machine.
func (r *run) follow(ctx context.Context) {
	origin := r.flow.Account.Origin
	calls, err := r.flow.Calls(ctx, retire.OfService)
	if err == nil {
		local := r.OpenStore()
		defer local.Close()
		var entries []store.LedgerEntry
		if entries, err = local.Ledger(context.WithoutCancel(ctx), origin); err == nil {
			r.followed = make(map[string]model.JournalEntry)
			for _, of := range model.FollowCalls(retiring.DoneOf(calls), audit.Answered(entries)) {
				for _, e := range of {
					if e.Account == r.flow.Account.Profile {
						r.followed[e.ExternalID] = e
					}
				}
			}
		}
	}
	if err != nil {
		r.Log().Warn("the fractions were not followed", "error", err)
	}
}

func (r *run) writeBatchEvidence(ctx context.Context) error {
	calls, err := r.flow.Calls(ctx, retire.OfBatch(r.Batch))
	if err != nil || len(calls) == 0 {
		return err
	}
	b := audit.Batch{Name: r.Batch, SHA256: r.batchHash}
	for _, c := range calls {
		entry, stands := retiring.EntryOf(c), r.followed[c.ExternalID]
		entry.Parts, entry.Unclear = stands.Parts, stands.Unclear
		b.Calls = append(b.Calls, entry)
	}
	path := audit.JournalPath(r.results)
	if err := audit.WriteBatch(path, filing.EvidenceSource(r.permitted.App, r.flow.Account.Origin, false), b); err != nil {
		return fmt.Errorf("the evidence was not written: %w", err)
	}
	r.Note(command.Notice{Code: command.SavedCode, Message: fmt.Sprintf("the results are in %s, their evidence in %s", r.results, path)})
	return nil
}
