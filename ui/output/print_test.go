package output

import (
	"bytes"
	"encoding/csv"
	"encoding/json"
	"fmt"
	"iter"
	"slices"
	"strings"
	"testing"
	"unicode"

	"pgregory.net/rapid"

	"tonne/model"
	must "tonne/model/musttest"
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
		err := json.Unmarshal(written, &read)
		must.Hold(t, err == nil && slices.Equal(read, texts), texts, read, err)
	})
}

func TestCSVReadsBackAsItWasWrittenButForTheGuard(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		var out strings.Builder
		records := rapid.SliceOf(rapid.SliceOfN(anyValue(), 3, 3)).Draw(t, "records")
		must.Succeed(t, abc.Write(&out, CSV, slices.Values(records)))
		got, err := csv.NewReader(strings.NewReader(out.String())).ReadAll()
		must.Need(t, err == nil, err, out.String())
		must.Need(t, len(got) == len(records)+1 && slices.Equal(got[0], []string{"a", "b", "c"}), len(got)-1, got[0])
		for i, record := range records {
			for j, v := range record {
				cell := got[i+1][j]
				if v.kind == text && len(v.text) > 0 && strings.ContainsRune("=+-@\t\r", rune(v.text[0])) {
					must.Need(t, strings.HasPrefix(cell, "'"), cell)
					cell = cell[1:]
				}
				must.Need(t, cell == v.text, v.text, cell)
			}
		}
	})
}

func TestJSONLReadsBackAsItWasWritten(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		var out strings.Builder
		record := rapid.SliceOfN(anyValue(), 3, 3).Draw(t, "record")
		must.Succeed(t, abc.Write(&out, JSONL, slices.Values([][]Value{record})))
		dec := json.NewDecoder(strings.NewReader(out.String()))
		dec.UseNumber()
		var got map[string]any
		err := dec.Decode(&got)
		must.Need(t, err == nil && len(got) == 3 && strings.Count(out.String(), "\n") == 1, err, out.String())
		for i, name := range []string{"a", "b", "c"} {
			v := record[i]
			must.Need(t, same(got[name], v), name, v, got[name])
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
		got, err := v.MarshalJSON()
		must.Hold(t, err == nil && string(got) == want, got, err, want)
	}
	for _, v := range []Value{Price(model.UnknownPrice), Optional(""), Time(model.Timestamp{}), Year(0), Bool(model.Unset)} {
		got, _ := v.MarshalJSON()
		must.Equal(t, string(got), "null", got)
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
		must.Succeed(t, Document(&out, head, "items", slices.Values(items)))
		var got struct {
			A     int
			Items []string
		}
		err := json.Unmarshal([]byte(out.String()), &got)
		must.Hold(t, err == nil && got.A == 1 && got.Items != nil && len(got.Items) == n, n, err, out.String())
	}
}

func written(t must.Test, g *Grid, width int) string {
	var out strings.Builder
	must.Succeed(t, g.Write(&out, width, false))
	return out.String()
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
		out := written(t, g, width)
		for line := range strings.Lines(out) {
			w := style.Width(strings.TrimSuffix(line, "\n"))
			must.Need(t, w <= width, w, width, line)
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
		out := written(t, g, width)
		lines := strings.Split(strings.TrimSuffix(out, "\n"), "\n")
		must.Need(t, len(lines) == 1+len(names), len(lines), len(names), out)
		at := style.Width(strings.TrimSuffix(lines[0], "N"))
		for _, line := range lines[1:] {
			before, _, _ := strings.Cut(line, "|")
			got := style.Width(before)
			must.Hold(t, got == at && !strings.ContainsFunc(line, unicode.IsControl), "width", width, line, got, at)
		}
	}
}

func TestATableInAPipeLeavesNothingOut(t *testing.T) {
	t.Parallel()
	long := strings.Repeat("long ", 100)
	g := NewGrid(Heading{Title: "NAME", Shrink: 4}, Heading{Title: "URL", Drop: 1, Right: true})
	g.Add(long, "u")
	out := written(t, g, 0)
	must.Hold(t, strings.Contains(out, long) && strings.Contains(out, "URL"), out)
}

