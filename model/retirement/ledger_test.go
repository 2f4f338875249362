package retirement_test

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"pgregory.net/rapid"

	"tonne/model"
	"tonne/model/modeltest"
	must "tonne/model/musttest"
	"tonne/model/retirement"
	"tonne/model/texttest"
)

// ledgerOfThree returns a request with all values, one of another block with the same
// numbers, and one that was never found.
func ledgerOfThree() []retirement.LedgerRecord {
	first := retirement.Request{
		ID: "00mone", ProjectID: "003bale", VintageID: "004old",
		SerialNumbers: []string{modeltest.Verra, "NEW-FORMAT-17"},
		Items: []retirement.Item{{
			ID: "00pitem", RetireeName: "Ümlaut Brothers Ltd", RetireeTaxID: "GB 123-456 789", InvoiceID: "00ioct",
			TradeID: "00gtrade",
		}},
	}
	second := retirement.Request{
		ID: "00mtwo", ProjectID: "003wind", VintageID: "004new",
		SerialNumbers: []string{"ACR-FR-1129-2025-2917-940090000 to 940090009"},
		Items:         []retirement.Item{{ID: "00pother", RetireeName: "Brothers & Sons", InvoiceID: "00ioct"}},
	}
	return []retirement.LedgerRecord{
		{ID: "00mone", Label: "Q3 flights", Reference: "PO-4711", Answer: &first, Project: model.Project{
			Name: "Bale Mountains", RegistryID: "VCS-1340", Vintages: []model.ProjectVintage{{ID: "004old", Year: 2019}},
		}},
		{ID: "00mtwo", Answer: &second},
		{ID: "00mlost", Label: "not found"},
	}
}

// finds returns the results of a search as "record by field".
func finds(x *retirement.LedgerIndex, text string) string {
	var all []string
	for _, m := range x.Find(text) {
		all = append(all, fmt.Sprintf("%d by %s", m.Record, m.Field))
	}
	return strings.Join(all, ", ")
}

func TestFindByAnyField(t *testing.T) {
	x := retirement.NewLedgerIndex(ledgerOfThree())
	texttest.Table(t, "ledger_searches", func(text string) string {
		found := finds(x, text)
		if found != "" {
			found += ": " + x.Find(text)[0].Value
		}
		return found
	})
}

func TestWholeValuesComeFirst(t *testing.T) {
	x := retirement.NewLedgerIndex([]retirement.LedgerRecord{{ID: "00m12"}, {ID: "00m1"}, {ID: "00m3", Label: "00m1"}})
	got, want := finds(x, "00m1"), "1 by id, 2 by label, 0 by id"
	must.Equal(t, got, want)
}

func TestMatchHasTheSerialRange(t *testing.T) {
	m := retirement.NewLedgerIndex(ledgerOfThree()).Find("940090005")
	if len(m) != 2 || m[0].Serial.Registry != retirement.Verra || m[1].Serial.Registry != retirement.ACR || !m[1].Exact {
		t.Errorf("%+v", m)
	}
}

// someSerials generates serials of few owners, blocks and credits, so that many overlap.
func someSerials() *rapid.Generator[[]retirement.OwnedSerial] {
	one := rapid.Custom(func(t *rapid.T) retirement.OwnedSerial {
		start := rapid.Int64Range(0, 60).Draw(t, "start")
		n := rapid.Int64Range(1, 20).Draw(t, "tonnes")
		block := rapid.SampledFrom([]string{"a", "b"}).Draw(t, "block")
		return retirement.OwnedSerial{
			Serial: retirement.Serial{Registry: retirement.ART, Block: block, Start: start, End: start + n - 1, Tonnes: n},
			Owner:  rapid.IntRange(0, 4).Draw(t, "owner"),
		}
	})
	return rapid.SliceOfN(one, 0, 30)
}

func share(a, b retirement.OwnedSerial) bool {
	return a.Block == b.Block && a.Start <= b.End && b.Start <= a.End
}

