package store

import (
	"errors"
	"fmt"
	"math"
	"reflect"
	"strings"
	"testing"
	"time"

	"tonne/model"
	"tonne/model/retirement"
)

// onlyEntry returns the one entry of the ledger.
func onlyEntry(t *testing.T, s *Store) LedgerEntry {
	t.Helper()
	entries, err := s.Of(production).Ledger.Entries(t.Context())
	if must(t, err); len(entries) != 1 {
		t.Fatalf("%d entries: %+v", len(entries), entries)
	}
	return entries[0]
}

// inUTC returns the entry with its times in UTC, so that it can be compared.
func inUTC(e LedgerEntry) LedgerEntry {
	e.FirstSeen, e.LastSeen, e.AnsweredAt = e.FirstSeen.UTC(), e.LastSeen.UTC(), e.AnsweredAt.UTC()
	e.Certificate.FetchedAt = e.Certificate.FetchedAt.UTC()
	return e
}

func TestTheLedgerKeepsAnswersWhole(t *testing.T) {
	t.Parallel()
	s, path := fresh(t)
	answer := &retirement.Request{
		ID: "00m1", Status: retirement.Complete, TotalQuantity: math.MaxInt64, Type: "OTHER", ProjectID: "003a", VintageID: "004a",
		CreatedAt: model.ParseTimestamp("9999-12-31T23:59:59Z"), RetiredAt: model.ParseTimestamp("soon"),
		SerialNumbers: []string{"ART-GY-102-2019-3-1 to 10"}, CertificateURL: "https://registry.example/00m1.pdf",
		ExternalCustomer: model.No, AllInvoicesSettled: model.Yes,
		Items:  []retirement.Item{{ID: "00p1", Quantity: model.UnknownGrams, RetireeName: "Ümlaut “Ltd”\u200b", Extra: []model.Field{{Name: "a", Value: "b"}}}},
		Extra:  []model.Field{{Name: "note", Value: `{"x":1}`}},
		Faults: []model.Fault{{Path: "retired_at", Reason: "is not a time"}},
	}
	must(t, s.Of(production).Ledger.Remember(t.Context(), noon, "00m1"))
	must(t, s.Of(production).Ledger.Record(t.Context(), LookUp{ID: "00m1", At: noon.Add(time.Minute), Answer: answer}))
	certificate := retirement.Certificate{Path: "/tmp/00m1.pdf", MediaType: "application/pdf", Size: 4711, SHA256: strings.Repeat("9f", 32), FetchedAt: noon.Add(time.Hour)}
	must(t, s.Of(production).Ledger.SetCertificate(t.Context(), "00m1", certificate))
	must(t, s.Of(production).Ledger.SetLabel(t.Context(), "00m1", "Q3 flights", noon))
	must(t, s.Close())

	want := LedgerEntry{
		ID: "00m1", Label: "Q3 flights", FirstSeen: noon, LastSeen: noon.Add(time.Minute), AnsweredAt: noon.Add(time.Minute),
		Answer: answer, Status: retirement.Complete, Looked: retirement.Complete, Certificate: certificate,
	}
	if got := inUTC(onlyEntry(t, opened(t, path))); !reflect.DeepEqual(got, want) {
		t.Errorf("got  %+v\nwant %+v", got, want)
	}
}

func TestABoundStoreRefusesWhatIsTooMuchAndKeepsTheRest(t *testing.T) {
	t.Parallel()
	s, _ := fresh(t)
	s.Bound(3)
	must(t, s.Of(production).Ledger.Remember(t.Context(), noon, "00m1", "00m2"))
	must(t, s.Of("https://other.example").Ledger.Remember(t.Context(), noon, "00m3"))
	if err := s.Of(production).Ledger.Remember(t.Context(), noon, "00m1", "00m4"); !errors.Is(err, ErrFull) {
		t.Errorf("a fourth is taken: %v", err)
	}
	must(t, s.Of(production).Ledger.Remember(t.Context(), noon, "00m2", "00m1"))
	must(t, s.Of(production).Ledger.Remove(t.Context(), "00m2"))
	must(t, s.Of(production).Ledger.Remember(t.Context(), noon, "00m5"))
	entries, err := s.Of(production).Ledger.Entries(t.Context())
	if must(t, err); len(entries) != 2 || entries[1].ID != "00m5" {
		t.Errorf("the ledger is %+v", entries)
	}
}

