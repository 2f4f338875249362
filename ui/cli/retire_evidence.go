package cli

import (
	"context"
	"fmt"

	"tonne/api/wire"
	"tonne/model"
	"tonne/model/journal"
	"tonne/ui/cli/evidence"
)

// entryOf is a call of the journal as evidence shows it.
func entryOf(c journal.Call) model.JournalEntry {
	plan := c.Plan
	for _, text := range []*string{&plan.VintageID, &plan.SellOrderID} {
		*text = wire.Clean(*text)
	}
	return model.JournalEntry{
		ExternalID: c.ExternalID, Batch: wire.Clean(c.Batch), Reference: c.Reference, Call: plan, Body: c.Body,
		MadeBy: wire.Clean(c.MadeBy), MadeAt: c.MadeAt, State: string(c.State), Tries: c.Tries,
		RequestID: wire.Clean(c.RequestID), Remark: wire.Clean(recalled(c).why),
	}
}

// journaled are the calls of a service that are in the journal of this machine,
// by the request that they went into. Where nothing was ever retired there is
// no journal, and none is made.
func (a *app) journaled(ctx context.Context, origin string) (entries map[string][]model.JournalEntry, err error) {
	if a.guest != nil {
		// The journal is of those who work at the machine.
		return nil, nil
	}
	err = a.ifJournal(ctx, func(j *journal.Journal) error {
		calls, err := j.Of(origin)
		entries = entriesOf(calls)
		return err
	})
	return entries, err
}

// entriesOf are the calls that are done, by the request that they went into.
func entriesOf(calls []journal.Call) map[string][]model.JournalEntry {
	entries := make(map[string][]model.JournalEntry)
	for _, c := range calls {
		if c.State == journal.Done {
			entries[c.RequestID] = append(entries[c.RequestID], entryOf(c))
		}
	}
	return entries
}

// sumsOf is what the calls of each request come to.
func sumsOf(calls []journal.Call) map[string]model.Journaled {
	sums := make(map[string]model.Journaled)
	for id, of := range entriesOf(calls) {
		sums[id] = model.NewJournaled(of)
	}
	return sums
}

// journalOf reads what the calls of the journal come to for each request of a
// service.
func (a *app) journalOf(origin string) func(context.Context) (map[string]model.Journaled, error) {
	return func(ctx context.Context) (map[string]model.Journaled, error) {
		calls, err := a.journaled(ctx, origin)
		sums := make(map[string]model.Journaled, len(calls))
		for id, of := range calls {
			sums[id] = model.NewJournaled(of)
		}
		return sums, err
	}
}

// writeBatchEvidence writes what the journal has of the batch beside the
// results. A batch of which nothing was sent yet has none.
func (r *retireRun) writeBatchEvidence() error {
	calls, err := r.journal.Batch(r.sender.Account, r.batch)
	if err != nil || len(calls) == 0 {
		return err
	}
	b := evidence.Batch{Name: r.batch, SHA256: r.batchHash}
	for _, c := range calls {
		b.Calls = append(b.Calls, entryOf(c))
	}
	path := evidence.JournalPath(r.results)
	if err := evidence.WriteBatch(path, r.evidenceSource(r.sender.Account.Origin, false), b); err != nil {
		return fmt.Errorf("the evidence was not written: %w", err)
	}
	r.note(notice{Code: savedCode, Message: fmt.Sprintf("the results are in %s, their evidence in %s", r.results, path)})
	return nil
}
