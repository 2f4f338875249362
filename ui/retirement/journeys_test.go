package retirement

import (
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"tonne/api"
	"tonne/api/session"
	"tonne/model"
	"tonne/model/attribute"
	"tonne/model/retirement"
	"tonne/ui/tab"
	"tonne/ui/uitest"
)

func sends(news ...session.Event) func(r *robot) { return func(r *robot) { r.Hear(news...) } }

func pastes(text string) func(r *robot) { return func(r *robot) { r.paste(text) } }

func finds(answers ...*retirement.Request) func(r *robot) {
	return func(r *robot) { r.with(answers...) }
}

// journaled sends the journal of a request.
func journaled(id string, j retirement.Journaled) func(r *robot) {
	return sends(session.AnnotationsEvent{Journal: map[string]retirement.Journaled{id: j}})
}

func labels(id, label string) func(r *robot) {
	return func(r *robot) {
		r.feed.SetLabel(id, label)
		r.listen()
	}
}

// calls checks how often the session was called.
func calls(what string, times int) func(r *robot) {
	return func(r *robot) {
		r.T.Helper()
		if n := r.asked(what); n != times {
			r.T.Errorf("%q was called %d times, want %d: %q", what, n, times, r.feed.Asked)
		}
	}
}

func silent(r *robot) {
	r.T.Helper()
	if len(r.Said) > 0 {
		r.T.Errorf("messages %q", r.Said)
	}
}

func status(want string) func(r *robot) {
	return func(r *robot) {
		r.T.Helper()
		if got := r.tab.Info().Status; got != want {
			r.T.Errorf("the status is %q, want %q", got, want)
		}
	}
}

func manyReferences() (references []string) {
	for n := range 200 {
		references = append(references, fmt.Sprintf("PO-%d", n))
	}
	return references
}

func notSaved(subject session.Subject) session.StoreEvent {
	return session.StoreEvent{Failed: []session.WriteError{{Subject: subject, Err: errors.New("the disk is full")}}}
}

func attributed(scope attribute.Scope, id string, a attribute.Attribute, value string) attribute.Fact {
	return attribute.Fact{Scope: scope, ID: id, Attribute: a, Value: value, Source: "https://icvcm.example/" + string(a), Checked: uitest.Now}
}