func TestAnIDThatWasNeverLookedUpHasNoAnswer(t *testing.T) {
	t.Parallel()
	s, _ := fresh(t)
	must(t, s.Of(production).Ledger.Remember(t.Context(), noon, "00m1"))
	if got := inUTC(onlyEntry(t, s)); !reflect.DeepEqual(got, LedgerEntry{ID: "00m1", FirstSeen: noon}) {
		t.Errorf("%+v", got)
	}
}

func TestAFailedLookUpKeepsTheLastAnswer(t *testing.T) {
	t.Parallel()
	s, _ := fresh(t)
	ctx := t.Context()
	must(t, s.Of(production).Ledger.Remember(ctx, noon, "00m1"))
	must(t, s.Of(production).Ledger.Record(ctx, LookUp{ID: "00m1", At: noon, Answer: &retirement.Request{Status: retirement.Closed}}))
	must(t, s.Of(production).Ledger.Record(ctx, LookUp{ID: "00m1", At: noon.Add(time.Minute), Error: "connection refused"}))
	e := onlyEntry(t, s)
	if e.Status != retirement.Closed || e.Answer == nil || !e.AnsweredAt.Equal(noon) || e.Error != "connection refused" || !e.LastSeen.Equal(noon.Add(time.Minute)) {
		t.Errorf("%+v", e)
	}
	must(t, s.Of(production).Ledger.Record(ctx, LookUp{ID: "00m1", At: noon.Add(time.Hour), Answer: &retirement.Request{Status: retirement.Complete}}))
	if e := onlyEntry(t, s); e.Status != retirement.Complete || e.Error != "" {
		t.Errorf("%+v", e)
	}
}

func TestTheLatestWriterCountsFieldByField(t *testing.T) {
	t.Parallel()
	s, _ := fresh(t)
	ctx, early, late := t.Context(), noon, noon.Add(time.Minute)
	must(t, s.Of(production).Ledger.Remember(ctx, noon, "00m1"))
	must(t, s.Of(production).Ledger.SetLabel(ctx, "00m1", "late", late))
	must(t, s.Of(production).Ledger.SetLabel(ctx, "00m1", "early", early))
	must(t, s.Of(production).Ledger.SetCertificate(ctx, "00m1", retirement.Certificate{Path: "late", FetchedAt: late}))
	must(t, s.Of(production).Ledger.SetCertificate(ctx, "00m1", retirement.Certificate{Path: "early", FetchedAt: early}))
	must(t, s.Of(production).Ledger.Record(ctx,
		LookUp{ID: "00m1", At: late, Answer: &retirement.Request{Status: retirement.Complete}},
		LookUp{ID: "00m1", At: early, Answer: &retirement.Request{Status: retirement.Open}, Error: "late news"},
	))
	must(t, s.Of(production).Ledger.Remember(ctx, late, "00m1"))
	e := onlyEntry(t, s)
	if e.Label != "late" || e.Certificate.Path != "late" || e.Status != retirement.Complete || e.Error != "" || !e.FirstSeen.Equal(noon) {
		t.Errorf("%+v", e)
	}
}

func TestARemovedRequestIsNotBroughtBackByAPoll(t *testing.T) {
	t.Parallel()
	s, _ := fresh(t)
	ctx := t.Context()
	must(t, s.Of(production).Ledger.Remember(ctx, noon, "00m1", "00m2", "00m3"))
	must(t, s.Of(production).Ledger.Remove(ctx, "00m2", "00m3", "no such id"))
	must(t, s.Of(production).Ledger.Record(ctx, LookUp{ID: "00m2", At: noon.Add(time.Hour), Answer: &retirement.Request{}}))
	must(t, s.Of(production).Ledger.SetLabel(ctx, "00m2", "label", noon))
	must(t, s.Of(production).Ledger.SetCertificate(ctx, "00m2", retirement.Certificate{Path: "p", FetchedAt: noon}))
	if e := onlyEntry(t, s); e.ID != "00m1" {
		t.Errorf("%+v", e)
	}
}

