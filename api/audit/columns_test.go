package audit

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"tonne/api/session"
	"tonne/model"
	"tonne/model/attribute"
	"tonne/model/modeltest"
	"tonne/model/retirement"
)

// cell returns the value of a column, and fails if there is none.
func cell(t *testing.T, row []string, column string) string {
	t.Helper()
	i := slices.Index(namesOf(columns), column)
	if i < 0 || len(row) != len(namesOf(columns)) {
		t.Fatalf("no column %s in %d values", column, len(row))
	}
	return row[i]
}

func evidenced() Request {
	p := modeltest.ItsProject()
	p.Name, p.Type, p.Country, p.RegistryName = "Bale Mountains", "REDD+", "ET", "VERRA"
	r := modeltest.Completed()
	r.CertificateURL = "https://registry.example/00m1.pdf"
	r.Items[1].InvoiceID = "00i2"
	return Request{
		Retirement: r, Project: p, ProjectKnown: true,
		Certificate: retirement.Certificate{Path: "/home/ann/00m1.pdf", SHA256: "9f2c", FetchedAt: time.Date(2026, 2, 8, 13, 0, 0, 0, time.FixedZone("CET", 3600))},
	}
}

func TestEvidenceHasAllColumns(t *testing.T) {
	t.Parallel()
	rows := rowsOf(evidenced(), "", false)
	if len(rows) != 1 {
		t.Fatalf("%d rows", len(rows))
	}
	for column, want := range map[string]string{
		"retirement_request_id": "00m1", "status": "COMPLETE", "type": "WHOLE",
		"project_id": "003a", "project_name": "Bale Mountains", "project_type": "REDD+", "country": "ET",
		"registry": "Verra", "registry_project_id": "4268", "registry_project_url": "https://registry.verra.org/app/projectDetail/VCS/4268",
		"vintage_id": "004a", "vintage_year": "2024", "total_quantity_grams": "15000000000",
		"created_at": "2026-02-05T10:51:00Z", "retired_at": "2026-02-08T11:46:00Z",
		"serial_number": modeltest.Verra, "serial_start": "940082955", "serial_end": "940097954", "serial_tonnes": "15000",
		"item_ids": "00p1; 00p2", "beneficiary_name": "Your Customer Ltd", "beneficiary_tax_id": "•••••6789", "beneficiary_country": "GB",
		"invoice_ids": "; 00i2", "trade_ids": "",
		"certificate_url": "https://registry.example/00m1.pdf", "certificate_file": "00m1.pdf", "certificate_sha256": "9f2c",
		"certificate_fetched_at":   "2026-02-08T12:00:00Z",
		"check_items_sum_to_total": "pass", "check_serials_sum_to_whole_tonnes": "pass", "check_invoices_settled": "pass",
		"check_beneficiary_present": "pass", "check_serials_match_vintage": "pass",
		"methodology": "not supplied", "ccp_corsia_labels": "CCP: not supplied; CORSIA: not supplied", "claim_period": "", "attribute_sources": "",
	} {
		if got := cell(t, rows[0], column); got != want {
			t.Errorf("%s = %q, want %q", column, got, want)
		}
	}
}

func TestEvidenceHasOneRowPerSerialRange(t *testing.T) {
	t.Parallel()
	source := evidenced()
	source.Retirement.SerialNumbers = []string{"ART-GY-102-2019-3-1 to 10", "NEW-1-2", modeltest.Verra}
	rows := rowsOf(source, "", false)
	var got []string
	for _, row := range rows {
		got = append(got, cell(t, row, "serial_number")+" "+cell(t, row, "serial_tonnes")+" "+cell(t, row, "retirement_request_id"))
	}
	want := []string{"ART-GY-102-2019-3-1 to 10 10 00m1", "NEW-1-2  00m1", modeltest.Verra + " 15000 00m1"}
	if !slices.Equal(got, want) {
		t.Errorf("got  %q\nwant %q", got, want)
	}
}

func TestIncompleteRequestHasOneRow(t *testing.T) {
	t.Parallel()
	rows := rowsOf(Request{Retirement: retirement.Request{ID: "00m1", Status: retirement.Open, TotalQuantity: model.UnknownGrams}}, "", false)
	if len(rows) != 1 {
		t.Fatalf("%d rows", len(rows))
	}
	for _, column := range namesOf(columns) {
		filled := column == "retirement_request_id" || column == "status" || strings.HasPrefix(column, "check_")
		if got := cell(t, rows[0], column); (got != "") != filled && !strings.HasSuffix(got, attribute.NotSupplied) {
			t.Errorf("%s = %q", column, got)
		}
	}
}

