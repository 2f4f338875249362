package audit

import (
	"bytes"
	"encoding/csv"
	"encoding/json"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/xuri/excelize/v2"

	"tonne/model"
	"tonne/model/attribute"
	"tonne/model/modeltest"
	must "tonne/model/musttest"
	"tonne/model/retirement"
)

// evidenced returns a request of 15,000 t with all data.
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

var factDay = time.Date(2026, 3, 1, 0, 0, 0, 0, time.UTC)

func fact(scope attribute.Scope, id string, a attribute.Attribute, value string) attribute.Fact {
	return attribute.Fact{Scope: scope, ID: id, Attribute: a, Value: value, Source: "https://icvcm.org/x", Checked: factDay}
}

func bought(grams, held model.Grams, price model.PriceCents) retirement.JournalEntry {
	return retirement.JournalEntry{Reference: "PO-4711", Call: retirement.Call{Quantity: grams, FromInventory: held, BuyTonnes: (grams - held).TonnesUp(), Price: price}}
}

type cells map[string]string

func TestEvidenceRows(t *testing.T) {
	const art, page = "ART-GY-102-2019-3-", "2026-03-01T00:00:00Z Ann https://registry.example/1"
	journaled := func(grams model.Grams, calls ...retirement.JournalEntry) func(*Request) {
		return func(r *Request) {
			*r = Request{Retirement: retirement.Request{ID: "00m1", Status: retirement.Complete, Items: []retirement.Item{{Quantity: grams}}}, Calls: calls}
		}
	}
	seen := func(subject string) func(*Request) {
		return func(r *Request) {
			r.Retirement.SerialNumbers = []string{art + "1 to 1000", art + "1001 to 5000", "an odd one"}
			r.Observations = []retirement.Observation{{Subject: subject, At: factDay, Who: "Ann", URL: "https://registry.example/1"}}
		}
	}
	seenAs := func(a, b, c string) []cells {
		return []cells{{"seen_on_registry": a}, {"seen_on_registry": b}, {"seen_on_registry": c}}
	}
	manyCalls := make([]retirement.JournalEntry, 1000)
	for n := range manyCalls {
		manyCalls[n] = retirement.JournalEntry{ExternalID: strings.Repeat("x", 38), Reference: strconv.Itoa(n)}
	}
	var references strings.Builder
	for n := range namedCalls {
		references.WriteString(strconv.Itoa(n) + "; ")
	}
	for name, c := range map[string]struct {
		change func(*Request)
		want   []cells
	}{
		"all columns": {func(*Request) {}, []cells{{
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
			"check_certificate_on_file": "not_checkable", "check_certificate_agrees": "not_checkable", "check_serials_retired_once": "not_checkable",
			"methodology": "not supplied", "ccp_corsia_labels": "CCP: not supplied; CORSIA: not supplied", "claim_period": "", "attribute_sources": "",
			"doubts": "", "left_out": "4 of 5 requests left out: a, b, c and 1 more",
		}}},
		"several serial numbers": {func(r *Request) { r.Retirement.SerialNumbers = []string{art + "1 to 10", "NEW-1-2", modeltest.Verra} }, []cells{
			{"serial_number": art + "1 to 10", "serial_tonnes": "10", "retirement_request_id": "00m1"},
			{"serial_number": "NEW-1-2", "serial_tonnes": "", "retirement_request_id": "00m1"},
			{"serial_number": modeltest.Verra, "serial_tonnes": "15000", "retirement_request_id": "00m1"},
		}},
		"left out": {func(r *Request) { r.LeftOut = "not found" }, nil},
		"several items": {func(r *Request) {
			r.Retirement.Items = []retirement.Item{{ID: "a", RetireeName: "X", RetireeTaxID: "11112222"}, {ID: "b", RetireeTaxID: "33334444"}, {ID: "c", RetireeName: "X"}}
		}, []cells{{"item_ids": "a; b; c", "beneficiary_name": "X; ; X", "beneficiary_tax_id": "•••••2222; •••••4444; ", "beneficiary_country": ""}}},
		"times": {func(r *Request) {
			r.Retirement.CreatedAt, r.Retirement.RetiredAt = model.ParseTimestamp("2026-02-05T11:51:00.25+01:00"), model.ParseTimestamp("soon")
		}, []cells{{"created_at": "2026-02-05T10:51:00.25Z", "retired_at": "soon"}}},
		"failed check": {func(r *Request) {
			r.Findings = []retirement.Check{{Name: CertificateOnFile, Result: retirement.Fail, Detail: "was altered"}}
		}, []cells{{"check_certificate_on_file": "fail", "doubts": "certificate_on_file: was altered"}}},
		"many calls": {func(r *Request) { r.Calls = manyCalls }, []cells{{"call_references": references.String() + "and 950 more"}}},
		"attributes": {func(r *Request) {
			r.Retirement.SerialNumbers = []string{art + "1 to 10", art + "11 to 30"}
			r.Facts = attribute.NewFacts([]attribute.Fact{
				fact(attribute.OfProject, "003a", attribute.Methodology, "VM0007"), fact(attribute.OfSerial, art+"1 to 20", attribute.CCP, "yes"),
			})
			r.Observations = []retirement.Observation{
				{Subject: "00m1", At: factDay, Who: "Ann", URL: "https://registry.example/1", Page: "1.html", PageSHA256: "9f"},
				{Subject: art + "30 to 31", At: factDay, Who: "Bo", URL: "https://registry.example/2"},
				{Subject: art + "31 to 32", At: factDay, Who: "Cy", URL: "https://registry.example/3"},
			}
		}, []cells{
			{"methodology": "VM0007", "ccp_corsia_labels": "CCP: yes; CORSIA: not supplied", "verifier": "not supplied",
				"attribute_sources": "methodology: https://icvcm.org/x (2026-03-01); ccp: https://icvcm.org/x (2026-03-01)",
				"seen_on_registry":  page + " (1.html SHA-256 9f)"},
			{"ccp_corsia_labels": "CCP: part of them: yes, not supplied; CORSIA: not supplied",
				"seen_on_registry": page + " (1.html SHA-256 9f); 2026-03-01T00:00:00Z Bo https://registry.example/2 (30 to 30 of it)"},
		}},
		"observed request":      {seen("00m1"), seenAs(page, page, page)},
		"observed serial":       {seen(art + "1 to 1000"), seenAs(page, "", "")},
		"observed parts":        {seen(art + "991 to 1010"), seenAs(page+" (991 to 1,000 of it)", page+" (1,001 to 1,010 of it)", "")},
		"observed more":         {seen(art + "500 to 9999"), seenAs(page+" (500 to 1,000 of it)", page, "")},
		"observed other block":  {seen("ART-GY-102-2019-4-1 to 1000"), seenAs("", "", "")},
		"observed next credit":  {seen(art + "5001 to 5001"), seenAs("", "", "")},
		"observed unknown text": {seen("an odd one"), seenAs("", "", page)},
		"exact cost": {journaled(3e6, bought(2e6, 0, 592), bought(1e6, 0, 592)), []cells{
			{"reference": "PO-4711", "cost_cents": "1776", "cost_basis": "exact: the journal has every call with its price"}}},
		"rounded cost": {journaled(1_234_567, bought(1_234_567, 0, 484)), []cells{
			{"cost_cents": "598", "cost_basis": "rounded from 597.530428 cents: the journal has every call with its price"}}},
		"no cost": {journaled(3e6), []cells{{"reference": "", "cost_cents": "", "cost_basis": "not known: the service does not say which trade paid for it"}}},
	} {
		t.Run(name, func(t *testing.T) {
			r := evidenced()
			c.change(&r)
			leftOut := func(id string) Request {
				return Request{Retirement: retirement.Request{ID: id}, LeftOut: "not found"}
			}
			rows := rowsOf(r, lacksOf([]Request{r, leftOut("a"), leftOut("b"), leftOut("c"), leftOut("d")}), false)
			must.Need(t, len(rows) == len(c.want), len(rows))
			for n, want := range c.want {
				for i, column := range columns {
					value, ok := want[column.name]
					must.Hold(t, !ok || rows[n][i] == value, "row", n, column.name, rows[n][i], value)
					must.Hold(t, len(rows[n][i]) <= 32767, column.name)
				}
			}
		})
	}
}

