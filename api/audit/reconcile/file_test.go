package reconcile_test

import (
	"errors"
	"fmt"
	"strings"
	"testing"
	"tonne/model/must"
	"unicode/utf8"

	"tonne/api/audit/reconcile"
)

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
		if !strings.HasSuffix(got, want) {
			t.Errorf("%q is %s, want %s", cell, got, want)
		}
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
				if !errors.As(err, new(*reconcile.ColumnsError)) {
					t.Errorf("the error is %T", err)
				}
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
			if r.Quantity < -1 || !utf8.ValidString(r.ID) || strings.ContainsAny(r.ID, "\x1b\n") {
				t.Errorf("%+v", r)
			}
		}
	})
}
