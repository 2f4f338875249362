package audit

import (
	"bytes"
	"cmp"
	"encoding/csv"
	"encoding/json"
	"fmt"
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
	"tonne/model/field"
	"tonne/model/file/localfile"
	"tonne/model/modeltest"
	must "tonne/model/musttest"
	"tonne/model/retirement"
	"tonne/model/texttest"
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
		Certificate: retirement.Certificate{
			Path:      "/home/ann/00m1.pdf",
			SHA256:    "9f2c",
			FetchedAt: time.Date(2026, 2, 8, 13, 0, 0, 0, time.FixedZone("CET", 3600)),
		},
	}
}

var factDay = time.Date(2026, 3, 1, 0, 0, 0, 0, time.UTC)

func fact(scope attribute.Scope, id string, a attribute.Attribute, value string) attribute.Fact {
	return attribute.Fact{
		Scope:     scope,
		ID:        id,
		Attribute: a,
		Value:     value,
		Source:    "https://icvcm.org/x",
		Checked:   factDay,
	}
}

func bought(grams, held model.Grams, price model.PriceCents) retirement.JournalEntry {
	return retirement.JournalEntry{
		Reference: "PO-4711",
		Call:      retirement.Call{Quantity: grams, FromInventory: held, BuyTonnes: (grams - held).TonnesUp(), Price: price},
	}
}

// evidenceChanges are changes of evidenced, by the names of testdata/evidence.txtar.
func evidenceChanges() map[string]func(*Request) {
	const art = "ART-GY-102-2019-3-"
	journaled := func(grams model.Grams, calls ...retirement.JournalEntry) func(*Request) {
		return func(r *Request) {
			*r = Request{
				Retirement: retirement.Request{
					ID:     "00m1",
					Status: retirement.Complete,
					Items:  []retirement.Item{{Quantity: grams}},
				},
				Calls: calls,
			}
		}
	}
	seen := func(subject string) func(*Request) {
		return func(r *Request) {
			r.Retirement.SerialNumbers = []string{art + "1 to 1000", art + "1001 to 5000", "an odd one"}
			r.Observations = []retirement.Observation{
				{Subject: subject, At: factDay, Who: "Ann", URL: "https://registry.example/1"},
			}
		}
	}
	manyCalls := make([]retirement.JournalEntry, 1000)
	for n := range manyCalls {
		manyCalls[n] = retirement.JournalEntry{ExternalID: strings.Repeat("x", 38), Reference: strconv.Itoa(n)}
	}
	return map[string]func(*Request){
		"all columns": func(*Request) {},
		"several serial numbers": func(r *Request) {
			r.Retirement.SerialNumbers = []string{art + "1 to 10", "NEW-1-2", modeltest.Verra}
		},
		"left out": func(r *Request) { r.LeftOut = "not found" },
		"several items": func(r *Request) {
			r.Retirement.Items = []retirement.Item{
				{ID: "a", RetireeName: "X", RetireeTaxID: "11112222"},
				{ID: "b", RetireeTaxID: "33334444"},
				{ID: "c", RetireeName: "X"},
			}
		},
		"times": func(r *Request) {
			r.Retirement.CreatedAt, r.Retirement.RetiredAt = model.ParseTimestamp(
				"2026-02-05T11:51:00.25+01:00",
			), model.ParseTimestamp(
				"soon",
			)
		},
		"failed check": func(r *Request) {
			r.Findings = []retirement.Check{{Name: CertificateOnFile, Result: retirement.Fail, Detail: "was altered"}}
		},
		"many calls": func(r *Request) { r.Calls = manyCalls },
		"attributes": func(r *Request) {
			r.Retirement.SerialNumbers = []string{art + "1 to 10", art + "11 to 30"}
			r.Facts = attribute.NewFacts([]attribute.Fact{
				fact(
					attribute.OfProject,
					"003a",
					attribute.Methodology,
					"VM0007",
				), fact(attribute.OfSerial, art+"1 to 20", attribute.CCP, "yes"),
			})
			r.Observations = []retirement.Observation{
				{Subject: "00m1", At: factDay, Who: "Ann", URL: "https://registry.example/1", Page: "1.html", PageSHA256: "9f"},
				{Subject: art + "30 to 31", At: factDay, Who: "Bo", URL: "https://registry.example/2"},
				{Subject: art + "31 to 32", At: factDay, Who: "Cy", URL: "https://registry.example/3"},
			}
		},
		"observed request": seen(
			"00m1",
		), "observed serial": seen(art + "1 to 1000"), "observed parts": seen(art + "991 to 1010"),
		"observed more": seen(art + "500 to 9999"), "observed other block": seen("ART-GY-102-2019-4-1 to 1000"),
		"observed next credit": seen(art + "5001 to 5001"), "observed unknown text": seen("an odd one"),
		"exact cost": journaled(
			3e6,
			bought(2e6, 0, 592),
			bought(1e6, 0, 592),
		), "rounded cost": journaled(1_234_567, bought(1_234_567, 0, 484)),
		"no cost": journaled(3e6),
	}
}

