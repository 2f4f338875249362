package store

import (
	"math"
	"strings"
	"testing"
	"time"

	"tonne/model"
	must "tonne/model/musttest"
	"tonne/model/retirement"
)

func (f *fixture) onlyEntry() LedgerEntry {
	f.Helper()
	entries := must.Get(f.Ledger.Entries(f.Context()))
	must.Need(f, len(entries) == 1, len(entries), entries)
	e := entries[0]
	e.FirstSeen, e.LastSeen, e.AnsweredAt = e.FirstSeen.UTC(), e.LastSeen.UTC(), e.AnsweredAt.UTC()
	e.Certificate.FetchedAt = e.Certificate.FetchedAt.UTC()
	return e
}

func (f *fixture) remember(at time.Time, ids ...string) {
	f.Helper()
	f.ok(f.Ledger.Remember(f.Context(), at, ids...))
}

func (f *fixture) ids() (ids []string) {
	for _, e := range must.Get(f.Ledger.Entries(f.Context())) {
		ids = append(ids, e.ID)
	}
	return ids
}

func TestLedgerKeepsAnswersWhole(t *testing.T) {
	f, ctx := fresh(t), t.Context()
	answer := &retirement.Request{
		ID: "00m1", Status: retirement.Complete, TotalQuantity: math.MaxInt64, Type: "OTHER", ProjectID: "003a",
		VintageID: "004a",
		CreatedAt: model.ParseTimestamp("9999-12-31T23:59:59Z"), RetiredAt: model.ParseTimestamp("soon"),
		SerialNumbers: []string{"ART-GY-102-2019-3-1 to 10"}, CertificateURL: "https://registry.example/00m1.pdf",
		ExternalCustomer: model.No, AllInvoicesSettled: model.Yes,
		Items: []retirement.Item{{ID: "00p1", Quantity: model.UnknownGrams, RetireeName: "Ümlaut “Ltd”\u200b",
			Extra: []model.Field{{Name: "a", Value: "b"}}}},
		Extra:  []model.Field{{Name: "note", Value: `{"x":1}`}},
		Faults: []model.Fault{{Path: "retired_at", Reason: "is not a time"}},
	}
	certificate := retirement.Certificate{Path: "/tmp/00m1.pdf", MediaType: "application/pdf", Size: 4711,
		SHA256: strings.Repeat("9f", 32), FetchedAt: noon.Add(time.Hour)}
	f.remember(noon, "00m1")
	must.Equal(t, f.onlyEntry(), LedgerEntry{ID: "00m1", FirstSeen: noon}, "without an answer")
	f.ok(f.Ledger.Record(ctx, LookUp{ID: "00m1", At: noon.Add(time.Minute), Answer: answer}),
		f.Ledger.SetCertificate(ctx, "00m1", certificate), f.Ledger.SetLabel(ctx, "00m1", "Q3 flights", noon))
	f.reopen()
	want := LedgerEntry{
		ID: "00m1", Label: "Q3 flights", FirstSeen: noon, LastSeen: noon.Add(time.Minute), AnsweredAt: noon.Add(time.Minute),
		Answer: answer, Status: retirement.Complete, Looked: retirement.Complete, Certificate: certificate,
	}
	must.Equal(t, f.onlyEntry(), want)
	f.ok(execute(f.conn, `UPDATE retirement SET answer = '{"Items":7}'`, nil))
	e := f.onlyEntry()
	must.Hold(t, e.Answer == nil && e.Status == retirement.Complete, "an answer in another format", e)
}

func TestLatestRequestsBeginWithAPrefix(t *testing.T) {
	f := fresh(t)
	f.remember(noon, "00m1", "00M2", "x%", "00m3")
	f.ok(f.Ledger.SetLabel(t.Context(), "00m1", "Q3 flights", noon))
	f.remember(noon.Add(time.Hour), "00m4")
	for _, tt := range []struct {
		prefix string
		most   int
		want   []Named
	}{
		{"", 10, []Named{{"00m4", ""}, {"00m3", ""}, {"x%", ""}, {"00M2", ""}, {"00m1", "Q3 flights"}}},
		{"", 2, []Named{{"00m4", ""}, {"00m3", ""}}},
		{"00m", 10, []Named{{"00m4", ""}, {"00m3", ""}, {"00m1", "Q3 flights"}}},
		{"00m1", 10, []Named{{"00m1", "Q3 flights"}}},
		{"00m11", 10, nil},
		{"%", 10, nil},
		{"x%", 10, []Named{{"x%", ""}}},
	} {
		must.Equal(t, must.Get(f.Ledger.Latest(t.Context(), tt.prefix, tt.most)), tt.want, tt.prefix, tt.most)
	}
}