var journeys = uitest.Journeys[*robot]{
	"an unwritable ledger warns once": {
		{Do: func(r *robot) { r.tab.Handle(tab.Hidden{}) }},
		{Do: sends(session.StoreEvent{Problem: errors.New("nothing is saved: the disk is full")})},
		{Do: silent},
		{Do: (*robot).enters, Said: "The ledger is lost when you quit. The reason is below it.", Sees: "Nothing is saved: the disk is full."},
		{Do: func(r *robot) {
			r.paste("00mhere0001")
			r.enters()
			if len(r.Said) != 1 {
				r.T.Errorf("warned more than once: %q", r.Said)
			}
		}, Sees: "00mhere0001"},
	},
	"a failed write of the ledger is reported": {
		{Do: sends(notSaved(session.WatchlistWrites))}, {Do: silent},
		{Do: sends(notSaved(session.LedgerWrites)), Said: "Could not save the ledger: the disk is full."},
	},
	"a failed read of the ledger is reported": {
		{Do: pastes(sampleID)},
		{
			Do: func(r *robot) {
				r.Hear(session.LedgerEvent{Requests: r.feed.Requests(), Err: errors.New("the file is locked")})
			},
			Said: "Could not read the ledger: the file is locked.", Sees: sampleID,
		},
	},
	"undo keeps a request that was added again": {
		{Do: pastes(sampleID)},
		{Keys: "x", Do: pastes(sampleID)},
		{Keys: "Z", Said: sampleID + " is already in the ledger.", Sees: "1 request", Do: calls("restore "+sampleID, 0)},
	},
	"a removed request is restored": {
		{Keys: "Z", Said: "You have not removed a request."},
		{Do: finds(request(retirement.Closed))},
		{Keys: "L", Reply: "invoice 2\x1b]0;evil\x07 open"},
		{Keys: "x", Lacks: sampleID, Do: calls("remove "+sampleID, 1)},
		{Keys: "Z", Sees: sampleID + "|invoice 2]0;evil open|CLOSED", Do: calls("restore "+sampleID, 1)},
	},
	"a removed request is not counted as pending": {
		{Do: pastes("00mone00001 00mtwo00001 00mtri00001")},
		{Keys: "x", Do: func(r *robot) {
			r.found(uitest.Retirement("00mtwo00001", retirement.Complete), uitest.Retirement("00mtri00001", retirement.Complete))
		}, Said: "Looked up 2 requests."},
		{Do: status("2 requests")},
	},
	"look-ups are summarised": {
		{Do: pastes("00mgone0001 00mgone0002 00maway0001 00mslow0001 00mdone0001")},
		{Do: func(r *robot) {
			r.answered(
				uitest.Answer{ID: "00mgone0001", Err: &api.Error{Kind: api.NotFound}}, uitest.Answer{ID: "00mgone0002", Err: &api.Error{Kind: api.NotFound}},
				uitest.Answer{ID: "00maway0001", Err: &api.Error{Kind: api.Unreachable}}, uitest.Answer{ID: "00mslow0001", Err: &api.Error{Kind: api.ServerError, Status: 500}},
			)
			r.found(uitest.Retirement("00mdone0001", retirement.Complete))
		}, Said: "Looked up 5 requests, 2 not found, 1 not reached, 1 failed."},
	},
	"a failed look-up keeps the last answer": {
		{Do: finds(request(retirement.Closed))},
		{Do: func(r *robot) {
			r.answered(uitest.Answer{ID: sampleID, Retirement: request(retirement.Closed), At: r.Now, Err: errors.New("connection refused")})
		}, Sees: "CLOSED|⚠ as of 2 Nov 2026 09:14 UTC: connection refused"},
	},
	"a search of serial numbers keeps that of the ledger": {
		{Do: crowd},
		{Keys: "/", Typed: "0000000000"},
		{Keys: "enter enter /", Typed: "VCS"},
		{Keys: "esc esc", Sees: "5 of 6 requests|/ 0000000000|search by id"},
		{Keys: "esc", Lacks: "of 6 requests"},
	},
	"sort keys act on the ledger, not on the details": {
		{Do: crowd, Size: [2]int{120, 36}},
		{Keys: "right left s", Said: "Sorted by REQUEST, A to Z. ← → mark another column."},
		{Keys: "s", Said: "Sorted by REQUEST, Z to A. ← → mark another column."},
		{Keys: "enter s", Said: "Only the ledger can be sorted. Esc returns to it."},
		{Keys: "left", Said: "Only the ledger can be sorted. Esc returns to it."},
		{Keys: "right", Said: "Only the ledger can be sorted. Esc returns to it."},
	},
	"a reference is shown and found": {
		{Do: pastes("00mhere0001 00mthere002")},
		{Do: journaled("00mhere0001", retirement.Journaled{References: []string{"2026-Q4/flight-9", "2026-Q4/flight-10"}}), Line: "▎|00mhere0001|2026-Q4/flight-9"},
		{Keys: "/", Typed: "flight-10"},
		{Keys: "enter", Lacks: "00mthere002"},
		// The FOUND column shows the matching field.
		{Keys: "esc", Do: labels("00mhere0001", "Q4"), Line: "▎|Q4", Lacks: "flight-9"},
	},
	"list and details use the same name": {
		{Do: finds(request(retirement.Complete))},
		{
			Do:   journaled(sampleID, retirement.Journaled{References: []string{"2026-Q4/flight-9"}}),
			Sees: "label             2026-Q4/flight-9|reference         2026-Q4/flight-9", Line: "▎|2026-Q4/flight-9",
		},
		{Do: labels(sampleID, "Q4"), Sees: "label             Q4|reference         2026-Q4/flight-9"},
	},
	"many references are counted": {
		{Do: finds(request(retirement.Complete))},
		{
			Do:   journaled(sampleID, retirement.Journaled{References: manyReferences()}),
			Sees: "label             PO-0, PO-1 and 198 more|reference         PO-0, PO-1 and 198 more", Lacks: "PO-2,",
		},
		{Keys: "/", Typed: "PO-199"},
		{Keys: "enter", Sees: sampleID},
	},

	// The details.
	"checks follow the details of the project": {
		{Do: func(r *robot) {
			r.View.Projects = nil
			r.with(request(retirement.Complete))
		}, Sees: "003bale|the details of the project are unknown"},
		{Do: sends(session.ProjectsEvent{Projects: uitest.Projects()}), Sees: "Bale Mountains · 2019|✓ project and vintage agree with serials"},
	},
	"the details use the chosen unit": {
		{Do: finds(request(retirement.Complete, func(a *retirement.Request) { a.Items[1].Quantity = 60 }))},
		{
			Keys: "enter } } } } enter", Lacks: " g |,000 g",
			Sees: "10,000.000060 t of 15,000 t|15,000 of 15,000 t|quantity          15,000 t|quantity        10,000 t",
		},
		{
			Do:    func(r *robot) { r.View.InGrams = true; r.tab.Handle(tab.UnitChanged{}) },
			Lacks: " t |,000 t",
			Sees:  "10,000,000,060 g of 15,000,000,000 g|15,000,000,000 of 15,000,000,000 g|quantity          15,000,000,000 g|quantity        10,000,000,000 g",
		},
	},
	"serial numbers are searched, expanded and copied": {
		{Do: finds(request(retirement.Complete, func(a *retirement.Request) {
			a.SerialNumbers = []string{verra, "ACR-FR-1129-2025-2917-30932 to 35143", "REGISTRY-OF-NOWHERE/1..5000"}
		}))},
		{Keys: "enter /", Typed: "acr-fr", Sees: "1 of 3 ranges · 4,212 of 19,212 t|4,212 t", Lacks: "REGISTRY-OF-NOWHERE"},
		{Keys: "enter } } } y", Copied: "ACR-FR-1129-2025-2917-30932 to 35143"},
		{Keys: "enter", Sees: "registry|30,932 to 35,143|ACR-FR-1129-2025-2917"},
		{Keys: "enter", Lacks: "30,932 to 35,143"},
		{Keys: "esc", Sees: "3 ranges · 19,212 t · 1 in an unknown format|unknown format"},
		{Keys: "/", Typed: "nowhere", Sees: "1 of 3 ranges · 1 in an unknown format"},
		{Keys: "esc /", Typed: "nothing like it", Lacks: "0 of 3 ranges · 0"},
		{Keys: "esc N", Copied: verra + "\nACR-FR-1129-2025-2917-30932 to 35143\nREGISTRY-OF-NOWHERE/1..5000"},
	},
	"a search finds the range that contains a number": {
		{Do: finds(request(retirement.Complete, func(a *retirement.Request) {
			a.SerialNumbers = []string{"ACR-FR-1129-2025-2917-1 to 100", "ACR-FR-1129-2025-2917-201 to 300"}
		}))},
		{Keys: "enter /", Typed: "250", Sees: "1 of 2 ranges|201 to 300", Lacks: "2917-1 to 100"},
		{Keys: "esc /", Typed: "90 to 210", Sees: "2 ranges"},
	},
	"an item is expanded": {
		{Do: finds(request(retirement.Complete, func(a *retirement.Request) {
			a.Items[0].Extra = []model.Field{{Name: "external_retiree_id", Value: "C-17"}}
		}))},
		{Keys: "enter } } } } enter", Sees: "invoice|00i0001|trade|00g0001|external_retiree_id|C-17|•••••6789", Lacks: "123456789"},
		{Keys: "T", Sees: "123456789"},
	},
	"attributes have a value or are not supplied": {
		{Do: finds(request(retirement.Complete)), Sees: "methodology       not supplied|removal           not supplied|CCP label         not supplied"},
		{Do: sends(session.AnnotationsEvent{Facts: attribute.NewFacts([]attribute.Fact{
			attributed(attribute.OfVintage, uitest.Key("003bale", 0).VintageID, attribute.Methodology, "VM0007"),
			attributed(attribute.OfSerial, "19334-940082955-940083954-VCS-VCU-576-VER-ET-14-1340-01012019-31122019-1", attribute.CCP, "yes"),
		})}), Sees: "methodology       VM0007 · https://icvcm.example/methodology|CCP label         part of them: yes, not supplied"},
	},
	"the cost is exact only if the journal has the request": {
		{Do: finds(request(retirement.Complete)), Sees: "cost              not known: the service does not say which trade paid for it"},
		{
			Do: journaled(sampleID, retirement.NewJournaled(sampleID, []retirement.JournalEntry{
				{Call: retirement.Call{Quantity: 15_000e6, BuyTonnes: 15_000, Price: 592}, Reference: "PO-4711"},
			})),
			Sees: "reference         PO-4711|cost              $88,800.00, exact: the journal has the whole request", Line: "  " + sampleID + "|PO-4711",
		},
	},
	"fractions that moved between requests are shown": {
		{Do: finds(request(retirement.Complete))},
		{
			Do: journaled(sampleID, retirement.Journaled{
				References: []string{"flight-9"}, Quantity: 1_681_911, Moved: 818_089, MovedTo: "00mnext0001", Came: 500_000, CameFrom: "00mlast0001",
			}),
			Sees: "by this machine   1.681911 t in this request|moved in          0.500000 t from 00mlast0001|" +
				"moved out         0.818089 t to the next month's request 00mnext0001|this machine retired 1.681911 t of",
		},
	},
	"retired once is not checkable if the ledger is lost": {
		{Do: finds(request(retirement.Complete)), Sees: "✓ credits retired once|no certificate was saved"},
		{
			Do:   sends(session.StoreEvent{Problem: errors.New("tonne.db is no database")}),
			Sees: "· credits retired once|the ledger of this machine is unusable", Lacks: "✓ credits retired once|no certificate was saved",
		},
	},
	"an observation has the time of its submission": {
		{Do: func(r *robot) { r.tab.o.Who = "ada"; r.with(request(retirement.Complete)) }},
		{Keys: "V", Do: func(r *robot) { r.Now = r.Now.Add(16 * time.Hour) }},
		{Keys: "enter enter", Do: func(r *robot) {
			if got := r.feed.Told.Observations; len(got) != 1 || !got[0].At.Equal(uitest.Now.Add(16*time.Hour)) {
				r.T.Errorf("recorded %+v", got)
			}
		}},
	},
	"an import quotes lines without an id": {
		{Do: func(r *robot) {
			r.paste("Dear Anna,\r" + idC + "\rto be\u200b announced\r")
			r.shows(76, 12, `✗ "Dear Anna,"`, "✗ \"to be\ufffd announced\"")
		}},
		{Keys: "y enter", Copied: "Dear Anna,\nto be\u200b announced", Sees: idC},
		{Do: pastes("00m\u200b1\r"), Said: "No id found in the pasted text. \"00m\ufffd1\""},
		{Do: func(r *robot) {
			r.paste("request,amount\r" + idA + ",5\r" + "soon,6\r" + idB + ",7\r")
			r.shows(100, 16, `✗ "soon,6"`)
		}},
	},
}