func TestTaxIDsAreMaskedByDefault(t *testing.T) {
	t.Parallel()
	if got := cell(t, rowsOf(evidenced(), "", true)[0], "beneficiary_tax_id"); got != "123456789" {
		t.Errorf("shown as %q", got)
	}
	for id, want := range map[string]string{
		"": "", "1": "•••••", "6789": "•••••", "1234567": "•••••", "12345678": "•••••5678", "123456789": "•••••6789", "ÄÖÜ-äöü-ß9": "•••••ü-ß9",
	} {
		if got := retirement.MaskTaxID(id); got != want {
			t.Errorf("MaskTaxID(%q) = %q, want %q", id, got, want)
		}
	}
}

func TestValuesOfSeveralItemsKeepTheirOrder(t *testing.T) {
	t.Parallel()
	source := evidenced()
	source.Retirement.Items = []retirement.Item{
		{ID: "a", RetireeName: "X", RetireeTaxID: "11112222"}, {ID: "b", RetireeTaxID: "33334444"}, {ID: "c", RetireeName: "X"},
	}
	row := rowsOf(source, "", true)[0]
	for column, want := range map[string]string{
		"item_ids": "a; b; c", "beneficiary_name": "X; ; X", "beneficiary_tax_id": "11112222; 33334444; ", "beneficiary_country": "",
	} {
		if got := cell(t, row, column); got != want {
			t.Errorf("%s = %q, want %q", column, got, want)
		}
	}
}

func TestTimesAreUTCOrUnchanged(t *testing.T) {
	t.Parallel()
	source := evidenced()
	source.Retirement.CreatedAt = model.ParseTimestamp("2026-02-05T11:51:00.25+01:00")
	source.Retirement.RetiredAt = model.ParseTimestamp("soon")
	row := rowsOf(source, "", false)[0]
	if got := cell(t, row, "created_at"); got != "2026-02-05T10:51:00.25Z" {
		t.Errorf("created_at = %q", got)
	}
	if got := cell(t, row, "retired_at"); got != "soon" {
		t.Errorf("retired_at = %q", got)
	}
	if at := model.At(time.Time{}); at.Known() || at.Text != "" {
		t.Errorf("no time is %+v", at)
	}
}

func BenchmarkEvidenceOf10000Serials(b *testing.B) {
	source := evidenced()
	source.Retirement.SerialNumbers = nil
	for i := range 10_000 {
		source.Retirement.SerialNumbers = append(source.Retirement.SerialNumbers, fmt.Sprintf("ART-GY-102-2019-3-%d to %d", i*2, i*2+1))
	}
	b.ReportAllocs()
	for b.Loop() {
		rowsOf(source, "", false)
	}
}

func TestRowsHaveFailedChecksAndLeftOutRequests(t *testing.T) {
	t.Parallel()
	source := evidenced()
	lacks := lacksOf([]Request{
		source, {Retirement: retirement.Request{ID: "a"}, LeftOut: "not found"}, {Retirement: retirement.Request{ID: "b"}, LeftOut: "not found"},
		{Retirement: retirement.Request{ID: "c"}, LeftOut: "not found"}, {Retirement: retirement.Request{ID: "d"}, LeftOut: "not found"},
	})
	source.Findings = []retirement.Check{{Name: CertificateOnFile, Result: retirement.Fail, Detail: "was altered"}}
	row := rowsOf(source, lacks, false)[0]
	for column, want := range map[string]string{
		"check_certificate_on_file": "fail", "check_certificate_agrees": "not_checkable", "check_serials_retired_once": "not_checkable",
		"doubts": "certificate_on_file: was altered", "left_out": "4 of 5 requests left out: a, b, c and 1 more",
	} {
		if got := cell(t, row, column); got != want {
			t.Errorf("%s = %q, want %q", column, got, want)
		}
	}
	if rows := rowsOf(Request{LeftOut: "not found"}, "", false); rows != nil {
		t.Errorf("a request that was left out has rows: %v", rows)
	}
}