// TestEvidenceRows writes the rows of a changed request. Of all changes but the first, it writes the cells that differ.
func TestEvidenceRows(t *testing.T) {
	changes := evidenceChanges()
	rowsAfter := func(change string) [][]field.Value {
		r := evidenced()
		changes[change](&r)
		all := []Request{r}
		for _, id := range []string{"a", "b", "c", "d"} {
			all = append(all, Request{Retirement: retirement.Request{ID: id}, LeftOut: "not found"})
		}
		return rowsOf(r, lacksOf(all), false)
	}
	same := make([]field.Value, len(columns))
	texttest.Run(t, "evidence", func(t *testing.T, text string) string {
		return texttest.Answers(text, func(change string) (output string) {
			for n, row := range rowsAfter(change) {
				output += fmt.Sprintln("row", n+1)
				for i, column := range columns {
					text := row[i].Plain()
					must.Hold(t, len(text) <= 32767, column.Name)
					if text != same[i].Plain() {
						output += fmt.Sprintf("  %s = %.150s\n", column.Name, text)
					}
				}
				if change == "all columns" {
					same = row
				}
			}
			return cmp.Or(output, "no row")
		})
	})
}

func TestTaxIDsAreMaskedByDefault(t *testing.T) {
	must.Equal(t, rowsOf(evidenced(), "", true)[0][slices.Index(columnNames(), "beneficiary_tax_id")].Plain(), "123456789")
	for id, want := range map[string]string{
		"": "", "1": "•••••", "6789": "•••••", "1234567": "•••••", "12345678": "•••••5678", "123456789": "•••••6789",
		"ÄÖÜ-äöü-ß9": "•••••ü-ß9",
	} {
		must.Equal(t, retirement.MaskTaxID(id), want, id)
	}
}

func TestIncompleteRequestHasOneRow(t *testing.T) {
	rows := rowsOf(
		Request{Retirement: retirement.Request{ID: "00m1", Status: retirement.Open, TotalQuantity: model.UnknownGrams}},
		"",
		false,
	)
	must.Need(t, len(rows) == 1, len(rows))
	for i, column := range columnNames() {
		filled := column == "retirement_request_id" || column == "status" || strings.HasPrefix(column, "check_")
		value := rows[0][i].Plain()
		must.Hold(t, (value != "") == filled || strings.HasSuffix(value, attribute.NotSupplied), column, value)
	}
}

