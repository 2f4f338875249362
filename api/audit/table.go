package audit

import (
	"bufio"
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"io"
	"iter"
	"slices"
	"strconv"
	"time"

	"tonne/model"
	"tonne/model/field"
	"tonne/model/file/spreadsheet"
	"tonne/model/retirement"
	"tonne/model/statement"
)

// formats are the extensions of evidence files.
var formats = []string{".csv", ".json", ".xlsx"}

// table is the evidence of requests, which can be written in each format. An Auditor makes
// it of requests, and the verification of a pack of the files in the pack.
type table struct {
	manifest manifestJSON
	titles   []string
	rows     [][]field.Value
	// journal are the calls of manifest.Journal, with their titles, or an empty sheet.
	journal spreadsheet.Sheet
	// checks yields the id, the name, the result and the detail of each check.
	checks iter.Seq[[]string]
	// note returns the text next to the totals.
	note func() string
}

type manifestJSON struct {
	// File is the evidence file, SHA256 its hash in hexadecimal.
	File      string `json:"file,omitempty"`
	SHA256    string `json:"sha256,omitempty"`
	CreatedAt string `json:"created_at,omitempty"`
	// Service is the base URL of the data, Version the version of the program.
	Service string `json:"service"`
	Version string `json:"version"`
	// Requests and Rows count the retirement requests and the rows.
	Requests int `json:"requests"`
	Rows     int `json:"rows"`
	// TaxIDsMasked means that at most the last four characters of tax ids are shown.
	TaxIDsMasked bool `json:"tax_ids_masked"`
	// TaxIDsInAnswers means that the API responses in a pack have full tax ids.
	TaxIDsInAnswers bool          `json:"tax_ids_in_answers,omitempty"`
	LeftOut         []leftOutJSON `json:"left_out"`
	Doubts          []FailedCheck `json:"doubts"`
	// Journal is an array of the calls that made the requests. It is read row by row.
	Journal json.RawMessage `json:"journal"`
}

type leftOutJSON struct {
	ID     string `json:"id"`
	Reason string `json:"reason"`
}

func newTable(from Source, requests []Request) *table {
	t := &table{titles: columnNames()}
	t.manifest = manifestJSON{
		Service: from.Service, Version: from.Version, TaxIDsMasked: !from.ShowTaxIDs, LeftOut: []leftOutJSON{},
		Doubts: []FailedCheck{},
	}
	if !from.CreatedAt.IsZero() {
		t.manifest.CreatedAt = from.CreatedAt.UTC().Format(time.RFC3339)
	}
	lacks := lacksOf(requests)
	var calls [][]string
	for _, r := range requests {
		if r.LeftOut != "" {
			t.manifest.LeftOut = append(t.manifest.LeftOut, leftOutJSON{r.Retirement.ID, r.LeftOut})
		} else {
			t.manifest.Requests++
			t.manifest.Doubts = append(t.manifest.Doubts, r.FailedChecks()...)
		}
		t.rows = append(t.rows, rowsOf(r, lacks, from.ShowTaxIDs)...)
		for _, c := range r.Calls {
			if !from.ShowTaxIDs {
				c.Call.Retiree.TaxID = retirement.MaskTaxID(c.Call.Retiree.TaxID)
			}
			calls = append(calls, plainOf(callColumns.Values(c)))
		}
	}
	t.manifest.Rows = len(t.rows)
	var journal bytes.Buffer
	_ = writeRows(&journal, callColumns.Names(), slices.Values(calls))
	t.manifest.Journal = journal.Bytes()
	if len(calls) > 0 {
		t.journal = textSheet("Journal", callColumns.Names(), slices.Values(calls))
	}
	t.checks, t.note = checksOf(requests), t.addedTwice
	return t
}

func checksOf(requests []Request) iter.Seq[[]string] {
	return func(yield func([]string) bool) {
		for _, r := range requests {
			if r.LeftOut != "" {
				continue
			}
			for _, c := range r.AllChecks() {
				if !yield([]string{r.Retirement.ID, c.Name, string(c.Result), c.Detail}) {
					return
				}
			}
		}
	}
}

// write keeps a workbook uncompressed if plain is set, so that its bytes are the same on
// every machine.
func (t *table) write(w io.Writer, ending string, plain bool) error {
	switch ending {
	case ".json":
		return writeRows(w, t.titles, t.texts())
	case ".xlsx":
		return spreadsheet.Workbook{Sheets: t.sheets(), Plain: plain}.Write(w)
	}
	return spreadsheet.WriteCSV(w, textSheet("", t.titles, t.texts()))
}

