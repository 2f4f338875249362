package output

import (
	"bytes"
	"encoding/csv"
	"encoding/json"
	"errors"
	"fmt"
	"iter"
	"slices"
	"strings"
	"testing"
	"unicode"

	"github.com/xuri/excelize/v2"
	"pgregory.net/rapid"

	"tonne/model"
	"tonne/model/spreadsheet"
	"tonne/ui/style"
)

// anyText draws text as the decoders let it through: valid, on one line.
func anyText() *rapid.Generator[string] {
	return rapid.Custom(func(t *rapid.T) string {
		text := rapid.OneOf(rapid.String(), rapid.StringMatching(`['=+@\-",;\\<>& a-z]{0,12}`)).Draw(t, "text")
		return strings.NewReplacer("\r", "␍", "\n", "␊", "\x00", "␀").Replace(strings.ToValidUTF8(text, "�"))
	})
}

func anyValue() *rapid.Generator[Value] {
	return rapid.Custom(func(t *rapid.T) Value {
		switch rapid.IntRange(0, 4).Draw(t, "kind") {
		case 0:
			return Text(anyText().Draw(t, "text"))
		case 1:
			return Grams(model.Grams(rapid.Int64Min(-1).Draw(t, "grams")))
		case 2:
			return Price(model.PriceCents(rapid.Int64Min(-1).Draw(t, "price")))
		case 3:
			return Number(rapid.Int().Draw(t, "number"))
		}
		return Bool(rapid.SampledFrom([]model.OptionalBool{model.Unset, model.No, model.Yes}).Draw(t, "answer"))
	})
}

var abc = Columns[[]Value]{
	{Name: "a", Value: func(r []Value) Value { return r[0] }},
	{Name: "b", Value: func(r []Value) Value { return r[1] }},
	{Name: "c", Value: func(r []Value) Value { return r[2] }},
}

func TestJSONHasEachTextOfAList(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		texts := rapid.SliceOf(anyText()).Draw(t, "texts")
		written, _ := json.Marshal(Texts(texts))
		read := []string{}
		if err := json.Unmarshal(written, &read); err != nil || !slices.Equal(read, texts) {
			t.Errorf("%q is read as %q, %v", texts, read, err)
		}
	})
}

func TestCSVReadsBackAsItWasWrittenButForTheGuard(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		var out strings.Builder
		records := rapid.SliceOf(rapid.SliceOfN(anyValue(), 3, 3)).Draw(t, "records")
		if err := abc.Write(&out, CSV, slices.Values(records)); err != nil {
			t.Fatal(err)
		}
		got, err := csv.NewReader(strings.NewReader(out.String())).ReadAll()
		if err != nil {
			t.Fatalf("%v in %q", err, out.String())
		}
		if len(got) != len(records)+1 || !slices.Equal(got[0], []string{"a", "b", "c"}) {
			t.Fatalf("%d records, header %v", len(got)-1, got[0])
		}
		for i, record := range records {
			for j, v := range record {
				cell := got[i+1][j]
				if v.kind == text && len(v.text) > 0 && strings.ContainsRune("=+-@\t\r", rune(v.text[0])) {
					if !strings.HasPrefix(cell, "'") {
						t.Fatalf("%q runs as a formula", cell)
					}
					cell = cell[1:]
				}
				if cell != v.text {
					t.Fatalf("%q was written, %q is read", v.text, cell)
				}
			}
		}
	})
}

func TestJSONLReadsBackAsItWasWritten(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		var out strings.Builder
		record := rapid.SliceOfN(anyValue(), 3, 3).Draw(t, "record")
		if err := abc.Write(&out, JSONL, slices.Values([][]Value{record})); err != nil {
			t.Fatal(err)
		}
		dec := json.NewDecoder(strings.NewReader(out.String()))
		dec.UseNumber()
		var got map[string]any
		if err := dec.Decode(&got); err != nil || len(got) != 3 || strings.Count(out.String(), "\n") != 1 {
			t.Fatalf("%v in %q", err, out.String())
		}
		for i, name := range []string{"a", "b", "c"} {
			if v := record[i]; !same(got[name], v) {
				t.Fatalf("%s: %v was written, %v is read", name, v, got[name])
			}
		}
	})
}

func same(got any, v Value) bool {
	switch got := got.(type) {
	case nil:
		return v.kind == null
	case string:
		return v.kind == text && got == v.text
	case json.Number:
		return v.kind == literal && got.String() == v.text
	case bool:
		return v.kind == literal && (v.text == "true") == got
	}
	return false
}

func TestQuantitiesAndPricesAreStringsOfIntegersUpToTheLargest(t *testing.T) {
	t.Parallel()
	for want, v := range map[string]Value{
		`"9223372036854775807"`: Grams(1<<63 - 1), `"9007199254740993"`: Price(1<<53 + 1), `"0"`: Grams(0),
		"null": Grams(model.UnknownGrams), `2019`: Year(2019), `"<&>"`: Text("<&>"), `""`: Text(""), "true": Bool(model.Yes),
	} {
		if got, err := v.MarshalJSON(); err != nil || string(got) != want {
			t.Errorf("got %s, %v, want %s", got, err, want)
		}
	}
	for _, v := range []Value{Price(model.UnknownPrice), Optional(""), Time(model.Timestamp{}), Year(0), Bool(model.Unset)} {
		if got, _ := v.MarshalJSON(); string(got) != "null" {
			t.Errorf("got %s for nothing", got)
		}
	}
}

