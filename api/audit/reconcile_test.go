package audit_test

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
	"tonne/model/modeltest"
	must "tonne/model/musttest"
	"tonne/model/retirement"
)

// theLedger has two requests of one item, one of two references and a rest, and one with a label.
func theLedger() []reconcile.Request {
	call := func(reference string, grams model.Grams, price model.PriceCents) retirement.JournalEntry {
		return retirement.JournalEntry{Reference: reference, RequestID: "R3", Call: retirement.Call{Quantity: grams, Price: price}, MadeAt: modeltest.OnDay("2026-02-11").Time}
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

// outcome returns the results as "line id result field=file/here".
func outcome(r reconcile.Reconciliation) string {
	var lines []string
	for _, l := range r.Lines {
		text := fmt.Sprintf("%d %s %s", l.Line, l.ID, l.Result)
		if l.Line == 0 && l.Reference != "" {
			text += " " + l.Reference
		}
		for _, d := range l.Differences {
			text += fmt.Sprintf(" %s=%s/%s", d.Field, d.File, d.Here)
		}
		lines = append(lines, text)
	}
	return strings.Join(lines, "\n")
}

func TestRecordsAreComparedWithTheLedger(t *testing.T) {
	for name, c := range map[string]struct{ file, want string }{
		"by id":                {"id,tonnes,date\nR1,5,2026-01-10\n", "2 R1 matched"},
		"another quantity":     {"id,tonnes,date\nR1,5.5,2026-01-10\n", "2 R1 different quantity_grams=5500000/5000000"},
		"no quantity":          {"id,tonnes,date\nR1,,2026-01-10\n", "2 R1 different quantity_grams=/5000000"},
		"another day":          {"id,tonnes,date\nR1,5,2026-01-11\n", "2 R1 different date=2026-01-11/2026-01-10"},
		"the day of retiring":  {"id,tonnes,date\nR2,5,2026-02-20\n", "2 R2 matched"},
		"another beneficiary":  {"id,tonnes,date,customer\nR1,5,2026-01-10,Bo\n", "2 R1 different beneficiary=Bo/Ann"},
		"a name in capitals":   {"id,tonnes,date,customer\nR1,5,2026-01-10, ANN \n", "2 R1 matched"},
		"an unknown id":        {"id,tonnes,date,customer,reference\nR9,5,2026-01-10,Ann,PO-1\n", "2 R9 unknown_here\n0 R1 missing_in_file"},
		"entered twice":        {"id,tonnes,date\nR1,5,2026-01-10\nR1,5,2026-01-10\n", "2 R1 different quantity_grams=10000000/5000000\n3 R1 different quantity_grams=10000000/5000000"},
		"divided in two":       {"id,tonnes,date\nR1,2,2026-01-10\nR1,3,2026-01-10\n", "2 R1 matched\n3 R1 matched"},
		"by reference":         {"reference,grams,date\nPO-1,1500000,2026-02-11\n", "2 R3 matched"},
		"part of a request":    {"reference,grams,date\nPO-1,1500000,2026-02-01\n", "2 R3 matched\n0 R3 missing_in_file\n0 R3 missing_in_file PO-2"},
		"another reference":    {"id,reference,tonnes\nR3,PO-9,6\nR1,PO-9,5\nR2,,5\nR4,,7\n", "2 R3 different reference=PO-9/PO-1, PO-2\n3 R1 matched\n4 R2 matched\n5 R4 matched"},
		"references of a list": {"id,reference,tonnes,date\nR3,\"PO-1, PO-2\",6,2026-02-01\n", "2 R3 matched"},
		"id and reference":     {"id,reference,tonnes,date\nR3,,4.5,2026-02-01\n,PO-1,1.5,2026-02-01\n", "2 R3 matched\n3 R3 matched"},
		"by label":             {"reference,tonnes,date\noffsets,7,2026-03-01\n", "2 R4 matched"},
		"an unknown reference": {"reference,tonnes,date,customer\nPO-9,5,2026-01-10,Ann\n", "2  unknown_here\n0 R1 missing_in_file"},
		"by day and name":      {"tonnes,date,customer\n5,2026-01-10,ann\n", "2 R1 matched"},
		"by day and name, two": {"tonnes,date,customer\n5,2026-01-10,ann\n5,2026-01-10,ann\n", "2 R1 matched\n3  unknown_here"},
		"by day of retiring":   {"tonnes,date,customer\n5,2026-02-20,Ann\n", "2 R2 matched"},
		"by day, but claimed":  {"id,tonnes,date,customer\nR1,5,2026-01-10,Ann\n,5,2026-01-10,Ann\n", "2 R1 matched\n3  unknown_here"},
		"only day and name":    {"tonnes,date,customer\n6,2026-01-10,Ann\n", "2  unknown_here\n0 R1 missing_in_file"},
		"the cost":             {"reference,grams,date,cost_cents\nPO-1,1500000,2026-02-11,930\nPO-2,2500000,2026-02-11,1500\n", "2 R3 matched\n3 R3 different cost_cents=1500/1550"},
		"without dates":        {"id,tonnes\nR1,5\n", "2 R1 matched\n0 R2 missing_in_file\n0 R3 missing_in_file\n0 R3 missing_in_file PO-1\n0 R3 missing_in_file PO-2\n0 R4 missing_in_file"},
		"nothing":              {"id,tonnes,date\n", "0 R1 missing_in_file\n0 R2 missing_in_file\n0 R3 missing_in_file\n0 R3 missing_in_file PO-1\n0 R3 missing_in_file PO-2\n0 R4 missing_in_file"},
		"between two dates":    {"id,tonnes,date\nR1,5,2026-01-10\nR4,7,2026-03-01\n", "2 R1 matched\n3 R4 matched\n0 R2 missing_in_file\n0 R3 missing_in_file\n0 R3 missing_in_file PO-1\n0 R3 missing_in_file PO-2"},
	} {
		t.Run(name, func(t *testing.T) {
			file := must.Get(reconcile.Parse([]byte(c.file), nil))
			must.Equal(t, outcome(reconcile.New(file.Records, theLedger())), c.want)
		})
	}
}

func TestUnknownValuesAreNeverZero(t *testing.T) {
	ledger := theLedger()
	ledger[0].TotalQuantity = model.UnknownGrams
	ledger[1].CreatedAt = model.ParseTimestamp("soon")
	file := must.Get(reconcile.Parse([]byte("id,tonnes,date,cost_cents\nR1,0,2026-01-10,100\nR4,7,2026-03-01,100\n"), nil))
	r := reconcile.New(file.Records, ledger)
	if d := r.Lines[0].Differences; len(d) != 1 || d[0] != (reconcile.Difference{Field: reconcile.Quantity, File: "0"}) {
		t.Errorf("the differences are %+v", d)
	}
	must.Hold(t, r.CostUnknown == 2 && r.Undated == 1, r.CostUnknown, r.Undated)
	must.Equal(t, r.Months[0], (reconcile.Month{Month: "2026-01", File: 0, Here: model.UnknownGrams}))
}

func TestCostIsComparedIfAllOfItIsKnown(t *testing.T) {
	for name, c := range map[string]struct {
		file          string
		fromInventory model.Grams
		want          string
		unknown       int
	}{
		"one record without a cost": {"PO-1,1,\nPO-1,0.5,500\n", 0, "2 R3 matched\n3 R3 matched", 0},
		"a part from the inventory": {"PO-1,1.5,500\nPO-2,4.5,1548\n", 1.5e6, "2 R3 matched\n3 R3 matched", 1},
		"the whole request":         {"R3,6,500\n", 1.5e6, "2 R3 matched", 1},
	} {
		t.Run(name, func(t *testing.T) {
			ledger := theLedger()[2:3]
			ledger[0].Calls[0].Call.FromInventory = c.fromInventory
			ledger[0].Calls[1].Call.Quantity = 4.5e6
			ledger[0].Calls[1].Call.Price = 344
			header := "reference,tonnes,cost_cents\n"
			if strings.HasPrefix(c.file, "R") {
				header = "id,tonnes,cost_cents\n"
			}
			file := must.Get(reconcile.Parse([]byte(header+c.file), nil))
			r := reconcile.New(file.Records, ledger)
			got := strings.Split(outcome(r), "\n0 ")[0]
			must.Hold(t, got == c.want && r.CostUnknown == c.unknown, got, r.CostUnknown, c.want, c.unknown)
		})
	}
}

func TestLedgerThatIsUnclearOrUnknownIsComparedAsAWhole(t *testing.T) {
	const both = "reference,tonnes,date\nPO-1,1.5,2026-02-01\nPO-2,4.5,2026-02-01\n"
	for name, c := range map[string]struct {
		file   string
		change func(ledger []reconcile.Request)
		want   string
	}{
		"a journal of more than the request": {both, func(l []reconcile.Request) { l[2].Calls[1].Call.Quantity = 9e6 }, "2 R3 matched\n3 R3 matched"},
		"an unclear call":                    {both, func(l []reconcile.Request) { l[2].Calls[0].Unclear = true }, "2 R3 matched\n3 R3 matched"},
		"two unknown quantities": {"id,tonnes,date\nR1,,2026-01-10\n", func(l []reconcile.Request) { l[0].TotalQuantity = model.UnknownGrams },
			"2 R1 different quantity_grams=/"},
	} {
		ledger := theLedger()
		c.change(ledger)
		got := outcome(reconcile.New(must.Get(reconcile.Parse([]byte(c.file), nil)).Records, ledger))
		must.Equal(t, got, c.want, name)
	}
}

func TestMonthsSumUpBothSides(t *testing.T) {
	// R2 was created in January and retired in February.
	for text, want := range map[string]string{
		"R1,4.25,2026-01-10\nR2,5,2026-02-20\nR9,1,\n": "[{ 1000000 -1} {2026-01 4250000 5000000} {2026-02 5000000 11000000}]",
		"R1,4.25,2026-01-10\nR2,5,\n":                  "[{ 5000000 5000000} {2026-01 4250000 5000000}]",
	} {
		file := must.Get(reconcile.Parse([]byte("id,tonnes,date\n"+text), nil))
		must.Equal(t, fmt.Sprint(reconcile.New(file.Records, theLedger()).Months), want)
	}
}

// someLedger draws requests. Some have calls with references that no other request has.
func someLedger() *rapid.Generator[[]reconcile.Request] {
	return rapid.Custom(func(t *rapid.T) (all []reconcile.Request) {
		for i := range rapid.IntRange(1, 12).Draw(t, "requests") {
			id := fmt.Sprintf("R%d", i)
			day := time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC).AddDate(0, 0, rapid.IntRange(0, 100).Draw(t, "day")).Format(time.DateOnly)
			who := rapid.SampledFrom([]string{"Ann", "Bo & Sons", "=1+1"}).Draw(t, "who")
			r := reconcile.Request{Request: *modeltest.RetirementOf(id, "wind", "w20", day, "", who, 0)}
			for n := range rapid.IntRange(0, 3).Draw(t, "calls") {
				grams := model.Grams(rapid.Int64Range(1, 1e15).Draw(t, "grams"))
				r.Calls = append(r.Calls, retirement.JournalEntry{Reference: fmt.Sprintf("PO-%d-%d", i, n), RequestID: id, Call: retirement.Call{Quantity: grams}})
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
			_ = out.Write([]string{id, strings.TrimSuffix(grams.FormatTonnes(), " t"), r.CreatedAt.Text[:10], reference, who})
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
		file := must.Get(reconcile.Parse([]byte(text.String()), nil))
		r := reconcile.New(file.Records, ledger)
		n := r.Count(reconcile.Matched)
		must.Need(t, n == len(r.Lines) && n == len(file.Records), text.String(), outcome(r))
		for _, m := range r.Months {
			must.Equal(t, m.File, m.Here, m.Month)
		}
	})
}

// quantitiesOf returns the quantities that Parse reads, or its error.
func quantitiesOf(text string) string {
	file, err := reconcile.Parse([]byte(text), nil)
	if err != nil {
		return err.Error()
	}
	var all []string
	for _, r := range file.Records {
		all = append(all, r.Quantity.String())
	}
	return strings.Join(all, " ")
}

func TestQuantitiesAreExactOrRefused(t *testing.T) {
	for name, c := range map[string]struct{ text, want string }{
		"with a point":          {"id,tonnes\nA,\"1,234.5\"\nB,0.000001\nC,7\nD,\n", "1234500000 1 7000000 -1"},
		"thousands in quotes":   {"id,tonnes\nA,\"1,234\"\n", "1234000000"},
		"with a comma":          {"id;tonnes\nA;1.234,5\nB;0,000001\nC;1.234\nD;1,234\n", "1234500000 1 1234000000 1234000"},
		"points in a table":     {"id;tonnes\nA;1,234.5\nB;1.234\n", "1234500000 1234000"},
		"two marks":             {"id;tonnes\nA;1.5\nB;1,5\n", `line 3: tonnes "1,5" has another decimal mark than line 2; line 3: tonnes "1,5" is not a number of tonnes with at most 6 decimals`},
		"ambiguous":             {"id;tonnes\nA;1,234\nB;1\nC;1.234\n", `line 2: tonnes "1,234" is ambiguous: thousands or decimals; line 4: tonnes "1.234" is ambiguous: thousands or decimals`},
		"a part of a gram":      {"id,tonnes\nA,0.0000001\n", `line 2: tonnes "0.0000001" is not a number of tonnes with at most 6 decimals`},
		"below zero":            {"id,tonnes\nA,-1\n", `line 2: tonnes "-1" is not a number of tonnes with at most 6 decimals`},
		"an exponent":           {"id,tonnes\nA,1e6\n", `line 2: tonnes "1e6" is not a number of tonnes with at most 6 decimals`},
		"too large":             {"id,tonnes\nA,9223372036855\n", `line 2: tonnes "9223372036855" is out of range`},
		"in grams":              {"id,grams\nA,\"1,234\"\nB,9223372036854775807\n", "1234 9223372036854775807"},
		"grams with a point":    {"id,grams\nA,1.5\n", `line 2: grams "1.5" is not a string of digits`},
		"grams before tonnes":   {"id,tonnes,grams\nA,1,1000001\n", "1000001"},
		"cells missing":         {"id,tonnes\nA,1\nB\nC,1,2\n", "line 3: wrong number of fields; line 4: wrong number of fields"},
		"below a tonne":         {"id;tonnes\nA;0.234\n", "234000"},
		"no thousands":          {"id;tonnes\nA;1234,567\n", "1234567000"},
		"an unclosed quotation": {"id,tonnes\nA,1\n\"B,1\n", `line 3: extraneous or missing " in quoted-field`},
		"a byte order mark":     {"\ufeffid,tonnes\nA,1\n", "1000000"},
		"blank lines":           {"\r\nid\ttonnes\r\n\r\nA\t1\r\n\t\r\n", "1000000"},
		"another encoding":      {"id,tonnes\nM\xfcller,1\n", "it is not UTF-8 text; save it as CSV in UTF-8"},
	} {
		t.Run(name, func(t *testing.T) {
			must.Equal(t, quantitiesOf(c.text), c.want)
		})
	}
}

func TestDatesAreUTCDaysOrRefused(t *testing.T) {
	const refused = "is not an unambiguous date such as 2026-01-31"
	for cell, want := range map[string]string{
		"2026-01-31": "2026-01-31", "2026-01-31T23:30:00Z": "2026-01-31", "2026-01-31T23:30:00-02:00": "2026-02-01", "2026-01-31 10:00:00": "2026-01-31",
		"31.01.2026": "2026-01-31", "1.2.2026": "2026-02-01", "20260131": "2026-01-31", "31-Jan-2026": "2026-01-31", "2026/01/31": "2026-01-31",
		"01/02/2026": refused, "31/01/2026": refused, "2026-02-30": refused, "46000": refused, "today": refused,
	} {
		file, err := reconcile.Parse([]byte("id,tonnes,date\nA,1,"+cell+"\n"), nil)
		got := fmt.Sprint(err)
		if err == nil {
			got = file.Records[0].Date.Format("2006-01-02")
		}
		must.Hold(t, strings.HasSuffix(got, want), cell, got, want)
	}
}

func TestAmountsAreInCents(t *testing.T) {
	const ambiguous = `line 2: cost "1240" may be dollars or cents: call the column cost_usd or cost_cents`
	for text, want := range map[string]string{
		"id,tonnes,cost_cents\nA,1,1240\n": "1240", "id,tonnes,cost_usd\nA,1,1240\n": "124000", "id,tonnes,Amount ($)\nA,1,12.4\n": "1240",
		"id,tonnes,cost\nA,1,$12.40\n": "1240", "id,tonnes,cost\nA,1,1240\nB,1,2.50\n": "124000", "id,tonnes,cost\nA,1,0\n": "0",
		"id,tonnes,cost\nA,1,1240\n": ambiguous, "id,tonnes,cost\nA,1,12 EUR\n": `line 2: cost "12 EUR" is not an amount`,
		"id;tonnes;cost\nA;1;1.240,50\n": "124050", "id,tonnes,cost\nA,1,\n": "",
	} {
		file, err := reconcile.Parse([]byte(text), nil)
		got := ""
		if err != nil {
			got = err.Error()
		} else if r := file.Records[0]; r.HasCost {
			got = r.Cost.String()
		}
		must.Equal(t, got, want, text)
	}
}

func TestColumnsAreRecognisedOrNamed(t *testing.T) {
	for name, c := range map[string]struct {
		header string
		given  map[reconcile.Column]string
		want   string
	}{
		"titles":              {"Retirement-ID,Retired tonnes,PO number,Posting Date,Customer", nil, "id tonnes date reference beneficiary"},
		"the ledger's":        {"id,status,label,reference,total_quantity,created_at,retired_at", nil, "id grams date reference"},
		"named":               {"a,b,c", map[reconcile.Column]string{"id": "A", "tonnes": "c"}, "id tonnes"},
		"not read":            {"id,tonnes,reference", map[reconcile.Column]string{"reference": ""}, "id tonnes"},
		"unknown name":        {"id,tonnes", map[reconcile.Column]string{"date": "day"}, `there is no column "day" for --date`},
		"both quantities":     {"id,a,b", map[reconcile.Column]string{"tonnes": "a", "grams": "b"}, "--tonnes and --grams exclude each other"},
		"named tonnes":        {"id,a,grams", map[reconcile.Column]string{"tonnes": "a"}, "id tonnes"},
		"no quantity":         {"id,quantity", nil, "no column has the quantities: name one with --tonnes or --grams"},
		"nothing to identify": {"tonnes,date", nil, "no column identifies a retirement: name one with --id or --reference, or both --date and --beneficiary"},
		"empty":               {"", nil, "no column has the quantities: name one with --tonnes or --grams"},
	} {
		t.Run(name, func(t *testing.T) {
			file, err := reconcile.Parse([]byte(c.header+"\n"), c.given)
			var got []string
			if err != nil {
				got = append(got, err.Error())
				must.Hold(t, errors.As(err, new(*reconcile.ColumnsError)), "the error is", err)
			} else {
				for _, column := range reconcile.Columns() {
					if file.Titles[column] != "" {
						got = append(got, string(column))
					}
				}
			}
			must.Equal(t, strings.Join(got, " "), c.want)
		})
	}
}

func FuzzParse(f *testing.F) {
	f.Add([]byte("id,tonnes,date,cost\nA,\"1,234.5\",2026-01-31,$7\n"))
	f.Add([]byte("\ufeffid;grams\n'=1;\n"))
	f.Fuzz(func(t *testing.T, text []byte) {
		file, err := reconcile.Parse(text, nil)
		if err != nil {
			return
		}
		reconcile.New(file.Records, theLedger())
		for _, r := range file.Records {
			must.Hold(t, r.Quantity >= -1 && utf8.ValidString(r.ID) && !strings.ContainsAny(r.ID, "\x1b\n"), r)
		}
	})
}
