package ledger

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"tonne/api/audit"
	"tonne/model"
	"tonne/model/retirement"
)

// fewRequests is how many requests of a batch the table lists one by one.
const fewRequests = 2

// batch is the requests of one batch, a row of the table. The other formats list each.
type batch struct {
	requests int
	// failed is how many of them have failed checks.
	failed   int
	quantity model.Grams
	statuses map[retirement.Status]int
	printed  bool
}

func batchOf(l *audit.Ledger, r retirement.LedgerRecord) string {
	calls := l.Calls[r.ID]
	if len(calls) == 0 || slices.ContainsFunc(calls, func(c retirement.JournalEntry) bool { return c.Batch != calls[0].Batch }) {
		return ""
	}
	return calls[0].Batch
}

func batchesOf(l *audit.Ledger, rows []row) map[string]*batch {
	all := make(map[string]*batch)
	for _, r := range rows {
		name := batchOf(l, r.LedgerRecord)
		if name == "" {
			continue
		}
		b := all[name]
		if b == nil {
			b = &batch{statuses: make(map[retirement.Status]int)}
			all[name] = b
		}
		b.requests++
		if len(r.failed) > 0 {
			b.failed++
		}
		if r.Answer == nil {
			b.statuses["not looked up"]++
			b.quantity = model.UnknownGrams
			continue
		}
		b.statuses[r.Answer.Status]++
		b.quantity = b.quantity.AddUpTo(r.Answer.TotalQuantity)
	}
	maps.DeleteFunc(all, func(_ string, b *batch) bool { return b.requests <= fewRequests })
	return all
}

func (b *batch) cells(name string) []string {
	var statuses []string
	for status, n := range b.statuses {
		statuses = append(statuses, fmt.Sprintf("%d %s", n, status))
	}
	slices.Sort(statuses)
	quantity := "-"
	if b.quantity.Known() {
		quantity = b.quantity.FormatTonnes()
	}
	failed := "-"
	if b.failed > 0 {
		failed = fmt.Sprintf("%d with failed checks", b.failed)
	}
	return []string{model.Count(b.requests, "request", "requests"), strings.Join(statuses, ", "), quantity, "batch " + name, "-", "-", failed}
}