func TestADocumentIsOneObjectWithItsItems(t *testing.T) {
	t.Parallel()
	for n := range 3 {
		var out strings.Builder
		head := struct {
			A int `json:"a"`
		}{1}
		items := []Value{Text("x"), Text("y")}[:n]
		if err := Document(&out, head, "items", slices.Values(items)); err != nil {
			t.Fatal(err)
		}
		var got struct {
			A     int
			Items []string
		}
		if err := json.Unmarshal([]byte(out.String()), &got); err != nil || got.A != 1 || got.Items == nil || len(got.Items) != n {
			t.Errorf("%d items: %v in %s", n, err, out.String())
		}
	}
}

func TestATableFitsTheTerminal(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		g := NewGrid(Heading{Title: "NAME", Shrink: 4}, Heading{Title: "ID", Drop: 2}, Heading{Title: "N", Right: true}, Heading{Title: "URL", Drop: 1, Shrink: 6})
		for range rapid.IntRange(0, 5).Draw(t, "rows") {
			g.Add(anyText().Draw(t, "name"), rapid.StringMatching(`[a-z]{0,18}`).Draw(t, "id"),
				rapid.StringMatching(`[0-9]{0,6}`).Draw(t, "n"), anyText().Draw(t, "url"))
		}
		width := rapid.IntRange(12, 200).Draw(t, "width")
		var out strings.Builder
		if err := g.Write(&out, width, false); err != nil {
			t.Fatal(err)
		}
		for line := range strings.Lines(out.String()) {
			if w := style.Width(strings.TrimSuffix(line, "\n")); w > width {
				t.Fatalf("%d columns on a terminal of %d: %q", w, width, line)
			}
		}
	})
}

func TestColumnsStandBelowEachOtherWhateverTheyHold(t *testing.T) {
	t.Parallel()
	names := []string{"Bale", "Cookstoves 1️⃣", "森林", "👩‍👩‍👧‍👦", "क्षि", "❤️‍🔥", "🇪🇹🇰", "\u0301", "a\x1b[2Jb", "new\nline", "\u009b31m"}
	for _, width := range []int{0, 10, 12, 14, 40} {
		g := NewGrid(Heading{Title: "NAME", Shrink: 4}, Heading{Title: "N"})
		for _, name := range names {
			g.Add(name, "|")
		}
		var out strings.Builder
		if err := g.Write(&out, width, false); err != nil {
			t.Fatal(err)
		}
		lines := strings.Split(strings.TrimSuffix(out.String(), "\n"), "\n")
		if len(lines) != 1+len(names) {
			t.Fatalf("%d lines for %d names:\n%s", len(lines), len(names), out.String())
		}
		at := style.Width(strings.TrimSuffix(lines[0], "N"))
		for _, line := range lines[1:] {
			before, _, _ := strings.Cut(line, "|")
			if got := style.Width(before); got != at || strings.ContainsFunc(line, unicode.IsControl) {
				t.Errorf("width %d: the second column of %q begins at %d, want %d", width, line, got, at)
			}
		}
	}
}

func TestATableInAPipeLeavesNothingOut(t *testing.T) {
	t.Parallel()
	long := strings.Repeat("long ", 100)
	g := NewGrid(Heading{Title: "NAME", Shrink: 4}, Heading{Title: "URL", Drop: 1, Right: true})
	g.Add(long, "u")
	var out strings.Builder
	if err := g.Write(&out, 0, false); err != nil || !strings.Contains(out.String(), long) || !strings.Contains(out.String(), "URL") {
		t.Errorf("%v: %s", err, out.String())
	}
}

func TestTitlesAreBoldOnlyWhereThatIsAskedFor(t *testing.T) {
	t.Parallel()
	for _, bold := range []bool{true, false} {
		var out strings.Builder
		if err := NewGrid(Heading{Title: "A"}).Write(&out, 80, bold); err != nil || strings.Contains(out.String(), "\x1b[1m") != bold {
			t.Errorf("bold %v: %q", bold, out.String())
		}
	}
}

func FuzzCellIsNeverAFormula(f *testing.F) {
	for _, s := range []string{"=1+1", "'=1", "", "\t=1", "-"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		if cell := Cell(s); cell != "" && strings.ContainsRune("=+-@\t\r", rune(cell[0])) {
			t.Errorf("%q", cell)
		}
	})
}

