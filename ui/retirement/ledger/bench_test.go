package ledger

import (
	"fmt"
	"testing"
	"time"

	"tonne/api/session"
	"tonne/model/retirement"
	"tonne/ui/style"
	"tonne/ui/tab"
)

func hundredThousandRanges() []*session.Request {
	requests := make([]*session.Request, 20_000)
	for n := range requests {
		a := &retirement.Request{ID: fmt.Sprintf("00m%015d", n), Status: retirement.Complete, ProjectID: "003", VintageID: "004", TotalQuantity: 5e8}
		for i := range 5 {
			start := n*10_000 + i*1000
			a.SerialNumbers = append(a.SerialNumbers, fmt.Sprintf("ACR-FR-%d-2025-2917-%d to %d", i, start, start+99))
		}
		a.Items = []retirement.Item{{ID: fmt.Sprintf("00p%015d", n), InvoiceID: fmt.Sprintf("00i%015d", n/10), RetireeName: fmt.Sprintf("Customer %d Ltd", n%500)}}
		requests[n] = &session.Request{ID: a.ID, Answer: a}
	}
	return requests
}

// BenchmarkFind measures a key in the search of a ledger with 100,000 ranges.
func BenchmarkFind(b *testing.B) {
	l := New(&tab.View{Theme: style.NewTheme(style.Mono), Location: time.UTC, Now: time.Now, Context: b.Context()})
	l.Show(hundredThousandRanges())
	b.Run("make the index", func(b *testing.B) {
		for b.Loop() {
			l.index = newIndex(l.rows, nil)
		}
	})
	l.work()
	b.Run("the index alone", func(b *testing.B) {
		for b.Loop() {
			l.index.search.Find("150002050")
		}
	})
	for _, text := range []string{"150002050", "00p000000000012345", "customer 17", "1"} {
		b.Run(text, func(b *testing.B) {
			l.Search.SetValue(text)
			for b.Loop() {
				l.Narrow()
			}
			b.ReportMetric(float64(len(l.matching(text))), "found")
		})
	}
}
