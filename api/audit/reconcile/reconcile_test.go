package reconcile_test

import (
	"encoding/csv"
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"
	"unicode/utf8"

	"pgregory.net/rapid"

	"tonne/api/audit/reconcile"
	"tonne/model"
	"tonne/model/file/tabular"
	"tonne/model/modeltest"
	must "tonne/model/musttest"
	"tonne/model/retirement"
	"tonne/model/texttest"
)

// theLedger has two requests of one item, one of two references and a rest, and one with a label.
func theLedger() []reconcile.Request {
	call := func(reference string, grams model.Grams, price model.PriceCents) retirement.JournalEntry {
		return retirement.JournalEntry{Reference: reference, RequestID: "R3",
			Call: retirement.Call{Quantity: grams, Price: price}, MadeAt: modeltest.OnDay("2026-02-11").Time}
	}
	request := func(id, day string, who string, grams model.Grams) reconcile.Request {
		return reconcile.Request{Request: *modeltest.RetirementOf(id, "wind", "w20", day, "", who, grams)}
	}
	shared := request("R3", "2026-02-01", "Ann", 6e6)
	shared.Calls = []retirement.JournalEntry{call("PO-1", 1.5e6, 620), call("PO-2", 2.5e6, 620)}
	labelled := request("R4", "2026-03-01", "Bo", 7e6)
	labelled.Label = "offsets"
	retiredLater := request("R2", "2026-01-20", "Ann", 5e6)
	retiredLater.RetiredAt = modeltest.OnDay("2026-02-20")
	return []reconcile.Request{request("R1", "2026-01-10", "Ann", 5e6), retiredLater, shared, labelled}
}

// ledgers are changes of theLedger, by name.
var ledgers = map[string]func(all []reconcile.Request) []reconcile.Request{
	"":     func(all []reconcile.Request) []reconcile.Request { return all },
	"none": func([]reconcile.Request) []reconcile.Request { return nil },
	"unread": func(all []reconcile.Request) []reconcile.Request {
		all[0].TotalQuantity, all[1].CreatedAt = model.UnknownGrams, model.ParseTimestamp("soon")
		return all
	},
	"R3 alone": func(all []reconcile.Request) []reconcile.Request {
		all[2].Calls[1].Call.Quantity, all[2].Calls[1].Call.Price = 4.5e6, 344
		return all[2:3]
	},
	"R3 partly from the inventory": func(all []reconcile.Request) []reconcile.Request {
		all[2].Calls[0].Call.FromInventory = 1.5e6
		all[2].Calls[1].Call.Quantity, all[2].Calls[1].Call.Price = 4.5e6, 344
		return all[2:3]
	},
	"more in the journal": func(all []reconcile.Request) []reconcile.Request {
		all[2].Calls[1].Call.Quantity = 9e6
		return all
	},
	"label": func(all []reconcile.Request) []reconcile.Request {
		all[3].Label = "M\u00fcller 7"
		return all[3:]
	},
	"an unclear call": func(all []reconcile.Request) []reconcile.Request {
		all[2].Calls[0].Unclear = true
		return all
	},
}

// TestFilesAreComparedWithTheLedger compares the files of testdata/reconcile.txtar. A line may name a ledger before
// a file, and another its columns.
func TestFilesAreComparedWithTheLedger(t *testing.T) {
	texttest.Run(t, "reconcile", func(_ *testing.T, text string) string {
		return texttest.Answers(text, func(file string) string {
			option := func(name string) (value string) {
				if rest, given := strings.CutPrefix(file, name+": "); given {
					value, file, _ = strings.Cut(rest, "\n")
				}
				return value
			}
			ledger, given := ledgers[option("ledger")], make(map[reconcile.Column]string)
			for _, column := range strings.Fields(option("columns")) {
				name, title, _ := strings.Cut(column, "=")
				given[reconcile.Column(name)] = title
			}
			return compared(file+"\n", given, ledger(theLedger()))
		})
	})
}

// readRecords reads the records of a file.
func readRecords(text string, given map[reconcile.Column]string, ignored ...reconcile.Column) (*tabular.Records,
	[]reconcile.Record, error) {
	table, err := tabular.Parse(text, "")
	if err != nil {
		return nil, nil, err
	}
	r, err := table.Records(reconcile.Spec(given, ignored))
	if err != nil {
		return nil, nil, err
	}
	return r, reconcile.Records(r), nil
}