func TestASpareColumnIsLeftOutBeforeAnyIsCutOff(t *testing.T) {
	t.Parallel()
	g := NewGrid(Heading{Title: "NAME", Shrink: 4}, Heading{Title: "TYPE", Spare: true}, Heading{Title: "CC", Spare: true}, Heading{Title: "N"})
	g.Add("Bale Mountains", "REDD+", "ET", "1")
	for width, want := range map[int]string{
		0: "NAME            TYPE   CC  N", 28: "NAME            TYPE   CC  N", 27: "NAME            TYPE   N", 23: "NAME            N", 16: "NAME           N",
	} {
		var out strings.Builder
		if err := g.Write(&out, width, false); err != nil || !strings.HasPrefix(out.String(), want+"\n") {
			t.Errorf("%d columns: %v\n%s", width, err, out.String())
		}
	}
}

type pair struct {
	name  string
	price model.PriceCents
	parts []pair
}

func TestColumnsAreTheJSONTheRecordsTheTableAndTheFields(t *testing.T) {
	t.Parallel()
	columns := Columns[pair]{
		{Name: "name", Is: "string", Title: "NAME", Value: func(p pair) Value { return Text(p.name) }},
		{Title: "FIRST", Cell: func(p pair) string { return p.name[:1] }},
		{Name: "price_cents", Title: "PRICE", Right: true, Value: func(p pair) Value { return Price(p.price) }},
	}
	nested := columns.Pick("price_cents", "name").With(
		Array("parts", func(p pair) iter.Seq[pair] { return slices.Values(p.parts) }, columns.Pick("name")),
		Nested("best", func(p pair) (pair, bool) { return p, p.price.Known() }, columns.Pick("name")),
		Column[pair]{Name: "note", Is: "string|absent", Value: func(p pair) Value { return If(p.name == "b", Text("last")) }})
	items := []pair{{name: "a", price: 620, parts: []pair{{name: "x"}, {name: "y"}}}, {name: "b", price: model.UnknownPrice}}
	var list, sheet, table strings.Builder
	if err := List(&list, nested.Objects(slices.Values(items))); err != nil {
		t.Fatal(err)
	}
	if err := errors.Join(columns.Write(&sheet, CSV, slices.Values(items)), columns.Grid(slices.Values(items)).Write(&table, 0, false)); err != nil {
		t.Fatal(err)
	}
	for what, got := range map[string][2]string{
		"JSON": {list.String(), `[
{"price_cents":"620","name":"a","parts":[{"name":"x"},{"name":"y"}],"best":{"name":"a"}},
{"price_cents":null,"name":"b","parts":[],"best":null,"note":"last"}
]
`},
		"CSV":    {sheet.String(), "name,price_cents\na,620\nb,\n"},
		"table":  {table.String(), "NAME  FIRST  PRICE\na     a      $6.20\nb     b          -\n"},
		"fields": {fmt.Sprint(nested.Fields("")), "[{price_cents [string null]} {name [string]} {parts [array]} {parts[].name [string]} {best [object null]} {best.name [string]} {note [string absent]}]"},
	} {
		if got[0] != got[1] {
			t.Errorf("%s: got\n%s\nwant\n%s", what, got[0], got[1])
		}
	}
}

func TestAFileHasTheFormatOfItsEnding(t *testing.T) {
	t.Parallel()
	record := []Value{Text("=1+1"), Grams(1_500_000), Time(model.ParseTimestamp("2026-11-02T09:14:05Z"))}
	large := []Value{Text("0001"), Grams(1<<63 - 1), Time(model.Timestamp{})}
	encode := func(path string) []byte {
		file, err := abc.Encode(path, slices.Values([][]Value{record, large}), spreadsheet.Sheet{Name: "Rows"})
		if err != nil {
			t.Fatal(err)
		}
		return file
	}
	for path, want := range map[string]string{
		"x.CSV":  "a,b,c\n'=1+1,1500000,2026-11-02T09:14:05Z\n0001,9223372036854775807,\n",
		"x.json": "[\n{\"a\":\"=1+1\",\"b\":\"1500000\",\"c\":\"2026-11-02T09:14:05Z\"},\n{\"a\":\"0001\",\"b\":\"9223372036854775807\",\"c\":null}\n]\n",
	} {
		if got := string(encode(path)); got != want {
			t.Errorf("%s is\n%s\nwant\n%s", path, got, want)
		}
	}
	book, err := excelize.OpenReader(bytes.NewReader(encode("x.xlsx")))
	if err != nil {
		t.Fatal(err)
	}
	defer book.Close()
	for cell, want := range map[string]struct {
		value string
		kind  excelize.CellType
	}{
		"A1": {"a", excelize.CellTypeInlineString}, "A2": {"=1+1", excelize.CellTypeInlineString}, "B2": {"1500000", excelize.CellTypeUnset},
		"C2": {"2026-11-02 09:14:05", excelize.CellTypeUnset}, "A3": {"0001", excelize.CellTypeInlineString}, "B3": {"9223372036854775807", excelize.CellTypeInlineString},
	} {
		value, _ := book.GetCellValue("Rows", cell)
		kind, _ := book.GetCellType("Rows", cell)
		if formula, _ := book.GetCellFormula("Rows", cell); value != want.value || kind != want.kind || formula != "" {
			t.Errorf("%s is %q of type %v, formula %q", cell, value, kind, formula)
		}
	}
}
