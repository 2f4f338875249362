package retiring

import (
	"context"
	"errors"

	"tonne/api"
	"tonne/api/retire"
	"tonne/api/wire"
	"tonne/model"
	"tonne/ui/cli/command"
)

// EntryOf returns a call as evidence has it.
func EntryOf(c retire.Call) model.JournalEntry {
	plan := c.Plan
	for _, text := range []*string{&plan.VintageID, &plan.SellOrderID} {
		*text = wire.Clean(*text)
	}
	return model.JournalEntry{
		Account: c.Profile, ExternalID: c.ExternalID, Batch: wire.Clean(c.Batch), Reference: c.Reference, Call: plan, Body: c.Body,
		MadeBy: wire.Clean(c.MadeBy), MadeAt: c.MadeAt, State: string(c.State), Tries: c.Tries,
		RequestID: wire.Clean(c.RequestID), Remark: wire.Clean(ErrorOf(&c)),
	}
}

// DoneOf returns the entries of those calls that are done.
func DoneOf(calls []retire.Call) (entries []model.JournalEntry) {
	for _, c := range calls {
		if c.State == retire.Done {
			entries = append(entries, EntryOf(c))
		}
	}
	return entries
}

// Entries returns a function that reads the calls to a service that are done. A guest
// sees none: the journal is of those who work at the machine.
func Entries(a *command.App, origin string) func(context.Context) ([]model.JournalEntry, error) {
	return func(ctx context.Context) ([]model.JournalEntry, error) {
		if a.Guest != nil {
			return nil, nil
		}
		calls, err := Calls(ctx, a, retire.Account{Origin: origin}, retire.OfService)
		return DoneOf(calls), err
	}
}

// ErrorOf returns why a call is not done, empty for no reason.
func ErrorOf(c *retire.Call) string {
	answer, answered := errors.AsType[*api.Error](c.Err)
	switch {
	case c.UnderWay && c.Err != nil:
		return c.Err.Error()
	case answered && retire.TurnedAway(answer) > 0:
		return retire.Reason(answer) + "; the same id is asked for again"
	case answered:
		return retire.Reason(answer)
	case c.GivenUp && c.Doubtful():
		return "given up while its outcome was not known"
	}
	return retire.Remark(*c)
}