func TestJourneys(t *testing.T) {
	t.Parallel()
	journeys.Each(t, func(t testing.TB) *robot { return newRobot(t, Options{}) })
}

// batchJourneys start with a ledger that has a batch.
var batchJourneys = uitest.Journeys[*robot]{
	"a batch is one row that opens": {
		{Sees: "▸ 3 requests|q4.csv|2/3 COMPLETE|" + idA, Lacks: "00mbatch0000000001"},
		{Keys: "g g j", Sees: "Batch q4.csv|3 requests of one batch: 1 CLOSED, 2 COMPLETE.|↵ opens the batch"},
		{Keys: "e x y", Said: "A batch is selected. ↵ opens it to select a request."},
		{Keys: "enter", Sees: "▾ 3 requests|  00mbatch0000000001|↵ closes the batch"},
		{Keys: "j y", Do: func(r *robot) {
			copied, cell := uitest.LastOf(r.Copied), r.tab.panes.ledger.Table.CopyCell()
			if !strings.HasPrefix(copied, "00mbatch00") || cell != copied || len(r.shownIDs()) != 5 {
				r.T.Errorf("copied %q, the cell is %q, shown are %q", copied, cell, r.shownIDs())
			}
		}},
		{Keys: "k enter", Lacks: "00mbatch0000000001", Do: func(r *robot) {
			if shown := r.shownIDs(); len(shown) != 5 {
				r.T.Errorf("shown while closed %q", shown)
			}
		}},
	},
	"a selected request opens its batch": {
		{Do: pastes("00mbatch0000000002"), Sees: "▾ 3 requests"},
		{Do: func(r *robot) {
			if row, ok := r.tab.panes.ledger.Selected(); !ok || row.ID != "00mbatch0000000002" {
				r.T.Errorf("selected %q", row.ID)
			}
		}},
	},
	"a search finds the requests of a closed batch": {
		{Keys: "/", Typed: "Q4/1"},
		{Keys: "enter", Sees: "00mbatch0000000002|1 of 5 requests", Lacks: "▸ 3 requests"},
		{Keys: "esc /", Typed: "00mbatch0000000002"},
		{Keys: "enter", Sees: "00mbatch0000000002|1 of 5 requests", Lacks: "▸ 3 requests"},
		{Keys: "esc /", Typed: "q4.csv"},
		{Keys: "enter", Sees: "00mbatch0000000002|3 of 5 requests", Lacks: "▸ 3 requests"},
		{Keys: "esc", Sees: "▸ 3 requests|5 requests"},
	},
}

func TestBatchJourneys(t *testing.T) {
	t.Parallel()
	batchJourneys.Each(t, func(t testing.TB) *robot { return withBatch(t) })
}
