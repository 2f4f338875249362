package store

import (
	"math"
	"strings"
	"testing"
	"time"

	"tonne/model"
	"tonne/model/file/dbfile"
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
	f.ok(dbfile.Execute(f.conn, `UPDATE retirement SET answer = '{"Items":7}'`, nil))
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

func TestCompletionFindsProjectsAndVintagesByAPrefix(t *testing.T) {
	f := fresh(t)
	f.ok(f.Cache.PutProjects(t.Context(), []model.Project{
		{ID: "003a", Name: "Bale", Vintages: []model.ProjectVintage{{ID: "004x", Year: 2020}, {ID: "004y"}}},
		{ID: "003b", Vintages: []model.ProjectVintage{{ID: "005z", Year: 2021}}},
		{ID: "004%"},
	}, noon))
	for _, tt := range []struct {
		prefix             string
		most               int
		projects, vintages []Named
	}{
		{"", 9, []Named{{"003a", "Bale"}, {"003b", ""}, {"004%", ""}}, []Named{{"004x", "Bale 2020"}, {"004y", "Bale 0"}, {"005z", " 2021"}}},
		{"", 2, []Named{{"003a", "Bale"}, {"003b", ""}}, []Named{{"004x", "Bale 2020"}, {"004y", "Bale 0"}}},
		{"003", 1, []Named{{"003a", "Bale"}}, nil},
		{"004", 9, []Named{{"004%", ""}}, []Named{{"004x", "Bale 2020"}, {"004y", "Bale 0"}}},
		{"004%", 9, []Named{{"004%", ""}}, nil},
		{"005zz", 9, nil, nil},
	} {
		must.Equal(t, must.Get(f.Cache.SomeProjects(t.Context(), tt.prefix, tt.most)), tt.projects, tt.prefix)
		must.Equal(t, must.Get(f.Cache.SomeVintages(t.Context(), tt.prefix, tt.most)), tt.vintages, tt.prefix)
	}
}

func (f *fixture) answer(id string, is retirement.Status, after time.Duration) {
	f.Helper()
	r := &retirement.Request{ID: id, Status: is}
	f.ok(f.Ledger.Record(f.Context(), LookUp{ID: id, At: noon.Add(after), Answer: r}))
}

func TestFullLedgerRefusesWhatIsTooMuch(t *testing.T) {
	f, ctx := fresh(t), t.Context()
	f.Bound(3)
	f.remember(noon, "00m1", "00m2")
	f.ok(f.Of(demo).Ledger.Remember(ctx, noon, "00m3"))
	err := f.Ledger.Remember(ctx, noon, "00m1", "00m4")
	must.Hold(t, err != nil && err.Error() == "the ledger is full", err)
	f.remember(noon, "00m2", "00m1")
	f.ok(f.Ledger.Remove(ctx, "00m2"))
	f.remember(noon, "00m5")
	must.Equal(t, f.ids(), []string{"00m1", "00m5"})
}

func TestFailedLookUpKeepsTheLastAnswer(t *testing.T) {
	f := fresh(t)
	f.remember(noon, "00m1")
	f.answer("00m1", retirement.Closed, 0)
	later := noon.Add(time.Minute)
	f.ok(f.Ledger.Record(t.Context(), LookUp{ID: "00m1", At: later, Error: "connection refused"}))
	want := LedgerEntry{
		ID: "00m1", FirstSeen: noon, LastSeen: later, Answer: &retirement.Request{ID: "00m1", Status: retirement.Closed},
		AnsweredAt: noon, Status: retirement.Closed, Looked: retirement.Closed, Error: "connection refused",
	}
	must.Equal(t, f.onlyEntry(), want)
	f.answer("00m1", retirement.Complete, time.Hour)
	want.Answer, want.Status = &retirement.Request{ID: "00m1", Status: retirement.Complete}, retirement.Complete
	want.LastSeen, want.AnsweredAt, want.Error = noon.Add(time.Hour), noon.Add(time.Hour), ""
	must.Equal(t, f.onlyEntry(), want)
}

func TestLatestWriterWinsFieldByField(t *testing.T) {
	f, ctx, later := fresh(t), t.Context(), noon.Add(time.Minute)
	f.remember(noon, "00m1")
	for _, w := range []struct {
		text string
		at   time.Time
	}{{text: "late", at: later}, {text: "early", at: noon}} {
		f.ok(f.Ledger.SetLabel(ctx, "00m1", w.text, w.at),
			f.Ledger.SetCertificate(ctx, "00m1", retirement.Certificate{Path: w.text, FetchedAt: w.at}))
	}
	f.answer("00m1", retirement.Complete, time.Minute)
	f.answer("00m1", retirement.Open, 0)
	f.ok(f.Ledger.Record(ctx, LookUp{ID: "00m1", At: noon, Error: "late news"}))
	f.remember(later, "00m1")
	must.Equal(t, f.onlyEntry(), LedgerEntry{
		ID: "00m1", Label: "late", FirstSeen: noon, LastSeen: later, AnsweredAt: later,
		Answer: &retirement.Request{ID: "00m1", Status: retirement.Complete}, Status: retirement.Complete,
		Looked: retirement.Complete, Certificate: retirement.Certificate{Path: "late", FetchedAt: later},
	})
}

func TestRemovedRequestIsNotBroughtBack(t *testing.T) {
	f, ctx := fresh(t), t.Context()
	f.remember(noon, "00m1", "00m2", "00m3")
	f.ok(f.Ledger.Remove(ctx, "00m2", "00m3", "nosuchid"))
	f.answer("00m2", retirement.Open, time.Hour)
	f.ok(f.Ledger.SetLabel(ctx, "00m2", "label", noon),
		f.Ledger.SetCertificate(ctx, "00m2", retirement.Certificate{Path: "path", FetchedAt: noon}))
	must.Hold(t, !must.Get(f.Ledger.RememberJournaled(ctx, noon, "00m2", "00m1")), "known ones are new")
	must.Equal(t, f.onlyEntry(), LedgerEntry{ID: "00m1", FirstSeen: noon})
	must.Hold(t, must.Get(f.Ledger.RememberJournaled(ctx, noon, "00m4", "00m2")), "a new one is not new")
	must.Equal(t, f.ids(), []string{"00m1", "00m4"})
}

func TestLedgerIsInTheOrderOfEntry(t *testing.T) {
	f := fresh(t)
	f.remember(noon, "c", "a", "b", "a")
	f.remember(noon.Add(time.Minute), "0", "c")
	must.Equal(t, f.ids(), []string{"c", "a", "b", "0"})
}

func TestRequestsAreFoundByReferenceAndByLabel(t *testing.T) {
	f, ctx := fresh(t), t.Context()
	other := f.Of(demo)
	f.remember(noon, "R1", "R2", "R3")
	f.ok(other.Ledger.Remember(ctx, noon, "R4"),
		other.Ledger.KeepReferences(ctx, map[string][]string{"R4": {"flight-9"}}))
	for _, references := range []map[string][]string{
		{"R1": {"flight-9", "flight-10"}}, {"gone": {"flight-9"}}, {"R1": {"flight-9"}},
	} {
		f.ok(f.Ledger.KeepReferences(ctx, references))
	}
	f.ok(f.Ledger.SetLabel(ctx, "R3", "flight-9", noon))
	must.Equal(t, must.Get(f.Ledger.WithReference(ctx, "flight-9")), []string{"R1", "R3"})
	must.Equal(t, must.Get(f.Ledger.WithReference(ctx, "flight-10")), []string{"R1"})
	must.Equal(t, must.Get(f.Ledger.WithReference(ctx, "flight")), nil)
	f.ok(f.Ledger.Remove(ctx, "R1"))
	must.Equal(t, must.Get(f.Ledger.WithReference(ctx, "flight-10")), nil)
}

func TestStateThatTheUserSawLast(t *testing.T) {
	f, ctx := fresh(t), t.Context()
	f.remember(noon, "00m1")
	f.ok(f.Ledger.Look(ctx, "00m1", ""))
	must.Equal(t, f.onlyEntry(), LedgerEntry{ID: "00m1", FirstSeen: noon})
	f.answer("00m1", retirement.Closed, 0)
	f.answer("00m1", retirement.InProgress, time.Second)
	at := noon.Add(time.Second)
	want := LedgerEntry{
		ID: "00m1", FirstSeen: noon, LastSeen: at, AnsweredAt: at,
		Answer: &retirement.Request{ID: "00m1", Status: retirement.InProgress}, Status: retirement.InProgress,
		Looked: retirement.Closed,
	}
	must.Equal(t, f.onlyEntry(), want)
	f.ok(f.Ledger.Look(ctx, "00m1", retirement.InProgress), f.Ledger.Look(ctx, "nosuchid", retirement.Complete))
	f.reopen()
	want.Looked = retirement.InProgress
	must.Equal(t, f.onlyEntry(), want)
	must.Equal(t, shown(must.Get(f.Ledger.States(ctx))), []string{"00m1 2026-02-08T12:00:01Z"})
	f.fail()
	must.Equal(t, f.onlyEntry(), want, "in memory")
	must.Equal(t, shown(must.Get(f.Ledger.States(ctx))), []string{"00m1 2026-02-08T12:00:01Z"})
	f.ok(f.Ledger.Remove(ctx, "00m1"))
	f.remember(noon, "00m1")
	must.Equal(t, f.onlyEntry(), LedgerEntry{ID: "00m1", FirstSeen: noon})
}