func TestTitlesAreBoldOnlyWhereThatIsAskedFor(t *testing.T) {
	t.Parallel()
	for _, bold := range []bool{true, false} {
		var out strings.Builder
		must.Hold(t, NewGrid(Heading{Title: "A"}).Write(&out, 80, bold) == nil &&
			strings.Contains(out.String(), "\x1b[1m") == bold,
			"bold", bold, out.String())
	}
}

func FuzzCellIsNeverAFormula(f *testing.F) {
	for _, s := range []string{"=1+1", "'=1", "", "\t=1", "-"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		cell := Cell(s)
		must.Hold(t, cell == "" || !strings.ContainsRune("=+-@\t\r", rune(cell[0])), cell)
	})
}

func TestASpareColumnIsLeftOutBeforeAnyIsCutOff(t *testing.T) {
	t.Parallel()
	g := NewGrid(Heading{Title: "NAME", Shrink: 4}, Heading{Title: "TYPE", Spare: true}, Heading{Title: "CC", Spare: true}, Heading{Title: "N"})
	g.Add("Bale Mountains", "REDD+", "ET", "1")
	for width, want := range map[int]string{
		0: "NAME            TYPE   CC  N", 28: "NAME            TYPE   CC  N", 27: "NAME            TYPE   N", 23: "NAME            N", 16: "NAME           N",
	} {
		header, _, _ := strings.Cut(written(t, g, width), "\n")
		must.Equal(t, header, want, width)
	}
}

func TestTheColumnWithTheHighestDropGoesFirst(t *testing.T) {
	t.Parallel()
	g := NewGrid(Heading{Title: "NAME"}, Heading{Title: "ID", Drop: 2}, Heading{Title: "A", Drop: 1}, Heading{Title: "B", Drop: 1})
	for width, want := range map[int]string{14: "NAME  ID  A  B", 13: "NAME  A  B", 9: "NAME  A", 6: "NAME"} {
		must.Equal(t, written(t, g, width), want+"\n", width)
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
	must.Succeed(t, List(&list, nested.Objects(slices.Values(items))))
	must.Succeed(t, columns.Write(&sheet, CSV, slices.Values(items)), columns.Grid(slices.Values(items)).Write(&table, 0, false))
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
		must.Equal(t, got[0], got[1], what)
	}
}

func TestAFileHasTheFormatOfItsEnding(t *testing.T) {
	t.Parallel()
	record := []Value{Text("=1+1"), Grams(1_500_000), Time(model.ParseTimestamp("2026-11-02T09:14:05Z"))}
	large := []Value{Text("0001"), Grams(1<<63 - 1), Time(model.Timestamp{})}
	encode := func(path string) []byte {
		return must.Get(abc.Encode(path, slices.Values([][]Value{record, large}), spreadsheet.Sheet{Name: "Rows"}))
	}
	for path, want := range map[string]string{
		"x.CSV":  "a,b,c\n'=1+1,1500000,2026-11-02T09:14:05Z\n0001,9223372036854775807,\n",
		"x.json": "[\n{\"a\":\"=1+1\",\"b\":\"1500000\",\"c\":\"2026-11-02T09:14:05Z\"},\n{\"a\":\"0001\",\"b\":\"9223372036854775807\",\"c\":null}\n]\n",
	} {
		must.Equal(t, string(encode(path)), want, path)
	}
	must.Hold(t, bytes.HasPrefix(encode("x.xlsx"), []byte("PK")), "x.xlsx is no workbook")
	for want, got := range map[[3]spreadsheet.Cell][]spreadsheet.Cell{
		{spreadsheet.Text("=1+1"), spreadsheet.Whole("1500000"), spreadsheet.Time("2026-11-02T09:14:05Z")}: abc.Cells(record),
		{spreadsheet.Text("0001"), spreadsheet.Whole("9223372036854775807"), spreadsheet.Text("")}:         abc.Cells(large),
	} {
		must.Equal(t, got, want[:])
	}
}
