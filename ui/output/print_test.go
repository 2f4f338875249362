package output

import (
	"bytes"
	"encoding/csv"
	"encoding/json"
	"fmt"
	"iter"
	"slices"
	"strconv"
	"strings"
	"testing"
	"unicode"

	"pgregory.net/rapid"

	"tonne/model"
	"tonne/model/field"
	"tonne/model/file/spreadsheet"
	must "tonne/model/musttest"
	"tonne/ui/style"
)

// anyText draws text as the decoders let it through: valid, on one line.
func anyText() *rapid.Generator[string] {
	return rapid.Custom(func(t *rapid.T) string {
		text := rapid.OneOf(rapid.String(), rapid.StringMatching(`['=+@\-",;\\<>& a-z]{0,12}`)).Draw(t, "text")
		return strings.NewReplacer("\r", "␍", "\n", "␊", "\x00", "␀").Replace(strings.ToValidUTF8(text, "�"))
	})
}

// written is a value with the text of its cell of CSV, without a guard, and its JSON after decoding.
type written struct {
	field.Value
	text string
	json any
}

func (w written) String() string { return w.text }

func amount(n int64, v field.Value) written {
	text := strconv.FormatInt(n, 10)
	if v.IsNull() {
		return written{v, "", nil}
	}
	return written{v, text, text}
}

func anyValue() *rapid.Generator[written] {
	return rapid.Custom(func(t *rapid.T) written {
		switch rapid.IntRange(0, 4).Draw(t, "kind") {
		case 0:
			s := anyText().Draw(t, "text")
			return written{field.Text(s), s, s}
		case 1:
			n := rapid.Int64Min(-1).Draw(t, "grams")
			return amount(n, field.Grams(model.Grams(n)))
		case 2:
			n := rapid.Int64Min(-1).Draw(t, "price")
			return amount(n, field.Price(model.PriceCents(n)))
		case 3:
			n := rapid.Int().Draw(t, "number")
			return written{field.Number(n), strconv.Itoa(n), json.Number(strconv.Itoa(n))}
		}
		yes := rapid.Bool().Draw(t, "answer")
		return written{field.Flag(yes), strconv.FormatBool(yes), yes}
	})
}

var abc = field.Columns[[]written]{
	{Name: "a", Value: func(r []written) field.Value { return r[0].Value }},
	{Name: "b", Value: func(r []written) field.Value { return r[1].Value }},
	{Name: "c", Value: func(r []written) field.Value { return r[2].Value }},
}

func TestCSVReadsBackAsItWasWrittenButForTheGuard(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		var out strings.Builder
		records := rapid.SliceOf(rapid.SliceOfN(anyValue(), 3, 3)).Draw(t, "records")
		must.Succeed(t, Write(&out, CSV, abc, slices.Values(records)))
		got, err := csv.NewReader(strings.NewReader(out.String())).ReadAll()
		must.Need(t, err == nil, err, out.String())
		must.Need(t, len(got) == len(records)+1 && slices.Equal(got[0], []string{"a", "b", "c"}), len(got)-1, got[0])
		for i, record := range records {
			for j, v := range record {
				cell := got[i+1][j]
				if v.json == any(v.text) && v.text != "" && strings.ContainsRune("=+-@\t\r", rune(v.text[0])) {
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
		must.Succeed(t, Write(&out, JSONL, abc, slices.Values([][]written{record})))
		dec := json.NewDecoder(strings.NewReader(out.String()))
		dec.UseNumber()
		var got map[string]any
		err := dec.Decode(&got)
		must.Need(t, err == nil && len(got) == 3 && strings.Count(out.String(), "\n") == 1, err, out.String())
		for i, name := range []string{"a", "b", "c"} {
			must.Equal(t, got[name], record[i].json, name)
		}
	})
}

func TestADocumentIsOneObjectWithItsItems(t *testing.T) {
	t.Parallel()
	for n := range 3 {
		var out strings.Builder
		head := struct {
			A int `json:"a"`
		}{1}
		items := []field.Value{field.Text("x"), field.Text("y")}[:n]
		must.Succeed(t, Document(&out, head, "items", slices.Values(items)))
		var got struct {
			A     int
			Items []string
		}
		err := json.Unmarshal([]byte(out.String()), &got)
		must.Hold(t, err == nil && got.A == 1 && got.Items != nil && len(got.Items) == n, n, err, out.String())
	}
}

func drawn(t must.Test, g *Grid, width int) string {
	var out strings.Builder
	must.Succeed(t, g.Write(&out, width, false))
	return out.String()
}

func TestATableFitsTheTerminal(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		g := NewGrid(Heading{Title: "NAME", Shrink: 4}, Heading{Title: "ID", Drop: 2}, Heading{Title: "N", Right: true},
			Heading{Title: "URL", Drop: 1, Shrink: 6})
		for range rapid.IntRange(0, 5).Draw(t, "rows") {
			g.Add(anyText().Draw(t, "name"), rapid.StringMatching(`[a-z]{0,18}`).Draw(t, "id"),
				rapid.StringMatching(`[0-9]{0,6}`).Draw(t, "n"), anyText().Draw(t, "url"))
		}
		width := rapid.IntRange(12, 200).Draw(t, "width")
		out := drawn(t, g, width)
		for line := range strings.Lines(out) {
			w := style.Width(strings.TrimSuffix(line, "\n"))
			must.Need(t, w <= width, w, width, line)
		}
	})
}