// A thousand calls of one month must fit into a cell of a spreadsheet.
func TestRowNamesOnlyTheFirstCalls(t *testing.T) {
	t.Parallel()
	source := Request{Retirement: retirement.Request{ID: "00m1"}}
	for n := range 1000 {
		source.Calls = append(source.Calls, retirement.JournalEntry{ExternalID: strings.Repeat("x", 38), Reference: strconv.Itoa(n)})
	}
	row := rowsOf(source, "", false)[0]
	if got := cell(t, row, "call_references"); !strings.HasPrefix(got, "0; 1; 2; ") || !strings.HasSuffix(got, "; 49; and 950 more") {
		t.Errorf("references %q", got)
	}
	for i, name := range namesOf(columns) {
		if len(row[i]) > 32767 {
			t.Errorf("%s has %d characters", name, len(row[i]))
		}
	}
}

func TestCertificateOnFileDetails(t *testing.T) {
	t.Parallel()
	saved := retirement.Certificate{Path: "c.pdf", SHA256: "1", FetchedAt: time.Date(2026, 2, 8, 12, 0, 0, 733698888, time.UTC)}
	same, other := &retirement.Certificate{SHA256: "1"}, &retirement.Certificate{SHA256: "2"}
	for _, c := range []struct {
		subject Subject
		result  retirement.Result
		detail  string
	}{
		{Subject{}, retirement.NotCheckable, "no certificate was saved"},
		{Subject{LedgerLost: true}, retirement.NotCheckable, "the ledger of this machine is unusable"},
		{Subject{Certificate: saved, File: session.Unchanged}, retirement.Pass, "unchanged since 2026-02-08T12:00:00Z"},
		{Subject{Fetched: same}, retirement.Pass, "fetched with the evidence"},
		{Subject{Certificate: saved, File: session.Unchanged, Fetched: same}, retirement.Pass, "unchanged since 2026-02-08T12:00:00Z"},
		{Subject{Certificate: saved, File: session.Gone, Fetched: same}, retirement.Fail,
			"the file saved at 2026-02-08T12:00:00Z is gone, a new download is identical to the saved file"},
		{Subject{FetchProblem: "no route"}, retirement.Fail, "not fetched: no route"},
		{Subject{Certificate: saved, File: session.Gone, Fetched: other}, retirement.Fail,
			"the file saved at 2026-02-08T12:00:00Z is gone, the service now serves a certificate that differs from the one saved at 2026-02-08T12:00:00Z"},
	} {
		if got := c.subject.Findings()[0]; got.Name != CertificateOnFile || got.Result != c.result || got.Detail != c.detail {
			t.Errorf("%+v: %+v", c.subject, got)
		}
	}
}

func TestUnreadableSerialNumbersFail(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		status  retirement.Status
		serials []string
		want    string
	}{
		{retirement.Complete, []string{"FOO-BAR-1"}, "1 of 1 serial number in an unknown format"},
		{retirement.Complete, []string{"ART-GY-102-2019-3-1 to 20", "FOO"}, "1 of 2 serial numbers in an unknown format"},
		{retirement.Complete, nil, "no serial numbers are listed"},
		{retirement.Complete, []string{"ART-GY-102-2019-3-1 to 20"}, ""},
		{retirement.InProgress, nil, ""},
	} {
		r := modeltest.RetirementOf("r1", "forest", "f19", "2026-01-20", "", "Ann", 20e6)
		r.AllInvoicesSettled, r.Status, r.SerialNumbers = model.Yes, c.status, c.serials
		doubts := Request{Retirement: r}.FailedChecks()
		if (len(doubts) > 0) != (c.want != "") || c.want != "" && (doubts[0].Check != retirement.SerialsSumToWholeTonnes || doubts[0].Detail != c.want) {
			t.Errorf("%s %q: %+v", c.status, c.serials, doubts)
		}
	}
}

var factDay = time.Date(2026, 3, 1, 0, 0, 0, 0, time.UTC)

func fact(scope attribute.Scope, id string, a attribute.Attribute, value string) attribute.Fact {
	return attribute.Fact{Scope: scope, ID: id, Attribute: a, Value: value, Source: "https://icvcm.org/x", Checked: factDay}
}