func TestTaxIDsAreMaskedByDefault(t *testing.T) {
	must.Equal(t, rowsOf(evidenced(), "", true)[0][slices.Index(namesOf(columns), "beneficiary_tax_id")], "123456789")
	for id, want := range map[string]string{
		"": "", "1": "•••••", "6789": "•••••", "1234567": "•••••", "12345678": "•••••5678", "123456789": "•••••6789", "ÄÖÜ-äöü-ß9": "•••••ü-ß9",
	} {
		must.Equal(t, retirement.MaskTaxID(id), want, id)
	}
}

func TestIncompleteRequestHasOneRow(t *testing.T) {
	rows := rowsOf(Request{Retirement: retirement.Request{ID: "00m1", Status: retirement.Open, TotalQuantity: model.UnknownGrams}}, "", false)
	must.Need(t, len(rows) == 1, len(rows))
	for i, column := range namesOf(columns) {
		filled := column == "retirement_request_id" || column == "status" || strings.HasPrefix(column, "check_")
		value := rows[0][i]
		must.Hold(t, (value != "") == filled || strings.HasSuffix(value, attribute.NotSupplied), column, value)
	}
}

// retirements returns a request with two serial numbers and one without.
func retirements() []Request {
	return []Request{
		{Retirement: retirement.Request{
			ID: "0012345678901234567890", Status: retirement.Complete, TotalQuantity: 3_000_000, Type: retirement.Whole, ProjectID: "=1+1", VintageID: "V",
			SerialNumbers: []string{"ACR-FR-1129-2025-2917-1 to 2", "ACR-FR-1129-2025-2917-3 to 3"},
			Items:         []retirement.Item{{ID: "I", Quantity: 3_000_000, RetireeName: "Ann", RetireeTaxID: "GB 123 456 789"}},
		}},
		{Retirement: retirement.Request{ID: "R2", Status: retirement.Open, TotalQuantity: 20}},
	}
}