// compared returns the columns that were read and the result, or the error.
func compared(text string, given map[reconcile.Column]string, ledger []reconcile.Request) string {
	var ignored []reconcile.Column
	for c, title := range given {
		if title == "" {
			ignored = append(ignored, c)
			delete(given, c)
		}
	}
	r, records, err := readRecords(text, given, ignored...)
	if errors.As(err, new(*tabular.ColumnsError)) {
		return "columns: " + err.Error()
	}
	if err != nil {
		return strings.ReplaceAll(err.Error(), "; line", "\nline")
	}
	return fmt.Sprintln(r.Titles) + texttest.Show(reconcile.New(records, ledger))
}

// someLedger draws requests. Some have calls with references that no other request has.
func someLedger() *rapid.Generator[[]reconcile.Request] {
	return rapid.Custom(func(t *rapid.T) (all []reconcile.Request) {
		for i := range rapid.IntRange(1, 12).Draw(t, "requests") {
			id := fmt.Sprintf("R%d", i)
			day := time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC).AddDate(0, 0,
				rapid.IntRange(0, 100).Draw(t, "day")).Format(time.DateOnly)
			who := rapid.SampledFrom([]string{"Ann", "Bo & Sons", "=1+1"}).Draw(t, "who")
			r := reconcile.Request{Request: *modeltest.RetirementOf(id, "wind", "w20", day, "", who, 0)}
			for n := range rapid.IntRange(0, 3).Draw(t, "calls") {
				grams := model.Grams(rapid.Int64Range(1, 1e15).Draw(t, "grams"))
				r.Calls = append(r.Calls,
					retirement.JournalEntry{Reference: fmt.Sprintf("PO-%d-%d", i, n), RequestID: id,
						Call: retirement.Call{Quantity: grams}})
				r.TotalQuantity += grams
			}
			r.TotalQuantity += model.Grams(rapid.SampledFrom([]int64{0, 1, 999_999, 1_234_567_890_000}).Draw(t, "rest"))
			all = append(all, r)
		}
		return all
	})
}

func TestFileMadeFromTheLedgerMatches(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		ledger := someLedger().Draw(t, "ledger")
		var text strings.Builder
		out := csv.NewWriter(&text)
		_ = out.Write([]string{"Retirement ID", "Tonnes", "Date", "Reference", "Beneficiary"})
		write := func(r reconcile.Request, id, reference string, grams model.Grams) {
			who := r.Items[0].RetireeName
			if strings.HasPrefix(who, "=") {
				who = "'" + who
			}
			_ = out.Write([]string{id, strings.ReplaceAll(strings.TrimSuffix(grams.FormatTonnes(), " t"), ",", ""),
				r.CreatedAt.Text[:10], reference, who})
		}
		for _, r := range ledger {
			rest := r.TotalQuantity
			for _, c := range r.Calls {
				if rapid.Bool().Draw(t, "by reference") {
					write(r, "", c.Reference, c.Call.Quantity)
					rest -= c.Call.Quantity
				}
			}
			if rest > 0 {
				write(r, r.ID, "", rest)
			}
		}
		out.Flush()
		_, records, err := readRecords(text.String(), nil)
		must.Need(t, err == nil, text.String(), err)
		r := reconcile.New(records, ledger)
		n := r.Count(reconcile.Matched)
		must.Need(t, n == len(r.Lines) && n == len(records), text.String(), texttest.Show(r))
		for _, m := range r.Months {
			must.Equal(t, m.File, m.Here, m.Month)
		}
	})
}

func TestLinesAndEncodingsOfFiles(t *testing.T) {
	read := compared("id,tonnes\nA,1\n", nil, nil)
	must.Equal(t, compared("\ufeffid,tonnes\nA,1\n", nil, nil), read)
	must.Equal(t, strings.Replace(compared("\r\nid\ttonnes\r\n\r\nA\t1\r\n\t\r\n", nil, nil), "Line:4", "Line:2", 1), read)
	must.Equal(t, compared("id,tonnes\nM\xfcller,1\n", nil, nil),
		"it is not UTF-8: line 2 has the byte 0xfc, perhaps of Windows-1252; save it as UTF-8")
}

func FuzzParse(f *testing.F) {
	f.Add([]byte("id,tonnes,date,cost\nA,\"1,234.5\",2026-01-31,$7\n"))
	f.Add([]byte("\ufeffid;grams\n'=1;\n"))
	f.Fuzz(func(t *testing.T, text []byte) {
		_, records, err := readRecords(string(text), nil)
		if err != nil {
			return
		}
		reconcile.New(records, theLedger())
		for _, r := range records {
			must.Hold(t, r.Quantity >= -1 && utf8.ValidString(r.ID) && !strings.ContainsAny(r.ID, "\x1b\n"), r)
		}
	})
}
