package field_test

import (
	"encoding/json"
	"slices"
	"strings"
	"testing"
	"time"

	"pgregory.net/rapid"

	"tonne/model"
	"tonne/model/field"
	"tonne/model/file/spreadsheet"
	must "tonne/model/musttest"
)

// tokyo has no summer time.
var tokyo = time.FixedZone("JST", 9*60*60)

func stamp(s string) field.Value { return field.Time(model.ParseTimestamp(s)) }

func object(name string, v field.Value) field.Value {
	return field.Object(func(yield func(string, field.Value) bool) { yield(name, v) })
}

func array(items ...field.Value) field.Value { return field.Array(slices.Values(items)) }

func TestAValueIsWrittenByItsKind(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		value            field.Value
		table, json, csv string
		cell             spreadsheet.Cell
	}{
		{field.Value{}, "-", "null", "", spreadsheet.Text("")},
		{field.Text("a;b"), "a;b", `"a;b"`, "a;b", spreadsheet.Text("a;b")},
		{field.Text(""), "-", `""`, "", spreadsheet.Text("")},
		{field.Text("0001"), "0001", `"0001"`, "0001", spreadsheet.Text("0001")},
		{field.Text("=1<2"), "=1<2", `"=1<2"`, "'=1<2", spreadsheet.Text("=1<2")},
		{field.Words(""), "", `""`, "", spreadsheet.Text("")},
		{field.Optional(""), "-", "null", "", spreadsheet.Text("")},
		{field.Texts(nil), "-", "[]", "", spreadsheet.Text("")},
		{field.Texts([]string{"-a", "b\x00c"}), "-a; b\x00c", `["-a","b\u0000c"]`, "'-a; b\x00c",
			spreadsheet.Text("-a; b\x00c")},
		{field.Grams(1_500_000), "1.500000 t", `"1500000"`, "1500000", spreadsheet.Integer(1_500_000)},
		{field.Grams(1<<63 - 1), "9,223,372,036,854.775807 t", `"9223372036854775807"`, "9223372036854775807",
			spreadsheet.Text("9223372036854775807")},
		{field.Grams(model.UnknownGrams), "? t", "null", "", spreadsheet.Text("")},
		{field.NetGrams(1_500_000), "1.500000 t", `"1500000"`, "1500000", spreadsheet.Integer(1_500_000)},
		{field.NetGrams(-1_000_000), "−1 t", `"-1000000"`, "-1000000", spreadsheet.Integer(-1_000_000)},
		{field.Price(620), "$6.20", `"620"`, "620", spreadsheet.Integer(620)},
		{field.Price(model.UnknownPrice), "-", "null", "", spreadsheet.Text("")},
		{field.Cost(-1), "−$0.01", `"-1"`, "-1", spreadsheet.Integer(-1)},
		{field.Tonnes(1234), "1,234 t", `"1234"`, "1234", spreadsheet.Integer(1234)},
		{field.Shortage(1234), "short 1,234 t", `"1234"`, "1234", spreadsheet.Integer(1234)},
		{field.Difference(-42), "−4.2%", "-42", "-42", spreadsheet.Integer(-42)},
		{field.Number(-5), "-5", "-5", "-5", spreadsheet.Integer(-5)},
		{field.Year(2019), "2019", "2019", "2019", spreadsheet.Integer(2019)},
		{field.Year(0), "-", "null", "", spreadsheet.Text("")},
		{field.Bool(model.No), "false", "false", "false", spreadsheet.Text("false")},
		{field.Bool(model.Unset), "-", "null", "", spreadsheet.Text("")},
		{stamp("2026-11-02T23:14:05Z"), "2026-11-03 JST", `"2026-11-02T23:14:05Z"`, "2026-11-02T23:14:05Z",
			spreadsheet.Time("2026-11-02T23:14:05Z")},
		{stamp("2026-W48-7"), "2026-11-29 JST", `"2026-W48-7"`, "2026-W48-7", spreadsheet.Text("2026-W48-7")},
		{stamp("soon"), "soon", `"soon"`, "soon", spreadsheet.Text("soon")},
		{stamp(""), "-", "null", "", spreadsheet.Text("")},
		{array(field.Number(1), field.Value{}), "[1,null]", "[1,null]", "[1,null]", spreadsheet.Text("[1,null]")},
		{object("a", field.Text("é")), `{"a":"é"}`, `{"a":"é"}`, `{"a":"é"}`, spreadsheet.Text(`{"a":"é"}`)},
	} {
		text, err := c.value.MarshalJSON()
		must.Succeed(t, err)
		must.Equal(t, string(text), c.json, c.json)
		must.Equal(t, c.value.Format(field.Units{Zone: tokyo}), c.table, c.json)
		must.Equal(t, c.value.CSV(), c.csv, c.json)
		must.Equal(t, c.value.Cell(), c.cell, c.json)
		must.Equal(t, c.value.IsNull(), c.json == "null", c.json)
		must.Equal(t, c.value.Blank(), c.table == field.Unknown || c.table == "", c.json)
	}
	must.Equal(t, field.Grams(1_500_000).Format(field.Units{Grams: true}), "1,500,000 g")
	must.Equal(t, field.Grams(model.UnknownGrams).Format(field.Units{Grams: true}), "? t")
}

