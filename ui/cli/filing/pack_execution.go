package filing

import (
	"context"
	"slices"

	"tonne/api/audit"
	"tonne/model/execution"
	"tonne/model/retirement"
	"tonne/ui/cli/journal"
)

// executionFiles returns what a pack has of the recorded market: the purchases of its requests, and the
// recorded book of each. There are none if this machine made no purchase for the requests, or if none was recorded.
func (r *EvidenceRun) executionFiles(ctx context.Context) (files []audit.PackFile, err error) {
	packed := make(map[string]bool)
	for _, a := range r.Found() {
		packed[a.Retirement.ID] = true
	}
	calls, err := journal.Entries(r.App, r.BaseURL)(ctx)
	bought := func(c retirement.JournalEntry) bool {
		return packed[c.RequestID] && c.Call.BuyTonnes > 0 && !c.AnsweredAt.IsZero()
	}
	if err != nil || !slices.ContainsFunc(calls, bought) {
		return nil, err
	}
	inv, err := Auditor(r.Connection).Inventory(ctx)
	if err != nil {
		return nil, err
	}
	rows, err := Execution(ctx, r.Connection, inv, "")
	rows = slices.DeleteFunc(rows, func(row execution.Row) bool { return !packed[row.RequestID] })
	if err != nil {
		return nil, err
	}
	return audit.ExecutionFiles(rows)
}
