package cli

import (
	"context"
	"fmt"

	"tonne/api/audit"
	"tonne/api/retire"
	"tonne/api/wire"
	"tonne/model"
	"tonne/model/store"
)

func entryOf(c retire.Call) model.JournalEntry {
	plan := c.Plan
	for _, text := range []*string{&plan.VintageID, &plan.SellOrderID} {
		*text = wire.Clean(*text)
	}
	return model.JournalEntry{
		Account: c.Profile, ExternalID: c.ExternalID, Batch: wire.Clean(c.Batch), Reference: c.Reference, Call: plan, Body: c.Body,
		MadeBy: wire.Clean(c.MadeBy), MadeAt: c.MadeAt, State: string(c.State), Tries: c.Tries,
		RequestID: wire.Clean(c.RequestID), Remark: wire.Clean(errorOf(&c)),
	}
}

func (a *app) journaled(ctx context.Context, origin string) ([]model.JournalEntry, error) {
	if a.guest != nil {
		// The journal is of those who work at the machine.
		return nil, nil
	}
	calls, err := a.callsOf(ctx, retire.Account{Origin: origin}, retire.OfService)
	return entriesOf(calls), err
}

func entriesOf(calls []retire.Call) (entries []model.JournalEntry) {
	for _, c := range calls {
		if c.State == retire.Done {
			entries = append(entries, entryOf(c))
		}
	}
	return entries
}

func (a *app) journalOf(origin string) func(context.Context) ([]model.JournalEntry, error) {
	return func(ctx context.Context) ([]model.JournalEntry, error) { return a.journaled(ctx, origin) }
}

// follow finds out where the grams of fractions stand that moved on from the
// request that they went into, by the ledger of this machine.
func (r *retireRun) follow(ctx context.Context) {
	origin := r.flow.Account.Origin
	calls, err := r.flow.Calls(ctx, retire.OfService)
	if err == nil {
		local := r.openStore()
		defer local.Close()
		var entries []store.LedgerEntry
		if entries, err = local.Ledger(context.WithoutCancel(ctx), origin); err == nil {
			r.followed = make(map[string]model.JournalEntry)
			for _, of := range model.FollowCalls(entriesOf(calls), audit.Answered(entries)) {
				for _, e := range of {
					if e.Account == r.flow.Account.Profile {
						r.followed[e.ExternalID] = e
					}
				}
			}
		}
	}
	if err != nil {
		r.log().Warn("the fractions were not followed", "error", err)
	}
}

func (r *retireRun) writeBatchEvidence(ctx context.Context) error {
	calls, err := r.flow.Calls(ctx, retire.OfBatch(r.Batch))
	if err != nil || len(calls) == 0 {
		return err
	}
	b := audit.Batch{Name: r.Batch, SHA256: r.batchHash}
	for _, c := range calls {
		entry, stands := entryOf(c), r.followed[c.ExternalID]
		entry.Parts, entry.Unclear = stands.Parts, stands.Unclear
		b.Calls = append(b.Calls, entry)
	}
	path := audit.JournalPath(r.results)
	if err := audit.WriteBatch(path, r.evidenceSource(r.flow.Account.Origin, false), b); err != nil {
		return fmt.Errorf("the evidence was not written: %w", err)
	}
	r.note(notice{Code: savedCode, Message: fmt.Sprintf("the results are in %s, their evidence in %s", r.results, path)})
	return nil
}