func TestJSONHasEachTextOfAList(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		texts := rapid.SliceOf(rapid.Map(rapid.String(), func(s string) string { return strings.ToValidUTF8(s, "�") })).Draw(
			t, "texts")
		written, _ := json.Marshal(field.Texts(texts))
		read := []string{}
		err := json.Unmarshal(written, &read)
		must.Hold(t, err == nil && slices.Equal(read, texts), texts, read, err)
	})
}

func TestARoleIsPartOfAValueAndOfNoFormat(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		value field.Value
		want  field.Role
	}{
		{field.Text("short rotation coppice"), field.Plain}, {field.Text("+5.7%"), field.Plain},
		{field.Shortage(5), field.Warning},
		{field.Difference(57), field.Dearer}, {field.Difference(-57), field.Cheaper}, {field.Difference(0), field.Even},
		{field.Price(620).As(field.BestAsk), field.BestAsk}, {field.Price(model.UnknownPrice), field.Plain},
	} {
		must.Equal(t, c.value.Role(), c.want, c.value)
		must.Hold(t, c.value.Equal(c.value.As(field.LastPaid)), c.value)
	}
}

func TestValuesAreEqualIfEveryFormatIs(t *testing.T) {
	t.Parallel()
	early, late := stamp("2026-11-02T01:00:00Z"), stamp("2026-11-02T02:00:00Z")
	values := []field.Value{
		{}, field.Text(""), field.Text("6"), field.Number(6), field.Grams(6), field.Cost(6), field.Tonnes(6),
		field.Texts([]string{"6"}), array(),
		array(field.Text("6")), array(field.Text("6"), field.Text("7")), object("a", field.Number(6)),
		object("b", field.Number(6)), object("a", field.Grams(6)),
		early, late,
	}
	for i, v := range values {
		for j, w := range values {
			must.Equal(t, v.Equal(w), i == j, v, w)
		}
	}
	must.Hold(t, early.Dated(time.UTC).Equal(late.Dated(time.UTC)), "a day has two dates")
	must.Hold(t, !early.Dated(tokyo).Equal(stamp("2026-11-01T14:59:59Z").Dated(tokyo)), "two days have one date")
	must.Hold(t, field.Text("6").Dated(time.UTC).Equal(field.Text("6")), "a text has a date")
}

// Each value sorts before the next one.
func TestNumbersSortBeforeTextsAndUnknownValuesLast(t *testing.T) {
	t.Parallel()
	for _, sorted := range [][]field.Value{
		{field.Cost(-1), field.Price(0), field.Price(99), field.Price(100), field.Price(model.UnknownPrice)},
		{field.Grams(9), field.Grams(10), field.Grams(model.UnknownGrams)},
		{field.Text("9"), field.Text("10"), field.Text("1a"), field.Text("A"), field.Text("b"), field.Value{}},
		{field.Difference(-1), field.Difference(1)},
		{field.Flag(false), field.Flag(true), field.Bool(model.Unset)},
		{stamp("2026-11-02T10:00:00+09:00"), stamp("2026-11-02T02:00:00Z"), stamp("2026-11-02T02:00:01Z"), stamp("")},
		{field.Texts([]string{"a"}), field.Texts([]string{"A", "b"})},
	} {
		for i, v := range sorted {
			for j, w := range sorted {
				must.Equal(t, field.Compare(v, w, false), sign(i-j), v, w)
				if !v.IsNull() && !w.IsNull() {
					must.Equal(t, field.Compare(v, w, true), sign(j-i), v, w)
				}
			}
		}
	}
	must.Equal(t, field.Compare(field.Value{}, field.Text("a"), true), 1)
}

func sign(n int) int { return min(max(n, -1), 1) }

func FuzzCellIsNeverAFormula(f *testing.F) {
	for _, s := range []string{"=1+1", "'=1", "", "\t=1", "-"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		for _, v := range []field.Value{field.Text(s), field.Words(s), field.Texts([]string{s, s}), stamp(s)} {
			cell := v.CSV()
			must.Hold(t, cell == "" || !strings.ContainsRune("=+-@\t\r", rune(cell[0])), cell)
		}
	})
}
