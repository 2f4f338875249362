package audit

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"testing"
	"time"

	"pgregory.net/rapid"

	"tonne/model"
	"tonne/model/file/store"
	must "tonne/model/musttest"
	"tonne/model/retirement"
)

// searched is a ledger and a journal that change.
type searched struct {
	Auditor
	t     *rapid.T
	at    time.Time
	calls []retirement.JournalEntry
}

func oneOf(t *rapid.T, label string, of ...string) string {
	return rapid.SampledFrom(of).Draw(t, label)
}

func id(t *rapid.T) string { return fmt.Sprintf("00m%d", rapid.IntRange(1, 30).Draw(t, "id")) }

func newSearched(t interface{ Fatal(...any) }) *searched {
	s := &searched{at: time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC)}
	s.Store, s.Origin, s.Now = store.Open(""), "http://a.example", func() time.Time { return s.at }
	s.Journal = func(context.Context) ([]retirement.JournalEntry, error) { return s.calls, nil }
	s.CountJournal = func(context.Context) (int64, error) { return int64(len(s.calls)), nil }
	return s
}

// A call of 1.4 t is in two requests as long as the ledger has both.
func TestSearchFollowsChangesOfOtherRecords(t *testing.T) {
	t.Parallel()
	s, ctx := newSearched(t), t.Context()
	of := s.Store.Of(s.Origin)
	put := func(id, day string, grams model.Grams) {
		s.at = s.at.Add(time.Hour)
		at := model.ParseTimestamp(day + "T10:00:00Z")
		r := &retirement.Request{
			ID: id, Status: retirement.Complete, Type: retirement.Fractionalised, ProjectID: "p1", VintageID: "v1",
			TotalQuantity: grams, CreatedAt: at,
			Items: []retirement.Item{{ID: id + "i", Quantity: grams, CreatedAt: at}},
		}
		must.Succeed(t,
			cmp.Or(of.Ledger.Remember(ctx, s.at, id), of.Ledger.Record(ctx, store.LookUp{ID: id, At: s.at, Answer: r})))
	}
	name := func(name string) {
		s.at = s.at.Add(time.Hour)
		must.Succeed(t, of.Cache.PutProjects(ctx, []model.Project{{ID: "p1", Name: name}}, s.at))
	}
	finds := func(text string, want ...string) {
		t.Helper()
		l, err := s.Search(ctx, text, func(all []retirement.LedgerRecord) []retirement.LedgerRecord { return all })
		must.Succeed(t, err)
		var got []string
		for _, m := range retirement.NewLedgerIndex(l.Records()).Find(text) {
			got = append(got, l.Entries[m.Record].ID)
		}
		must.Equal(t, got, want, text)
	}
	s.calls = []retirement.JournalEntry{{RequestID: "r1", Reference: "PO 9",
		Call: retirement.Call{VintageID: "v1", Quantity: 1_400_000}}}
	for n := range 5 {
		put(fmt.Sprintf("x%d", n), "2025-11-05", 2e6)
	}
	put("r1", "2026-01-05", 1e6)
	finds("po 9", "r1")
	put("r2", "2026-02-05", 400_000)
	finds("po 9", "r1", "r2")
	must.Need(t, of.Ledger.Remove(ctx, "r1") == nil)
	finds("po 9")
	name("Forest")
	finds("wind")
	name("Wind")
	finds("forest")
	finds("r2 wind", "r2")
}

// A search that reads only what may match finds what the whole ledger has, with the same checks.
func TestSearchFindsWhatTheWholeLedgerHas(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		s := newSearched(t)
		s.t = t
		defer s.Store.Close()
		for range 20 {
			s.answer(id(t))
		}
		for range rapid.IntRange(1, 10).Draw(t, "searches") {
			for range rapid.IntRange(0, 2).Draw(t, "changes") {
				s.change()
			}
			s.compare()
		}
	})
}

func (s *searched) change() {
	s.at = s.at.Add(time.Hour)
	of, ctx, t := s.Store.Of(s.Origin), s.t.Context(), s.t
	var err error
	switch rapid.IntRange(0, 9).Draw(t, "change") {
	case 0:
		err = of.Ledger.Remove(ctx, id(t))
	case 1:
		err = of.Ledger.SetLabel(ctx, id(t), oneOf(t, "label", "", "Order 7", "wind", "Zoe"), s.at)
	case 2:
		p := model.Project{ID: oneOf(t, "project", "p1", "p2", "p3"), Name: oneOf(t, "name", "Forest", "Wind 7", "Sun"),
			RegistryID: oneOf(t, "registry", "ACR-7", "VCS-1340")}
		p.Vintages = []model.ProjectVintage{{ID: "v1", Year: rapid.IntRange(2019, 2020).Draw(t, "year")}}
		err = of.Cache.PutProjects(ctx, []model.Project{p}, s.at)
	case 3:
		s.calls = append(s.calls, retirement.JournalEntry{
			ExternalID: fmt.Sprint(len(s.calls)), RequestID: id(t), Account: oneOf(t, "account", "a", "b"), MadeAt: s.at,
			Batch: oneOf(t, "batch", "", "October"), Reference: oneOf(t, "reference", "", "PO 7", "PO 8"),
			Call: retirement.Call{VintageID: oneOf(t, "vintage", "v1", "v2", "v3"),
				Quantity: model.Grams(rapid.SampledFrom([]int64{1e6, 400_000, 1_400_000}).Draw(t, "grams"))},
		})
	case 4:
		err = of.Ledger.Remember(ctx, s.at, id(t))
	default:
		s.answer(id(t))
	}
	must.Hold(t, err == nil, err)
}