// retirements returns a request with two serial numbers and one without.
func retirements() []Request {
	return []Request{
		{Retirement: retirement.Request{
			ID: "0012345678901234567890", Status: retirement.Complete, TotalQuantity: 3_000_000, Type: retirement.Whole,
			ProjectID: "=1+1", VintageID: "V",
			SerialNumbers: []string{"ACR-FR-1129-2025-2917-1 to 2", "ACR-FR-1129-2025-2917-3 to 3"},
			Items:         []retirement.Item{{ID: "I", Quantity: 3_000_000, RetireeName: "Ann", RetireeTaxID: "GB 123 456 789"}},
		}},
		{Retirement: retirement.Request{ID: "R2", Status: retirement.Open, TotalQuantity: 20}},
	}
}

func write(t *testing.T, name string, requests []Request) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), name)
	must.Succeed(
		t,
		Write(
			localfile.Target{Path: path},
			Source{CreatedAt: time.Unix(0, 0), Service: "https://market.example", Version: "v1"},
			requests,
		),
	)
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
		must.Need(t, len(rows) == 4 && slices.Equal(rows[0], columnNames()), name, len(rows), rows[0])
		at := func(row int, column string) string { return rows[row][slices.Index(rows[0], column)] }
		formula := "=1+1"
		if name == "e.csv" {
			formula = "'=1+1"
		}
		must.Hold(
			t,
			at(1, idColumn) == "0012345678901234567890" && at(2, "serial_number") == "ACR-FR-1129-2025-2917-3 to 3" &&
				at(1, "project_id") == formula,
			name,
			rows,
		)
		var m map[string]any
		text := contents(t, ManifestPath(path))
		err := json.Unmarshal(text, &m)
		must.Hold(
			t,
			err == nil && !bytes.Contains(text, []byte("123 456")) && !strings.Contains(at(1, "beneficiary_tax_id"), "123"),
			name,
			err,
			text,
		)
		for key, want := range map[string]any{
			"file": name, "sha256": hashOf(string(contents(t, path))), "created_at": "1970-01-01T00:00:00Z",
			"service": "https://market.example",
			"version": "v1", "requests": 2.0, "rows": 3.0, "tax_ids_masked": true,
		} {
			must.Equal(t, m[key], want, name, key)
		}
	}
	for _, path := range []string{"evidence", "evidence.pdf", "evidence.csv.gz", ""} {
		must.Hold(t, Write(localfile.Target{Path: path}, Source{}, nil) != nil, path)
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
	return must.Get(excelize.CoordinatesToCellName(slices.Index(columnNames(), column)+1, row))
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
	requests[0].Retirement.CreatedAt, requests[0].Retirement.RetiredAt = model.ParseTimestamp(
		"2026-02-08T13:46:00+01:00",
	), model.ParseTimestamp(
		"soon",
	)
	book := opened(t, append(requests, Request{Retirement: retirement.Request{ID: "lost"}, LeftOut: "not found"}))
	must.Equal(t, strings.Join(book.GetSheetList(), ", "), "Evidence, Checks, Left out")
	const rows = 3
	raw := excelize.Options{RawCellValue: true}
	for name, want := range map[string]string{"total_quantity_grams": "3000020", "serial_tonnes": "3"} {
		for row := 2; row < 2+rows; row++ {
			kind := book.kind(name, row)
			must.Hold(
				t,
				book.value(name, row) == "" || kind == excelize.CellTypeUnset || kind == excelize.CellTypeNumber,
				name,
				row,
				kind,
			)
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
	must.Hold(
		t,
		book.value("created_at", 2) == "2026-02-08 12:46:00" && book.value("retired_at", 2) == "soon" && width >= 20 &&
			len(book.GetDefinedName()) == 3,
		book.value("created_at", 2),
		book.value("retired_at", 2),
		width,
		len(book.GetDefinedName()),
	)
	checks, left := must.Get(book.GetRows("Checks")), must.Get(book.GetRows("Left out"))
	must.Hold(
		t,
		len(checks) == 1+2*8 && checks[1][1] == retirement.ItemsSumToTotal && len(left) == 2 && left[1][0] == "lost" &&
			left[1][1] == "not found",
		len(checks),
		left,
	)
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