func TestAttributeColumns(t *testing.T) {
	t.Parallel()
	source := evidenced()
	source.Retirement.SerialNumbers = []string{"ART-GY-102-2019-3-1 to 10", "ART-GY-102-2019-3-11 to 30"}
	source.Facts = attribute.NewFacts([]attribute.Fact{
		fact(attribute.OfProject, "003a", attribute.Methodology, "VM0007"), fact(attribute.OfSerial, "ART-GY-102-2019-3-1 to 20", attribute.CCP, "yes"),
	})
	source.Observations = []retirement.Observation{
		{Subject: "00m1", At: factDay, Who: "Ann", URL: "https://registry.example/1", Page: "1.html", PageSHA256: "9f"},
		{Subject: "ART-GY-102-2019-3-30 to 31", At: factDay, Who: "Bo", URL: "https://registry.example/2"},
		{Subject: "ART-GY-102-2019-3-31 to 32", At: factDay, Who: "Cy", URL: "https://registry.example/3"},
	}
	rows := rowsOf(source, "", false)
	for n, wants := range []map[string]string{
		{"methodology": "VM0007", "ccp_corsia_labels": "CCP: yes; CORSIA: not supplied", "verifier": "not supplied", "removal": "not supplied", "claim_period": "",
			"attribute_sources": "methodology: https://icvcm.org/x (2026-03-01); ccp: https://icvcm.org/x (2026-03-01)",
			"seen_on_registry":  "2026-03-01T00:00:00Z Ann https://registry.example/1 (1.html SHA-256 9f)"},
		{"ccp_corsia_labels": "CCP: part of them: yes, not supplied; CORSIA: not supplied",
			"seen_on_registry": "2026-03-01T00:00:00Z Ann https://registry.example/1 (1.html SHA-256 9f); 2026-03-01T00:00:00Z Bo https://registry.example/2 (30 to 30 of it)"},
	} {
		for column, want := range wants {
			if got := cell(t, rows[n], column); got != want {
				t.Errorf("row %d: %s = %q, want %q", n, column, got, want)
			}
		}
	}
}

func TestObservationCoversOnlyItsCredits(t *testing.T) {
	t.Parallel()
	source := evidenced()
	source.Retirement.SerialNumbers = []string{"ART-GY-102-2019-3-1 to 1000", "ART-GY-102-2019-3-1001 to 5000", "an odd one"}
	const said = "2026-03-01T00:00:00Z Ann https://registry.example/1"
	for subject, want := range map[string][3]string{
		source.Retirement.ID:             {said, said, said},
		"ART-GY-102-2019-3-1 to 1000":    {said, "", ""},
		"ART-GY-102-2019-3-991 to 1010":  {said + " (991 to 1,000 of it)", said + " (1,001 to 1,010 of it)", ""},
		"ART-GY-102-2019-3-500 to 9999":  {said + " (500 to 1,000 of it)", said, ""},
		"ART-GY-102-2019-4-1 to 1000":    {},
		"ART-GY-102-2019-3-5001 to 5001": {},
		"an odd one":                     {"", "", said},
	} {
		source.Observations = []retirement.Observation{{Subject: subject, At: factDay, Who: "Ann", URL: "https://registry.example/1"}}
		for n, row := range rowsOf(source, "", false) {
			if got := cell(t, row, "seen_on_registry"); got != want[n] {
				t.Errorf("%s, row %d: %q, want %q", subject, n, got, want[n])
			}
		}
	}
}

func callFor(grams, held model.Grams, price model.PriceCents) retirement.Call {
	return retirement.Call{Quantity: grams, FromInventory: held, BuyTonnes: (grams - held).TonnesUp(), Price: price}
}

func TestEvidenceHasReferenceAndCostBasis(t *testing.T) {
	t.Parallel()
	calls := []retirement.JournalEntry{{Call: callFor(2e6, 0, 592), Reference: "PO-4711"}, {Call: callFor(1e6, 0, 592), Reference: "PO-4711"}}
	source := Request{Retirement: retirement.Request{ID: "00m1", Status: retirement.Complete, Items: []retirement.Item{{Quantity: 3e6}}}, Calls: calls}
	cell := func(name string) string {
		return rowsOf(source, "", false)[0][slices.Index(namesOf(columns), name)]
	}
	if got := cell("reference") + ", " + cell("cost_cents") + ", " + cell("cost_basis"); got != "PO-4711, 1776, exact: the journal has every call with its price" {
		t.Error(got)
	}
	source.Calls = []retirement.JournalEntry{{Call: callFor(1_234_567, 0, 484)}}
	source.Retirement.Items[0].Quantity = 1_234_567
	if got := cell("cost_cents") + ", " + cell("cost_basis"); got != "598, rounded from 597.530428 cents: the journal has every call with its price" {
		t.Error(got)
	}
	source.Calls = nil
	if got := cell("reference") + cell("cost_cents"); got != "" || !strings.HasPrefix(cell("cost_basis"), "not known: ") {
		t.Errorf("%q, %q", got, cell("cost_basis"))
	}
}
