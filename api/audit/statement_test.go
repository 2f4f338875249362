package audit

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"

	"tonne/model"
	"tonne/model/advice"
	"tonne/model/file/paper"
	"tonne/model/modeltest"
	must "tonne/model/musttest"
	"tonne/model/retirement"
	"tonne/model/statement"
	"tonne/model/texttest"
)

func TestShareIsRoundedToOneDecimal(t *testing.T) {
	texttest.Table(t, "shares", func(of string) string {
		var part, whole model.Grams
		_ = must.Get(fmt.Sscan(of, &part, &whole))
		return partOf(part, whole)
	})
}

func TestStatementPDFHasPagesForEachPart(t *testing.T) {
	t.Parallel()
	many := func(requests, serials int) func(*statement.Source) {
		return func(of *statement.Source) {
			first := of.Requests[0]
			for n := range serials {
				first.SerialNumbers = append(first.SerialNumbers, fmt.Sprintf("ACR-FR-1-2025-2917-%d to %d", n*10, n*10+9))
			}
			of.Requests[0] = first
			for n := range requests {
				first.ID = fmt.Sprintf("more %d", n)
				of.Requests = append(of.Requests, first)
			}
		}
	}
	named := func(name string) func(*statement.Source) {
		return func(of *statement.Source) {
			of.Account = statement.Account{Tenant: name, Profile: name, Marketplace: name}
			of.Requests[0].Items[0].RetireeName, of.Requests[0].SerialNumbers = name, []string{name}
		}
	}
	for name, c := range map[string]struct {
		by          statement.Grouping
		change      func(*statement.Source)
		least, most int
	}{
		"projects":         {statement.PerMonth, named("a"), 3, 3},
		"beneficiaries":    {statement.PerBeneficiary, many(0, 0), 3, 3},
		"one beneficiary":  {statement.PerBeneficiary, func(of *statement.Source) { of.Beneficiary = "ANN" }, 2, 2},
		"many requests":    {statement.PerProject, many(500, 0), 30, 65},
		"many serials":     {statement.PerProject, many(0, 2000), 30, 50},
		"long name":        {statement.PerBeneficiary, named(strings.Repeat("long words ", 40)), 4, 6},
		"unbreakable name": {statement.PerBeneficiary, named(strings.Repeat("W", 255)), 4, 7},
		"other scripts":    {statement.PerBeneficiary, named("Ünïcode Ω Ж 界 \U0001F333 \xff"), 4, 4},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			of := modeltest.YearOfTwo()
			of.By, of.Certificates = c.by,
				map[string]retirement.Certificate{of.Requests[0].ID: {Path: "/c/a.pdf", SHA256: strings.Repeat("a", 64)}}
			c.change(&of)
			s := must.Get(statement.New(of))
			file := must.Get(StatementPDF(of, s, func(int, int) error { return nil }))
			again := must.Get(StatementPDF(of, s, func(int, int) error { return nil }))
			must.Hold(t, bytes.Equal(again, file), "printing it again makes another file (")
			n := paper.Pages(file)
			must.Hold(t, n >= c.least && n <= c.most, n)
		})
	}
}

func TestPrintingAStatementReportsProgressAndCanBeCancelled(t *testing.T) {
	t.Parallel()
	of := modeltest.YearOfTwo()
	for n := range 1000 {
		more := *of.Requests[0]
		more.ID = fmt.Sprintf("more %d", n)
		of.Requests = append(of.Requests, &more)
	}
	s := must.Get(statement.New(of))
	var reports []int
	file, err := StatementPDF(of, s, func(printed, all int) error {
		must.Hold(t, all > 1000 && printed < all, printed, all)
		if reports = append(reports, printed); len(reports) == 3 {
			return context.Canceled
		}
		return nil
	})
	must.Hold(t, errors.Is(err, context.Canceled) && file == nil, err)
	must.Hold(t, len(reports) == 3 && slices.IsSorted(reports), reports)
}

