package model_test

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"tonne/model"
)

// cell returns the value of a column, and fails where there is none.
func cell(t *testing.T, row model.EvidenceRow, column string) string {
	t.Helper()
	i := slices.Index(model.EvidenceColumns(), column)
	if i < 0 || len(row) != len(model.EvidenceColumns()) {
		t.Fatalf("no column %s in %d values", column, len(row))
	}
	return row[i]
}

func evidenced() model.EvidenceSource {
	p := itsProject()
	p.Name, p.Type, p.Country, p.RegistryName = "Bale Mountains", "REDD+", "ET", "VERRA"
	r := completed()
	r.CertificateURL = "https://registry.example/00m1.pdf"
	r.Items[1].InvoiceID = "00i2"
	return model.EvidenceSource{
		Retirement: r, Project: p, ProjectKnown: true,
		Certificate: model.EvidenceCertificate{File: "00m1.pdf", SHA256: "9f2c", FetchedAt: time.Date(2026, 2, 8, 13, 0, 0, 0, time.FixedZone("CET", 3600))},
	}
}

func TestEvidenceHasWhatAnAuditorAsksFor(t *testing.T) {
	t.Parallel()
	rows := model.Evidence(evidenced(), false)
	if len(rows) != 1 {
		t.Fatalf("%d rows", len(rows))
	}
	for column, want := range map[string]string{
		"retirement_request_id": "00m1", "status": "COMPLETE", "type": "WHOLE",
		"project_id": "003a", "project_name": "Bale Mountains", "project_type": "REDD+", "country": "ET",
		"registry": "Verra", "registry_project_id": "4268", "registry_project_url": "https://registry.verra.org/app/projectDetail/VCS/4268",
		"vintage_id": "004a", "vintage_year": "2024", "total_quantity_grams": "15000000000",
		"created_at": "2026-02-05T10:51:00Z", "retired_at": "2026-02-08T11:46:00Z",
		"serial_number": verra, "serial_start": "940082955", "serial_end": "940097954", "serial_tonnes": "15000",
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

func TestEvidenceHasOneRowForEachSerialRange(t *testing.T) {
	t.Parallel()
	source := evidenced()
	source.Retirement.SerialNumbers = []string{"ART-GY-102-2019-3-1 to 10", "NEW-1-2", verra}
	rows := model.Evidence(source, false)
	var got []string
	for _, row := range rows {
		got = append(got, cell(t, row, "serial_number")+" "+cell(t, row, "serial_tonnes")+" "+cell(t, row, "retirement_request_id"))
	}
	want := []string{"ART-GY-102-2019-3-1 to 10 10 00m1", "NEW-1-2  00m1", verra + " 15000 00m1"}
	if !slices.Equal(got, want) {
		t.Errorf("got  %q\nwant %q", got, want)
	}
}

func TestEvidenceOfARequestThatIsNotCompleteIsOneRow(t *testing.T) {
	t.Parallel()
	rows := model.Evidence(model.EvidenceSource{Retirement: model.Retirement{ID: "00m1", Status: model.Open, TotalQuantity: model.UnknownGrams}}, false)
	if len(rows) != 1 {
		t.Fatalf("%d rows", len(rows))
	}
	for _, column := range model.EvidenceColumns() {
		filled := column == "retirement_request_id" || column == "status" || strings.HasPrefix(column, "check_")
		if got := cell(t, rows[0], column); (got != "") != filled && !strings.HasSuffix(got, model.NotSupplied) {
			t.Errorf("%s = %q", column, got)
		}
	}
}

func TestTaxIDsAreMaskedUnlessAskedFor(t *testing.T) {
	t.Parallel()
	if got := cell(t, model.Evidence(evidenced(), true)[0], "beneficiary_tax_id"); got != "123456789" {
		t.Errorf("shown as %q", got)
	}
	for id, want := range map[string]string{
		"": "", "1": "•••••", "6789": "•••••", "1234567": "•••••", "12345678": "•••••5678", "123456789": "•••••6789", "ÄÖÜ-äöü-ß9": "•••••ü-ß9",
	} {
		if got := model.MaskTaxID(id); got != want {
			t.Errorf("MaskTaxID(%q) = %q, want %q", id, got, want)
		}
	}
}

func TestValuesOfSeveralItemsStandInTheOrderOfTheItems(t *testing.T) {
	t.Parallel()
	source := evidenced()
	source.Retirement.Items = []model.RetirementItem{
		{ID: "a", RetireeName: "X", RetireeTaxID: "11112222"}, {ID: "b", RetireeTaxID: "33334444"}, {ID: "c", RetireeName: "X"},
	}
	row := model.Evidence(source, true)[0]
	for column, want := range map[string]string{
		"item_ids": "a; b; c", "beneficiary_name": "X; ; X", "beneficiary_tax_id": "11112222; 33334444; ", "beneficiary_country": "",
	} {
		if got := cell(t, row, column); got != want {
			t.Errorf("%s = %q, want %q", column, got, want)
		}
	}
}

func TestTimesOfEvidenceAreUTCOrAsTheyCame(t *testing.T) {
	t.Parallel()
	source := evidenced()
	source.Retirement.CreatedAt = model.ParseTimestamp("2026-02-05T11:51:00.25+01:00")
	source.Retirement.RetiredAt = model.ParseTimestamp("soon")
	row := model.Evidence(source, false)[0]
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
		model.Evidence(source, false)
	}
}

func TestFindingsAndWhatWasLeftOutStandInTheRows(t *testing.T) {
	t.Parallel()
	source := evidenced()
	source.Lacks = model.Lacks([]model.EvidenceSource{
		source, {Retirement: model.Retirement{ID: "a"}, LeftOut: "not found"}, {Retirement: model.Retirement{ID: "b"}, LeftOut: "not found"},
		{Retirement: model.Retirement{ID: "c"}, LeftOut: "not found"}, {Retirement: model.Retirement{ID: "d"}, LeftOut: "not found"},
	})
	source.Findings = []model.Check{{Name: model.CertificateOnFile, Result: model.Fail, Detail: "was altered"}}
	row := model.Evidence(source, false)[0]
	for column, want := range map[string]string{
		"check_certificate_on_file": "fail", "check_certificate_agrees": "not_checkable", "check_serials_retired_once": "not_checkable",
		"doubts": "certificate_on_file: was altered", "left_out": "4 of 5 requests left out: a, b, c and 1 more",
	} {
		if got := cell(t, row, column); got != want {
			t.Errorf("%s = %q, want %q", column, got, want)
		}
	}
	if rows := model.Evidence(model.EvidenceSource{LeftOut: "not found"}, false); rows != nil {
		t.Errorf("a request that was left out has rows: %v", rows)
	}
}

func TestCertificateOnFileSaysWhatIsWrong(t *testing.T) {
	t.Parallel()
	saved := model.At(time.Date(2026, 2, 8, 12, 0, 0, 733698888, time.UTC))
	for _, c := range []struct {
		state  model.CertificateState
		result model.Result
		detail string
	}{
		{model.CertificateState{}, model.NotCheckable, "no certificate was saved"},
		{model.CertificateState{Saved: saved}, model.Pass, "unchanged since 2026-02-08T12:00:00Z"},
		{model.CertificateState{Fetched: true}, model.Pass, "fetched with the evidence"},
		{model.CertificateState{Saved: saved, Fetched: true}, model.Pass, "unchanged since 2026-02-08T12:00:00Z"},
		{model.CertificateState{Saved: saved, Fetched: true, Wrong: "is gone"}, model.Fail,
			"the file saved at 2026-02-08T12:00:00Z is gone, the one here was fetched anew and is what was saved then"},
		{model.CertificateState{Failed: "no route"}, model.Fail, "not fetched: no route"},
		{model.CertificateState{Saved: saved, Wrong: "is gone", Superseded: true}, model.Fail,
			"the file saved at 2026-02-08T12:00:00Z is gone, the service serves another certificate than the one saved at 2026-02-08T12:00:00Z"},
	} {
		if got := model.CheckCertificateOnFile(c.state); got.Name != model.CertificateOnFile || got.Result != c.result || got.Detail != c.detail {
			t.Errorf("%+v: %+v", c.state, got)
		}
	}
}

func TestSerialsThatAnotherRequestHoldsAreNamedOnBothSides(t *testing.T) {
	t.Parallel()
	ids := []string{"one", "two", "three"}
	name := func(owner int) string { return ids[owner] }
	var requests []model.Retirement
	var serials []model.OwnedSerial
	for owner, text := range []string{"ART-GY-102-2019-3-1 to 10", "ART-GY-102-2019-3-5000 to 6000", "ART-GY-102-2019-3-4 to 7"} {
		r := model.Retirement{ID: ids[owner], SerialNumbers: []string{text}}
		requests = append(requests, r)
		serials = append(serials, model.OwnedSerial{Serial: r.Serials()[0], Owner: owner})
	}
	overlaps := model.RetiredTwice(serials)
	for owner, want := range []string{"ART 4 to 7 also retired by three", "no other request of the ledger holds them", "ART 4 to 7 also retired by one"} {
		got := model.CheckRetiredOnce(requests[owner], overlaps, name)
		if got.Detail != want || (got.Result == model.Fail) != (owner != 1) {
			t.Errorf("%s: %+v", ids[owner], got)
		}
	}
	if got := model.CheckRetiredOnce(model.Retirement{ID: "four"}, nil, name); got.Result != model.NotCheckable {
		t.Errorf("without serial numbers: %+v", got)
	}
}

// A month of a thousand calls into one request of fractions still fits into a
// cell of a spreadsheet.
func TestOfManyCallsTheFirstAreNamedInARow(t *testing.T) {
	t.Parallel()
	source := model.EvidenceSource{Retirement: model.Retirement{ID: "00m1"}}
	for n := range 1000 {
		source.Calls = append(source.Calls, model.JournalEntry{ExternalID: strings.Repeat("x", 38), Reference: strconv.Itoa(n)})
	}
	row := model.Evidence(source, false)[0]
	if got := cell(t, row, "call_references"); !strings.HasPrefix(got, "0; 1; 2; ") || !strings.HasSuffix(got, "; 49; and 950 more") {
		t.Errorf("references %q", got)
	}
	for i, name := range model.EvidenceColumns() {
		if len(row[i]) > 32767 {
			t.Errorf("%s has %d characters", name, len(row[i]))
		}
	}
}