func write(t *testing.T, name string, requests []Request) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), name)
	must.Succeed(t, Write(path, Source{CreatedAt: time.Unix(0, 0), Service: "https://market.example", Version: "v1"}, requests))
	return path
}

// rowsIn reads the rows of an evidence file, the titles first.
func rowsIn(t *testing.T, path string) [][]string {
	t.Helper()
	text := contents(t, path)
	switch filepath.Ext(path) {
	case ".csv":
		return must.Get(csv.NewReader(bytes.NewReader(text)).ReadAll())
	case ".json":
		var rows [][]string
		must.Succeed(t, eachRow(bytes.NewReader(text), func(titles, row []string) bool {
			if rows == nil {
				rows = append(rows, titles)
			}
			rows = append(rows, row)
			return true
		}))
		return rows
	}
	book := must.Get(excelize.OpenReader(bytes.NewReader(text)))
	defer book.Close()
	rows := must.Get(book.GetRows("Evidence"))
	must.Equal(t, rows[len(rows)-1][0], "Total")
	for i := range rows {
		rows[i] = append(rows[i], make([]string, len(rows[0])-len(rows[i]))...)
	}
	return rows[:len(rows)-1]
}

func TestFormatsHaveTheSameRowsAndAManifest(t *testing.T) {
	for _, name := range []string{"e.csv", "e.json", "e.XLSX"} {
		path := write(t, name, retirements())
		rows := rowsIn(t, path)
		must.Need(t, len(rows) == 4 && slices.Equal(rows[0], namesOf(columns)), name, len(rows), rows[0])
		at := func(row int, column string) string { return rows[row][slices.Index(rows[0], column)] }
		formula := "=1+1"
		if name == "e.csv" {
			formula = "'=1+1"
		}
		must.Hold(t, at(1, idColumn) == "0012345678901234567890" && at(2, "serial_number") == "ACR-FR-1129-2025-2917-3 to 3" && at(1, "project_id") == formula,
			name, rows)
		var m map[string]any
		text := contents(t, ManifestPath(path))
		err := json.Unmarshal(text, &m)
		must.Hold(t, err == nil && !bytes.Contains(text, []byte("123 456")) && !strings.Contains(at(1, "beneficiary_tax_id"), "123"), name, err, text)
		for key, want := range map[string]any{
			"file": name, "sha256": hashOf(string(contents(t, path))), "created_at": "1970-01-01T00:00:00Z", "service": "https://market.example",
			"version": "v1", "requests": 2.0, "rows": 3.0, "tax_ids_masked": true,
		} {
			must.Equal(t, m[key], want, name, key)
		}
	}
	for _, path := range []string{"evidence", "evidence.pdf", "evidence.csv.gz", ""} {
		must.Hold(t, Write(path, Source{}, nil) != nil, path)
	}
	_, err := os.Stat("evidence.pdf")
	must.Hold(t, err != nil, "a file was written")
}

