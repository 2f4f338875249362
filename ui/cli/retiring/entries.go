package retiring

import (
	"context"

	"tonne/api/retire"
	"tonne/api/wire"
	"tonne/model/retirement"
	"tonne/ui/cli/command"
)

// EntryOf returns a call in the form used by evidence.
func EntryOf(c retire.Call) retirement.JournalEntry {
	plan := c.Plan
	plan.VintageID, plan.SellOrderID = wire.Clean(plan.VintageID), wire.Clean(plan.SellOrderID)
	return retirement.JournalEntry{
		Account: c.Profile, ExternalID: c.ExternalID, Batch: wire.Clean(c.Batch), Reference: c.Reference, Call: plan, Body: c.Body,
		MadeBy: wire.Clean(c.MadeBy), MadeAt: c.MadeAt, State: string(c.State), Tries: c.Tries,
		RequestID: wire.Clean(c.RequestID), Remark: wire.Clean(c.Remark()),
	}
}

// DoneOf returns the entries of those calls that are done.
func DoneOf(calls []retire.Call) (entries []retirement.JournalEntry) {
	for _, c := range calls {
		if c.State == retire.Done {
			entries = append(entries, EntryOf(c))
		}
	}
	return entries
}

// Entries returns a function that reads the calls to a service that are done. A guest
// sees none: the journal belongs to the users of the machine.
func Entries(a *command.App, origin string) func(context.Context) ([]retirement.JournalEntry, error) {
	return func(ctx context.Context) ([]retirement.JournalEntry, error) {
		if a.Guest != nil {
			return nil, nil
		}
		calls, err := Calls(ctx, a, retire.Account{Origin: origin}, retire.OfService)
		return DoneOf(calls), err
	}
}