func TestCloseMonthStates(t *testing.T) {
	in := func(id string, change func(*retirement.Request)) Request {
		r := modeltest.RetirementOf(id, "forest", "f19", "2026-01-20", "ART-GY-102-2019-3-1 to 20", "Ann", 20e6)
		r.CertificateURL, r.AllInvoicesSettled = "https://a.example/c.pdf", model.Yes
		r.Items[0].RetireeTaxID, r.Items[0].RetireeCountry, r.Items[0].InvoiceID = "T", "GB", "N1"
		change(r)
		return Request{Retirement: *r, Findings: []retirement.Check{{Name: CertificateOnFile, Result: retirement.Pass}}}
	}
	unsaved := func(s Request) Request {
		s.Findings = nil
		return s
	}
	status := func(s retirement.Status) func(*retirement.Request) {
		return func(r *retirement.Request) {
			r.Status, r.AllInvoicesSettled, r.SerialNumbers, r.CertificateURL = s, model.No, nil, ""
		}
	}
	source := modeltest.YearOfTwo()
	m, err := CloseMonth(MonthSource{From: time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC), Now: source.Now,
		Inventory: source.Inventory, Requests: []Request{
			in("a-good", func(*retirement.Request) {}),
			in("b-unsettled", func(r *retirement.Request) { r.AllInvoicesSettled = model.No }),
			in("c-open", status(retirement.Open)), in("d-closed", status(retirement.Closed)),
			in("e-busy", status(retirement.InProgress)), in("f-odd", status("ODD")),
			in("g-bare", func(r *retirement.Request) { r.SerialNumbers, r.CertificateURL = nil, "" }),
			in("h-short", func(r *retirement.Request) {
				r.Status, r.TotalQuantity, r.SerialNumbers = retirement.NothingToProcess, 0, nil
			}),
			in("i-december", func(r *retirement.Request) { r.CreatedAt = modeltest.OnDay("2025-12-31") }),
			in("j-february", func(r *retirement.Request) { r.CreatedAt = model.ParseTimestamp("2026-02-01T00:00:00Z") }),
			in("k-noinvoice", func(r *retirement.Request) { r.Items[0].InvoiceID = "" }),
			unsaved(in("l-unsaved", func(*retirement.Request) {})),
			unsaved(in("m-neither", func(r *retirement.Request) { r.AllInvoicesSettled = model.No })),
			unsaved(in("n-open", status(retirement.Open))),
			in("n-unread", func(r *retirement.Request) { r.SerialNumbers = []string{"FOO"} }),
			in("o-gone", func(r *retirement.Request) { r.AllInvoicesSettled, r.CertificateURL = model.No, "" }),
		}})
	must.Succeed(t, err)
	var got []string
	for _, f := range m.Requests {
		line := fmt.Sprintf("%s %s", f.State, f.ID)
		if f.WaitsFor != "" {
			line += " for " + string(f.WaitsFor)
		}
		for _, d := range f.Failed {
			line += " but " + d.Name
		}
		got = append(got, line)
	}
	want := []string{
		"waiting c-open for the end of its month", "waiting d-closed for its invoices to be settled",
		"waiting e-busy for the registry but invoices_settled",
		"waiting f-odd for a state that is known: it is in ODD",
		"waiting g-bare for its serial numbers and its certificate but serials_sum_to_whole_tonnes",
		"waiting l-unsaved for its certificate to be saved", "waiting n-open for the end of its month",
		"doubtful b-unsettled but invoices_settled",
		"doubtful m-neither for its certificate to be saved but invoices_settled",
		"doubtful o-gone for its certificate but invoices_settled",
		"complete a-good", "complete k-noinvoice", "complete n-unread", "nothing_to_process h-short",
	}
	must.Equal(t, got, want)
	s := m.Sums
	must.Hold(t, s.Requested == 260e6 && s.Retired == 160e6 && s.Bought == 70e6 && s.Cents == "40530" && m.Unread == 0,
		m)
	must.Equal(t, m.Invoices, []MonthInvoice{{"N1", 13, 260e6}})
}

func TestCloseMonthNotesPreliminaryFigures(t *testing.T) {
	source := modeltest.YearOfTwo()
	january := time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC)
	for name, c := range map[string]struct {
		now    time.Time
		ledger []*retirement.Request
		want   []string
	}{
		"over": {source.Now, source.Requests, []string{none}},
		"not ended": {january.AddDate(0, 0, 20), source.Requests,
			[]string{"2026-01 has not ended yet (UTC): the figures are not final.", none}},
		"last moment": {january.AddDate(0, 1, 0).Add(-1), source.Requests,
			[]string{"2026-01 has not ended yet (UTC): the figures are not final.", none}},
		"not started": {january.Add(-1), nil, []string{"2026-01 has not started yet (UTC).", none}},
		"incomplete ledger": {source.Now, source.Requests[2:],
			[]string{none, "30 t were bought that are neither in a wallet nor in a request of the ledger: " +
				"look up the requests that it lacks with `tonne retirement`. Until then \"retired\" may be too low."}},
	} {
		m, err := CloseMonth(MonthSource{From: january, Now: c.now, Ledger: c.ledger, Inventory: source.Inventory})
		must.Hold(t, err == nil && reflect.DeepEqual(advice.Strings(m.Notes), c.want), name, m.Notes, err, c.want)
	}
}

const none = "The ledger has no request of 2026-01."