// workbook is a workbook of evidence, read by another library.
type workbook struct {
	*excelize.File
	t *testing.T
}

func opened(t *testing.T, requests []Request) workbook {
	t.Helper()
	book := must.Get(excelize.OpenFile(write(t, "e.xlsx", requests)))
	t.Cleanup(func() { _ = book.Close() })
	return workbook{book, t}
}

func (b workbook) at(column string, row int) string {
	b.t.Helper()
	return must.Get(excelize.CoordinatesToCellName(slices.Index(namesOf(columns), column)+1, row))
}

func (b workbook) value(column string, row int, options ...excelize.Options) string {
	b.t.Helper()
	return must.Get(b.GetCellValue("Evidence", b.at(column, row), options...))
}

func (b workbook) kind(column string, row int) excelize.CellType {
	b.t.Helper()
	return must.Get(b.GetCellType("Evidence", b.at(column, row)))
}

func TestWorkbookInAnotherLibrary(t *testing.T) {
	requests := retirements()
	requests[0].Retirement.CreatedAt, requests[0].Retirement.RetiredAt = model.ParseTimestamp("2026-02-08T13:46:00+01:00"), model.ParseTimestamp("soon")
	book := opened(t, append(requests, Request{Retirement: retirement.Request{ID: "lost"}, LeftOut: "not found"}))
	must.Equal(t, strings.Join(book.GetSheetList(), ", "), "Evidence, Checks, Left out")
	const rows = 3
	raw := excelize.Options{RawCellValue: true}
	for name, want := range map[string]string{"total_quantity_grams": "3000020", "serial_tonnes": "3"} {
		for row := 2; row < 2+rows; row++ {
			kind := book.kind(name, row)
			must.Hold(t, book.value(name, row) == "" || kind == excelize.CellTypeUnset || kind == excelize.CellTypeNumber, name, row, kind)
		}
		computed := must.Get(book.CalcCellValue("Evidence", book.at(name, 2+rows), raw))
		total := book.value(name, 2+rows, raw)
		must.Hold(t, total == want && computed == want, "the total of", name, total, computed)
	}
	for _, name := range []string{"retirement_request_id", "project_id", "serial_start"} {
		formula := must.Get(book.GetCellFormula("Evidence", book.at(name, 2)))
		must.Hold(t, book.kind(name, 2) == excelize.CellTypeInlineString && formula == "", name, book.kind(name, 2), formula)
	}
	width := must.Get(book.GetColWidth("Evidence", "A"))
	must.Hold(t, book.value("created_at", 2) == "2026-02-08 12:46:00" && book.value("retired_at", 2) == "soon" && width >= 20 && len(book.GetDefinedName()) == 3,
		book.value("created_at", 2), book.value("retired_at", 2), width, len(book.GetDefinedName()))
	checks, left := must.Get(book.GetRows("Checks")), must.Get(book.GetRows("Left out"))
	must.Hold(t, len(checks) == 1+2*8 && checks[1][1] == retirement.ItemsSumToTotal && len(left) == 2 && left[1][0] == "lost" && left[1][1] == "not found",
		len(checks), left)
}

func TestTotalNamesCreditsCountedTwice(t *testing.T) {
	for serial, want := range map[string]string{
		"": "", "ACR-FR-1129-2025-2917-3 to 9": "the total of serial_tonnes counts credits twice that are in several rows: ACR 3 to 3",
	} {
		requests := retirements()
		requests[1].Retirement.SerialNumbers = []string{serial}
		must.Equal(t, opened(t, requests).value("doubts", 5), want)
	}
}