func (t *table) texts() iter.Seq[[]string] { return field.Each(slices.Values(t.rows), plainOf) }

func textSheet(name string, titles []string, rows iter.Seq[[]string]) spreadsheet.Sheet {
	return spreadsheet.Sheet{Name: name, Columns: titles, Each: field.Each(rows, spreadsheet.Texts)}
}

func (t *table) sheets() []spreadsheet.Sheet {
	leftOut := field.Each(
		slices.Values(t.manifest.LeftOut),
		func(l leftOutJSON) []string { return []string{l.ID, l.Reason} },
	)
	sheets := []spreadsheet.Sheet{
		{Name: "Evidence", Columns: t.titles, Each: t.cells(), Totals: t.totals()},
		textSheet("Checks", []string{idColumn, "check", "result", "detail"}, t.checks),
		textSheet("Left out", []string{idColumn, "reason"}, leftOut),
	}
	if t.journal.Columns != nil {
		sheets = append(sheets, t.journal)
	}
	return sheets
}

const totalsTitle = "Total"

// totals accepts column names of other versions.
func (t *table) totals() []spreadsheet.Cell {
	if len(t.rows) == 0 {
		return nil
	}
	totals := make([]spreadsheet.Cell, len(t.titles))
	totals[0] = spreadsheet.Text(totalsTitle)
	for c, name := range t.titles {
		switch name {
		case totalColumn, tonnesColumn:
			totals[c] = spreadsheet.Sum(field.Grams(t.sum(c, name == totalColumn)).Cell())
		case doubtsColumn:
			totals[c] = spreadsheet.Text(t.note())
		}
	}
	return totals
}

func (t *table) cells() iter.Seq[[]spreadsheet.Cell] {
	once := slices.Index(t.titles, totalColumn)
	return func(yield func([]spreadsheet.Cell) bool) {
		cells := make([]spreadsheet.Cell, len(t.titles))
		for i, row := range t.rows {
			for c, value := range row {
				cells[c] = value.Cell()
			}
			if once >= 0 && t.repeats(i) {
				cells[once] = spreadsheet.Cell{}
			}
			if !yield(cells) {
				return
			}
		}
	}
}

// repeats reports whether row i is of the same request as the row before.
func (t *table) repeats(i int) bool { return i > 0 && t.rows[i-1][0].Equal(t.rows[i][0]) }

func (t *table) sum(c int, once bool) (sum model.Grams) {
	for i, row := range t.rows {
		if n, ok := row[c].Amount(); ok && n >= 0 && !(once && t.repeats(i)) {
			sum = sum.Plus(model.Grams(n))
		}
	}
	return sum
}

func (t *table) addedTwice() string {
	const mostNamed = 3
	at := slices.Index(t.titles, "serial_number")
	if at < 0 {
		return ""
	}
	var serials []retirement.OwnedSerial
	for i, row := range t.rows {
		if serial, ok := retirement.ParseSerial(row[at].Plain()); ok {
			serials = append(serials, retirement.OwnedSerial{Serial: serial, Owner: i})
		}
	}
	var words []string
	for _, o := range retirement.RetiredTwice(serials) {
		words = append(words, o.String())
	}
	if len(words) == 0 {
		return ""
	}
	return "the total of " + tonnesColumn + " counts credits twice that are in several rows: " + statement.SomeOf(
		words,
		mostNamed,
		", ",
	)
}

func hashed(w io.Writer, write func(io.Writer) error) (sum string, err error) {
	hash := sha256.New()
	err = write(io.MultiWriter(w, hash))
	return hex.EncodeToString(hash.Sum(nil)), err
}

func (m manifestJSON) bytes() ([]byte, error) {
	text, err := json.MarshalIndent(m, "", "  ")
	return append(text, '\n'), err
}

func writeRows(w io.Writer, names []string, rows iter.Seq[[]string]) error {
	separator, end := "[", "["
	out := bufio.NewWriter(w)
	for row := range rows {
		out.WriteString(separator + "\n{")
		for i, name := range names {
			if i > 0 {
				out.WriteByte(',')
			}
			value, _ := json.Marshal(row[i])
			out.WriteString(strconv.Quote(name) + ":")
			out.Write(value)
		}
		out.WriteByte('}')
		separator, end = ",", "\n"
	}
	out.WriteString(end + "]\n")
	return out.Flush()
}