func (s *searched) answer(id string) {
	t := s.t
	r := &retirement.Request{
		ID:        oneOf(t, "answer", id, id, id, id, id, id, "00m1"),
		Status:    retirement.Status(oneOf(t, "status", "OPEN", "CLOSED", "COMPLETE", "COMPLETE", "COMPLETE")),
		Type:      retirement.Type(oneOf(t, "type", string(retirement.Whole), string(retirement.Fractionalised))),
		ProjectID: oneOf(t, "project", "p1", "p2", "p3"), VintageID: oneOf(t, "vintage", "v1", "v2", "v3"),
		TotalQuantity: model.Grams(rapid.SampledFrom([]int64{1e6, 400_000, 1_400_000}).Draw(t, "total")),
		CreatedAt: model.ParseTimestamp(oneOf(t, "created", "2026-01-05T10:00:00Z", "2026-01-05T10:00:00Z",
			"2026-02-05T10:00:00Z", "2026-02-05T10:00:00Z", "2026-03-05T10:00:00Z", "?")),
	}
	for range rapid.IntRange(0, 2).Draw(t, "items") {
		r.Items = append(r.Items, retirement.Item{
			ID:        oneOf(t, "item", "00p1", "00p2"),
			Quantity:  model.Grams(rapid.SampledFrom([]int64{1e6, 400_000, 1_400_000}).Draw(t, "of item")),
			CreatedAt: r.CreatedAt, InvoiceID: oneOf(t, "invoice", "", "00i1-5"),
			RetireeName:  oneOf(t, "who", "Ann", "Bo Ltd", "Cy", "Di", "Ed", "Flo", "Guy"),
			RetireeTaxID: oneOf(t, "tax id", "", "GB 12-34", "x1"),
		})
	}
	for range rapid.IntRange(0, 2).Draw(t, "serials") {
		first := rapid.Int64Range(1, 99).Draw(t, "first")
		last := first + rapid.Int64Range(0, 4).Draw(t, "more")
		r.SerialNumbers = append(r.SerialNumbers, oneOf(t, "serial",
			fmt.Sprintf("ACR-FR-7-2019-1-%d to %d", first, last), fmt.Sprintf("ACR-FR-8-2019-1-%d to %d", first, last),
			fmt.Sprintf("1-%d-%d-VCS-VCU-576-VER-US-14-1340-01012019-31122019-1", first, last),
			fmt.Sprintf("2-%d-%d-VCS-VCU-576-VER-US-14-1340-01012019-31122019-0", first, last),
			fmt.Sprintf("unknown %d", first/10), "none"))
	}
	ledger := s.Store.Of(s.Origin).Ledger
	err := cmp.Or(ledger.Remember(t.Context(), s.at, id),
		ledger.Record(t.Context(), store.LookUp{ID: id, At: s.at, Answer: r}))
	must.Hold(t, err == nil, err)
}

func (s *searched) compare() {
	text := oneOf(s.t, "first word", "00m1", "ann", "bo", "cy", "order", "wind", "zoe", "po 7", "PO 7, PO 8", "october",
		"7", "12", "5-9", "3 to 20", "GB12", "x1", "1-5",
		"acr-fr-7-2019-1-4 to 9", "1-4-9-VCS-VCU-576-VER-US-14-1340-01012019-31122019-1", "unknown 3", "complete", "2019",
		"p1", "forest", "acr-7", "nothing", "!7")
	if word := oneOf(s.t, "second word", "", "", " ltd", " bo", " !ann", " 8", " complete", " !forest"); word != "" {
		text += word
	}
	var of retirement.LedgerSelection
	if rapid.Bool().Draw(s.t, "selects") {
		of.Status, of.Beneficiary = retirement.Status(oneOf(s.t, "of status", "", "COMPLETE")),
			oneOf(s.t, "of beneficiary", "", "ann")
		of.From = time.Date(2026, 2, 1, 0, 0, 0, 0, time.UTC)
	}
	found, err := s.Search(s.t.Context(), text, func(all []retirement.LedgerRecord) []retirement.LedgerRecord {
		return slices.DeleteFunc(all, func(r retirement.LedgerRecord) bool { return !selects(of, r) })
	})
	all, wrong := s.Ledger(s.t.Context())
	must.Need(s.t, err == nil && wrong == nil, err, wrong)
	got, want := shown(found, of, text), shown(all, of, text)
	must.Need(s.t, slices.Equal(got, want), text, got, want)
}

func selects(of retirement.LedgerSelection, r retirement.LedgerRecord) bool {
	selected, _ := of.Selects(r)
	return selected
}

// shown returns what the command prints of a search.
func shown(l *Ledger, of retirement.LedgerSelection, text string) (lines []string) {
	undecided := 0
	records := slices.DeleteFunc(l.Records(), func(r retirement.LedgerRecord) bool {
		if _, decided := of.Selects(r); !decided {
			undecided++
		}
		return !selects(of, r)
	})
	failed := l.FailedChecks(records)
	for _, m := range retirement.NewLedgerIndex(records).Find(text) {
		r := records[m.Record]
		lines = append(lines,
			fmt.Sprint(r.ID, m.Field, m.Value, m.Text, m.Exact, m.Serial, r.Label, r.Reference, r.Batch, r.Project,
				failed[m.Record], r.Answer == nil))
	}
	return append(lines, fmt.Sprint(undecided, " undecided"))
}
