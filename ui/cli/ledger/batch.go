package ledger

import (
	"fmt"
	"slices"
	"strings"

	"tonne/api/audit"
	"tonne/model"
)

// fewRequests is how many requests of a batch the table lists one by one.
const fewRequests = 2

// batch is the requests of one batch in a row of the table. The other formats
// list each.
type batch struct {
	requests int
	// failed is how many of them have failed checks.
	failed   int
	quantity model.Grams
	statuses map[model.RetirementStatus]int
	printed  bool
}

func batchOf(l *audit.Ledger, r model.LedgerRecord) string {
	calls := l.Calls[r.ID]
	if len(calls) == 0 || slices.ContainsFunc(calls, func(c model.JournalEntry) bool { return c.Batch != calls[0].Batch }) {
		return ""
	}
	return calls[0].Batch
}

func batchesOf(l *audit.Ledger, records []model.LedgerRecord, failed [][]audit.FailedCheck) map[string]*batch {
	all := make(map[string]*batch)
	for i, r := range records {
		name := batchOf(l, r)
		if name == "" {
			continue
		}
		b := all[name]
		if b == nil {
			b = &batch{statuses: make(map[model.RetirementStatus]int)}
			all[name] = b
		}
		b.requests++
		if len(failed[i]) > 0 {
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
	for name, b := range all {
		if b.requests <= fewRequests {
			delete(all, name)
		}
	}
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