func TestFindSearchesWithinSerialRanges(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		serials := someSerials().Draw(t, "serials")
		records := make([]retirement.LedgerRecord, 5)
		for n := range records {
			records[n].Answer = &retirement.Request{}
		}
		for _, s := range serials {
			a := records[s.Owner].Answer
			a.SerialNumbers = append(a.SerialNumbers,
				fmt.Sprintf("ART-GY-102-2019-%d-%d to %d", len(s.Block)+int(s.Block[0]), s.Start, s.End))
		}
		start := rapid.Int64Range(0, 70).Draw(t, "start")
		end := start + rapid.Int64Range(0, 10).Draw(t, "more")
		want := make(map[int]int64)
		for _, s := range serials {
			if first, found := want[s.Owner]; s.Start <= end && start <= s.End && (!found || s.Start < first) {
				want[s.Owner] = s.Start
			}
		}
		got := make(map[int]int64)
		for _, m := range retirement.NewLedgerIndex(records).Find(fmt.Sprintf("%d to %d", start, end)) {
			if m.Serial != nil {
				got[m.Record] = m.Serial.Start
			}
		}
		must.Equal(t, got, want)
	})
}

func TestRetiredTwiceNamesAllOwners(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		serials := someSerials().Draw(t, "serials")
		want, got := make(map[int]bool), make(map[int]bool)
		for _, a := range serials {
			for _, b := range serials {
				if a.Owner != b.Owner && share(a, b) {
					want[a.Owner], want[b.Owner] = true, true
				}
			}
		}
		for _, o := range retirement.RetiredTwice(serials) {
			if o.A.Owner == o.B.Owner || !share(o.A, o.B) || o.End < o.Start || o.Start < o.A.Start || o.End > o.B.End ||
				o.End > o.A.End {
				t.Fatalf("%+v is not an overlap of two requests", o)
			}
			got[o.A.Owner], got[o.B.Owner] = true, true
		}
		must.Equal(t, fmt.Sprint(got), fmt.Sprint(want), got, want)
	})
}

func TestUnreadableSerialsMatchNoRange(t *testing.T) {
	unread := []retirement.OwnedSerial{{Owner: 1}, {Owner: 2}}
	got := retirement.RetiredTwice(unread)
	must.Hold(t, got == nil, got)
}

func TestRangesDoNotMatchWithinIDs(t *testing.T) {
	puro := retirement.Request{
		ID:            "00m1-55",
		SerialNumbers: []string{"PURO_PR_CORC100+_FI_577166_2023_3d38d7c1-2060-07c4-5e81-5027cad0b0b3_2213964-2214063"},
		Items:         []retirement.Item{{ID: "4111-5222", RetireeTaxID: "12-15 7"}},
	}
	other := retirement.Request{ID: "00mother", Items: []retirement.Item{{ID: "41-55", TradeID: "81-50"}}}
	x := retirement.NewLedgerIndex([]retirement.LedgerRecord{{ID: puro.ID, Answer: &puro},
		{ID: other.ID, Answer: &other, Label: "flights 1-5"}})
	for text, want := range map[string]string{
		"81-5027": "", "1-50": "", "1-5": "1 by label", "12-15": "0 by beneficiary_tax_id", "41-55": "1 by item_id",
		"2213000-2213964": "0 by serial_number", "2060-07c4": "0 by serial_number", "00m1-5": "0 by id",
	} {
		must.Equal(t, finds(x, text), want, text)
	}
}

func TestSearchesHaveConditions(t *testing.T) {
	request := modeltest.RetirementOf("r1", "wind", "w20", "2026-02-20", "", "Ann Smith", 3e6)
	undated := *request
	undated.CreatedAt = model.Timestamp{}
	texttest.Table(t, "ledger_conditions", func(text string) string {
		of, rest, err := retirement.ParseLedgerSearch(text)
		if err != nil {
			return err.Error()
		}
		from, to := of.From.Format(time.DateOnly), of.To.Format(time.DateOnly)
		line := fmt.Sprintf("from %s to %s, status %q, beneficiary %q\nleft %q", from, to, of.Status, of.Beneficiary, rest)
		for _, one := range []struct {
			name   string
			answer *retirement.Request
		}{{"complete", request}, {"undated", &undated}, {"never looked up", nil}} {
			selected, decided := of.Selects(retirement.LedgerRecord{ID: "r1", Answer: one.answer})
			must.Hold(t, decided || !selected, text)
			line += fmt.Sprintf("\n%s: selected %v, decided %v", one.name, selected, decided)
		}
		return line
	})
}
