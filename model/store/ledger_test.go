package store

import (
	"fmt"
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

func (f *fixture) answer(id string, status retirement.Status, at time.Time) {
	f.Helper()
	f.ok(f.Ledger.Record(f.Context(), LookUp{ID: id, At: at, Answer: &retirement.Request{ID: id, Status: status}}))
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
		ID: "00m1", Status: retirement.Complete, TotalQuantity: math.MaxInt64, Type: "OTHER", ProjectID: "003a", VintageID: "004a",
		CreatedAt: model.ParseTimestamp("9999-12-31T23:59:59Z"), RetiredAt: model.ParseTimestamp("soon"),
		SerialNumbers: []string{"ART-GY-102-2019-3-1 to 10"}, CertificateURL: "https://registry.example/00m1.pdf",
		ExternalCustomer: model.No, AllInvoicesSettled: model.Yes,
		Items:  []retirement.Item{{ID: "00p1", Quantity: model.UnknownGrams, RetireeName: "Ümlaut “Ltd”\u200b", Extra: []model.Field{{Name: "a", Value: "b"}}}},
		Extra:  []model.Field{{Name: "note", Value: `{"x":1}`}},
		Faults: []model.Fault{{Path: "retired_at", Reason: "is not a time"}},
	}
	certificate := retirement.Certificate{Path: "/tmp/00m1.pdf", MediaType: "application/pdf", Size: 4711, SHA256: strings.Repeat("9f", 32), FetchedAt: noon.Add(time.Hour)}
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

func TestBoundRefusesWhatIsTooMuchAndKeepsTheRest(t *testing.T) {
	f := fresh(t)
	f.Bound(3)
	f.remember(noon, "00m1", "00m2")
	f.ok(f.Of(demo).Ledger.Remember(t.Context(), noon, "00m3"))
	must.Fail(t, f.Ledger.Remember(t.Context(), noon, "00m1", "00m4"), ErrFull, "a fourth is accepted")
	f.remember(noon, "00m2", "00m1")
	f.ok(f.Ledger.Remove(t.Context(), "00m2"))
	f.remember(noon, "00m5")
	must.Equal(t, fmt.Sprint(f.ids()), "[00m1 00m5]")
}

func TestFailedLookUpKeepsTheLastAnswer(t *testing.T) {
	f := fresh(t)
	f.remember(noon, "00m1")
	f.answer("00m1", retirement.Closed, noon)
	f.ok(f.Ledger.Record(t.Context(), LookUp{ID: "00m1", At: noon.Add(time.Minute), Error: "connection refused"}))
	e := f.onlyEntry()
	must.Hold(t, e.Status == retirement.Closed && e.Answer != nil && e.AnsweredAt == noon && e.Error == "connection refused" && e.LastSeen == noon.Add(time.Minute), e)
	f.answer("00m1", retirement.Complete, noon.Add(time.Hour))
	e = f.onlyEntry()
	must.Hold(t, e.Status == retirement.Complete && e.Error == "", e)
}

func TestLatestWriterWinsFieldByField(t *testing.T) {
	f, ctx, early, late := fresh(t), t.Context(), noon, noon.Add(time.Minute)
	f.remember(noon, "00m1")
	f.ok(
		f.Ledger.SetLabel(ctx, "00m1", "late", late), f.Ledger.SetLabel(ctx, "00m1", "early", early),
		f.Ledger.SetCertificate(ctx, "00m1", retirement.Certificate{Path: "late", FetchedAt: late}),
		f.Ledger.SetCertificate(ctx, "00m1", retirement.Certificate{Path: "early", FetchedAt: early}),
		f.Ledger.Record(ctx,
			LookUp{ID: "00m1", At: late, Answer: &retirement.Request{Status: retirement.Complete}},
			LookUp{ID: "00m1", At: early, Answer: &retirement.Request{Status: retirement.Open}, Error: "late news"}),
	)
	f.remember(late, "00m1")
	e := f.onlyEntry()
	must.Hold(t, e.Label == "late" && e.Certificate.Path == "late" && e.Status == retirement.Complete && e.Error == "" && e.FirstSeen == noon, e)
}

func TestRemovedRequestIsNotBroughtBack(t *testing.T) {
	f, ctx := fresh(t), t.Context()
	f.remember(noon, "00m1", "00m2", "00m3")
	f.ok(f.Ledger.Remove(ctx, "00m2", "00m3", "no such id"))
	f.answer("00m2", retirement.Open, noon.Add(time.Hour))
	f.ok(f.Ledger.SetLabel(ctx, "00m2", "label", noon), f.Ledger.SetCertificate(ctx, "00m2", retirement.Certificate{Path: "p", FetchedAt: noon}))
	entered := must.Get(f.Ledger.RememberJournaled(ctx, noon, "00m2", "00m1"))
	must.Hold(t, !entered, "the journal brings it back")
	must.Equal(t, f.onlyEntry().ID, "00m1")
	entered = must.Get(f.Ledger.RememberJournaled(ctx, noon, "00m4", "00m2"))
	must.Hold(t, entered && len(f.ids()) == 2, "a new request of the journal", entered, f.ids())
}

func TestLedgerIsInOrderOfEntry(t *testing.T) {
	f := fresh(t)
	f.remember(noon, "c", "a", "b", "a")
	f.remember(noon.Add(time.Minute), "0", "c")
	must.Equal(t, fmt.Sprint(f.ids()), "[c a b 0]")
}

func TestLedgerFindsRequestsByReferenceAndByLabel(t *testing.T) {
	f, ctx := opened(t, ""), t.Context()
	references := func(o Origin, of map[string][]string) error { return o.Ledger.KeepReferences(ctx, of) }
	f.remember(noon, "R1", "R2", "R3")
	f.ok(
		f.Of(demo).Ledger.Remember(ctx, noon, "R4"),
		references(f.Origin, map[string][]string{"R1": {"flight-9", "flight-10"}, "gone": {"flight-9"}}),
		references(f.Origin, map[string][]string{"R1": {"flight-9"}}),
		references(f.Of(demo), map[string][]string{"R4": {"flight-9"}}),
		f.Ledger.SetLabel(ctx, "R3", "flight-9", noon),
	)
	is := func(reference, want string) {
		t.Helper()
		must.Equal(t, strings.Join(must.Get(f.Ledger.WithReference(ctx, reference)), " "), want, reference)
	}
	is("flight-9", "R1 R3")
	is("flight-10", "R1")
	is("flight", "")
	f.ok(f.Ledger.Remove(ctx, "R1"))
	is("flight-10", "")
}

func TestStatusThatTheUserSawLast(t *testing.T) {
	f := fresh(t)
	sees := func(id string, status retirement.Status) { f.ok(f.Ledger.Look(t.Context(), id, status)) }
	is := func(want retirement.Status) {
		t.Helper()
		must.Equal(t, f.onlyEntry().Looked, want)
	}
	f.remember(noon, "00m1")
	sees("00m1", "")
	is("")
	f.answer("00m1", retirement.Closed, noon)
	f.answer("00m1", retirement.InProgress, noon.Add(time.Second))
	f.reopen()
	is(retirement.Closed)
	f.fail()
	is(retirement.Closed)
	f.reopen()
	sees("00m1", retirement.InProgress)
	sees("no such id", retirement.Complete)
	is(retirement.InProgress)
	since := must.Get(f.Ledger.States(t.Context()))["00m1"]
	must.Hold(t, since.Equal(noon.Add(time.Second)), "in its state since", since)
	f.ok(f.Ledger.Remove(t.Context(), "00m1"))
	f.remember(noon, "00m1")
	is("")
}