func TestColumnsStandBelowEachOtherWhateverTheyHold(t *testing.T) {
	t.Parallel()
	names := []string{"Bale", "Cookstoves 1️⃣", "森林", "👩‍👩‍👧‍👦", "क्षि", "❤️‍🔥", "🇪🇹🇰", "\u0301", "a\x1b[2Jb", "new\nline",
		"\u009b31m"}
	for _, width := range []int{0, 10, 12, 14, 40} {
		g := NewGrid(Heading{Title: "NAME", Shrink: 4}, Heading{Title: "N"})
		for _, name := range names {
			g.Add(name, "|")
		}
		out := drawn(t, g, width)
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
	out := drawn(t, g, 0)
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

func TestASpareColumnIsLeftOutBeforeAnyIsCutOff(t *testing.T) {
	t.Parallel()
	g := NewGrid(Heading{Title: "NAME", Shrink: 4}, Heading{Title: "TYPE", Spare: true}, Heading{Title: "CC", Spare: true},
		Heading{Title: "N"})
	g.Add("Bale Mountains", "REDD+", "ET", "1")
	for width, want := range map[int]string{
		0: "NAME            TYPE   CC  N", 28: "NAME            TYPE   CC  N", 27: "NAME            TYPE   N",
		23: "NAME            N", 16: "NAME           N",
	} {
		header, _, _ := strings.Cut(drawn(t, g, width), "\n")
		must.Equal(t, header, want, width)
	}
}

func TestTheColumnWithTheHighestDropGoesFirst(t *testing.T) {
	t.Parallel()
	g := NewGrid(Heading{Title: "NAME"}, Heading{Title: "ID", Drop: 2}, Heading{Title: "A", Drop: 1},
		Heading{Title: "B", Drop: 1})
	for width, want := range map[int]string{14: "NAME  ID  A  B", 13: "NAME  A  B", 9: "NAME  A", 6: "NAME"} {
		must.Equal(t, drawn(t, g, width), want+"\n", width)
	}
}

type pair struct {
	name  string
	price model.PriceCents
	parts []pair
}

func TestColumnsAreTheJSONTheRecordsTheTableAndTheFields(t *testing.T) {
	t.Parallel()
	columns := field.Columns[pair]{
		{Name: "name", Is: "string", Title: "NAME", Value: func(p pair) field.Value { return field.Text(p.name) }},
		{Title: "FIRST", Value: func(p pair) field.Value { return field.Words(p.name[:1]) }},
		{Name: "price_cents", Title: "PRICE", Right: true, Value: func(p pair) field.Value { return field.Price(p.price) }},
	}
	nested := columns.Pick("price_cents", "name").With(
		field.Items("parts", func(p pair) iter.Seq[pair] { return slices.Values(p.parts) }, columns.Pick("name")),
		field.Nested("best", func(p pair) (pair, bool) { return p, p.price.Known() }, columns.Pick("name")),
		field.Column[pair]{Name: "note", Is: "string|absent",
			Value: func(p pair) field.Value { return field.If(p.name == "b", field.Text("last")) }})
	items := []pair{{name: "a", price: 620, parts: []pair{{name: "x"}, {name: "y"}}},
		{name: "b", price: model.UnknownPrice}}
	var list, sheet, table strings.Builder
	must.Succeed(t, List(&list, nested.Objects(slices.Values(items))))
	must.Succeed(t, Write(&sheet, CSV, columns, slices.Values(items)),
		GridOf(columns, slices.Values(items)).Write(&table, 0, false))
	for what, got := range map[string][2]string{
		"JSON": {list.String(), `[
{"price_cents":"620","name":"a","parts":[{"name":"x"},{"name":"y"}],"best":{"name":"a"}},
{"price_cents":null,"name":"b","parts":[],"best":null,"note":"last"}
]
`},
		"CSV":   {sheet.String(), "name,price_cents\na,620\nb,\n"},
		"table": {table.String(), "NAME  FIRST  PRICE\na     a      $6.20\nb     b          -\n"},
		"fields": {fmt.Sprint(nested.Fields("")),
			"[{price_cents [string null]} {name [string]} {parts [array]} {parts[].name [string]} {best [object null]} {best.name [string]} {note [string absent]}]"},
	} {
		must.Equal(t, got[0], got[1], what)
	}
}

func TestAFileHasTheFormatOfItsEnding(t *testing.T) {
	t.Parallel()
	record := []written{{Value: field.Text("=1+1")}, {Value: field.Grams(1_500_000)},
		{Value: field.Time(model.ParseTimestamp("2026-11-02T09:14:05Z"))}}
	large := []written{{Value: field.Text("0001")}, {Value: field.Grams(1<<63 - 1)}, {}}
	encode := func(path string) []byte {
		return must.Get(Encode(path, abc, slices.Values([][]written{record, large}), spreadsheet.Sheet{Name: "Rows"}))
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

func TestLinesLeaveOutWhatHasNoValue(t *testing.T) {
	t.Parallel()
	g := NewGrid(Heading{Title: "NAME"}, Heading{Title: "CC", Spoken: "Country"}, Heading{Title: "ASK"}, Heading{})
	g.AddValues(field.Text("-"), field.Optional(""), field.Price(620), field.Words("≠"))
	g.AddValues(field.Words(""), field.Text("ET"), field.Price(model.UnknownPrice), field.Words(""))
	var out strings.Builder
	must.Succeed(t, g.WriteLines(&out))
	must.Equal(t, out.String(), "Name: -\nAsk: $6.20\n\nCountry: ET\n")
}

// Items of a group are written as they would be one by one.
func TestGroup(t *testing.T) {
	t.Parallel()
	type item struct{ of, own written }
	columns := field.Columns[item]{
		{Name: "of", Value: func(i item) field.Value { return i.of.Value }},
		{Name: "own", Value: func(i item) field.Value { return i.own.Value }},
	}
	rapid.Check(t, func(t *rapid.T) {
		format := rapid.SampledFrom([]Format{CSV, JSONL}).Draw(t, "format")
		var grouped, single bytes.Buffer
		together, apart := NewRows(&grouped, format, columns), NewRows(&single, format, columns)
		for range rapid.IntRange(1, 4).Draw(t, "groups") {
			of := anyValue().Draw(t, "of")
			together.Group([]string{"own", "none"})
			for _, own := range rapid.SliceOfN(anyValue(), 0, 4).Draw(t, "own") {
				must.Equal(t, together.WriteSum(item{of, own}), apart.WriteSum(item{of, own}), "hash")
			}
		}
		must.Succeed(t, together.Flush(), apart.Flush())
		must.Equal(t, grouped.String(), single.String())
	})
}