func TestTheLedgerIsInTheOrderOfEntry(t *testing.T) {
	t.Parallel()
	s, _ := fresh(t)
	must(t, s.Of(production).Ledger.Remember(t.Context(), noon, "c", "a", "b", "a"))
	must(t, s.Of(production).Ledger.Remember(t.Context(), noon.Add(time.Minute), "0", "c"))
	entries, err := s.Of(production).Ledger.Entries(t.Context())
	must(t, err)
	var ids string
	for _, e := range entries {
		ids += e.ID
	}
	if ids != "cab0" {
		t.Errorf("order %q", ids)
	}
}

func TestAnAnswerInAnotherFormIsAsGoodAsAbsent(t *testing.T) {
	t.Parallel()
	s, _ := fresh(t)
	must(t, s.Of(production).Ledger.Remember(t.Context(), noon, "00m1"))
	must(t, s.Of(production).Ledger.Record(t.Context(), LookUp{ID: "00m1", At: noon, Answer: &retirement.Request{Status: retirement.Closed}}))
	must(t, run(s.conn, `UPDATE retirement SET answer = '{"Items":7}'`))
	if e := onlyEntry(t, s); e.Answer != nil || e.Status != retirement.Closed {
		t.Errorf("%+v", e)
	}
}

func BenchmarkLedgerOf1000(b *testing.B) {
	s := Open("")
	defer s.Close()
	var ids []string
	var lookUps []LookUp
	for n := range 1000 {
		id := fmt.Sprintf("00m%015d", n)
		ids = append(ids, id)
		lookUps = append(lookUps, LookUp{id, noon, &retirement.Request{ID: id, Status: retirement.Complete, Items: make([]retirement.Item, 3)}, ""})
	}
	if err := s.Of(production).Ledger.Remember(b.Context(), noon, ids...); err != nil {
		b.Fatal(err)
	}
	if err := s.Of(production).Ledger.Record(b.Context(), lookUps...); err != nil {
		b.Fatal(err)
	}
	for b.Loop() {
		if entries, err := s.Of(production).Ledger.Entries(b.Context()); err != nil || len(entries) != len(ids) {
			b.Fatal(len(entries), err)
		}
	}
}

func TestTheLedgerFindsRequestsByReferenceAndByLabel(t *testing.T) {
	t.Parallel()
	s := Open("")
	ctx, at := t.Context(), time.Unix(1_790_000_000, 0)
	if err := errors.Join(
		s.Of("https://a").Ledger.Remember(ctx, at, "R1", "R2", "R3"), s.Of("https://b").Ledger.Remember(ctx, at, "R4"),
		s.Of("https://a").Ledger.KeepReferences(ctx, map[string][]string{"R1": {"flight-9", "flight-10"}, "gone": {"flight-9"}}),
		s.Of("https://a").Ledger.KeepReferences(ctx, map[string][]string{"R1": {"flight-9"}}),
		s.Of("https://b").Ledger.KeepReferences(ctx, map[string][]string{"R4": {"flight-9"}}),
		s.Of("https://a").Ledger.SetLabel(ctx, "R3", "flight-9", at),
	); err != nil {
		t.Fatal(err)
	}
	is := func(reference, want string) {
		t.Helper()
		if ids, err := s.Of("https://a").Ledger.WithReference(ctx, reference); err != nil || strings.Join(ids, " ") != want {
			t.Errorf("%q: %v, %v", reference, ids, err)
		}
	}
	is("flight-9", "R1 R3")
	is("flight-10", "R1")
	is("flight", "")
	if err := s.Of("https://a").Ledger.Remove(ctx, "R1"); err != nil {
		t.Fatal(err)
	}
	is("flight-10", "")
}
