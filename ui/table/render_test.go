package table_test

import (
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/charmbracelet/x/ansi"
	"pgregory.net/rapid"

	must "tonne/model/musttest"
	"tonne/ui/style"
	"tonne/ui/table"
)

// plain renders a table without its styles.
func plain[R any](s *table.Table[string, R], width, height int, f table.Frame[string]) string {
	b := style.NewBlock(style.NewTheme(style.Dark), width, height)
	s.Render(b, height, f)
	return ansi.Strip(b.String())
}

func TestLastColumnCannotBeHidden(t *testing.T) {
	t.Parallel()
	tab := table.New[string](thingSpec())
	for _, key := range []string{"name", "amount", "id", "none"} {
		tab.Show(key, false)
	}
	hidden := ""
	for _, c := range tab.Columns() {
		if c.Hidden {
			hidden += c.Key + " "
		}
	}
	must.Equal(t, hidden, "name amount ", "hidden")
	tab.Show("name", true)
	must.Hold(t, !tab.Columns()[0].Hidden, "a hidden column is not shown again")
}

// heading renders a table and returns its titles.
func heading(tab *table.Table[string, thing]) string {
	line, _, _ := strings.Cut(plain(tab, 60, 3, table.Frame[string]{}), "\n")
	return line
}

func TestWidthsChangeOnlyWithTheDataAndTheTerminal(t *testing.T) {
	t.Parallel()
	rows := things{{id: "1", amount: 1}, {id: "2", amount: 1}, {id: "3", amount: 1234567890}, {id: "4", amount: 1},
		{id: "5", amount: 1}}
	tab := table.New[string](thingSpec())
	tab.SetSource(rows)
	is := heading(tab)
	for what, do := range map[string]func(){
		"scrolling": func() { tab.Move(2) },
		"a filter":  func() { setQuery(tab, "1") },
		"no filter": func() { setQuery(tab, "") },
		"a match":   func() { tab.SetMatch(func(t thing) bool { return t.id == "5" }) },
		"hiding and showing": func() {
			tab.Show("id", false)
			heading(tab)
			tab.Show("id", true)
		},
	} {
		do()
		must.Equal(t, heading(tab), is, what)
	}
	// A second click on the same header must hit the same column.
	tab.Sort("id", false)
	must.Equal(t, strings.Replace(heading(tab), "ID ▲", "ID  ", 1), is, "after a sort")
	tab.SetSource(things{{id: "1", amount: 1234567890123456}})
	must.Hold(t, heading(tab) != is, "wider data do not widen the column", is)
}

// Of many rows, only those on the screen are measured. Their columns only become wider.
func TestColumnsOnlyBecomeWiderWhileScrolling(t *testing.T) {
	t.Parallel()
	rows := make(things, 600)
	for i := range rows {
		rows[i] = thing{id: strconv.Itoa(i), amount: 1}
	}
	rows[2].amount = 1234567890
	tab := table.New[string](thingSpec())
	tab.SetSource(rows)
	narrow := heading(tab)
	tab.Move(2)
	wide := heading(tab)
	tab.Top()
	again := heading(tab)
	must.Hold(t, wide != narrow && again == wide, "header", narrow, wide, again)
}

// Without colours, the selected row is inverted also between its texts and after the last one.
func TestSelectedRowIsMarkedOverItsWholeWidth(t *testing.T) {
	t.Parallel()
	tab := table.New[string](thingSpec())
	tab.SetSource(things{{id: "", name: ""}, {id: "b", name: "Bale Mountains", amount: 5}, {id: "", name: "Bale"}})
	for _, stale := range []bool{false, true} {
		for range 3 {
			b := style.NewBlock(style.NewTheme(style.Mono), 60, 4)
			tab.Render(b, 4, table.Frame[string]{Focused: true, Stale: stale})
			line := strings.Split(b.String(), "\n")[1+tab.Position()]
			inverted, sequences := 0, strings.Split(line, "\x1b[")
			for _, s := range sequences[1:] {
				codes, text, _ := strings.Cut(s, "m")
				if codes := strings.Split(codes, ";"); slices.Contains(codes, "7") && !slices.Contains(codes, "2") {
					inverted += style.Width(text)
				}
			}
			must.Hold(t, sequences[0] == "" && inverted == 60, "inverted cells", inverted, line)
			tab.Move(1)
		}
		tab.Top()
	}
}

func TestAnyTextGivesLinesOfExactWidth(t *testing.T) {
	t.Parallel()
	theme := style.NewTheme(style.Light)
	text := rapid.OneOf(rapid.String(), rapid.StringMatching(`[a中👍🏽\x{200d}\x{fe0f}\x{301}🇨🇭\n\x1b]{0,30}`))
	rapid.Check(t, func(t *rapid.T) {
		var rows things
		for i := range rapid.IntRange(0, 5).Draw(t, "rows") {
			rows = append(rows, thing{id: string(rune('a'+i)) + text.Draw(t, "id"), name: text.Draw(t, "name")})
		}
		tab := table.New[string](thingSpec())
		tab.SetSource(rows)
		width := rapid.IntRange(1, 60).Draw(t, "width")
		b := style.NewBlock(theme, width, 7)
		tab.Render(b, 7, table.Frame[string]{Focused: true, Flash: func(key, _ string) bool { return len(key)%2 == 0 }})
		for _, line := range strings.Split(b.String(), "\n") {
			w := ansi.StringWidth(line)
			must.Need(t, w == width, "line", line, w, width)
		}
	})
}

func TestRenderingAllocatesOnlyItsText(t *testing.T) {
	tab := table.New[string](marketSpec())
	tab.SetSource(market(100))
	theme, b := style.NewTheme(style.Dark), new(style.Block)
	render := func() {
		tab.Move(1)
		b.Reset(theme, 160, 45)
		tab.Render(b, 45, table.Frame[string]{Focused: true, Flash: func(key, column string) bool { return false }})
		_ = b.String()
	}
	render()
	allocations := testing.AllocsPerRun(40, render)
	must.Hold(t, allocations <= 1, allocations)
}

// A column with only blanks and dashes is dropped before a column with values, regardless
// of priority.
func TestEmptyColumnsAreDroppedFirst(t *testing.T) {
	t.Parallel()
	spec := thingSpec()
	column := func(key string, priority int, text string) table.Column[thing] {
		return table.Column[thing]{Key: key, Title: key, Priority: priority, Ideal: 6,
			Cell: func(c *style.Cell, _ thing) { c.Put(style.Text, text) }}
	}
	spec.Columns = append(spec.Columns[:1:1], column("DASHES", 1, "—"), column("BLANKS", 2, "   "),
		column("TYPE", 9, "wind"))
	tab := table.New[string](spec)
	tab.SetSource(things{{id: "a", name: "Bale Mountains"}})
	for width, want := range map[int]string{60: "NAME DASHES BLANKS TYPE", 24: "NAME DASHES TYPE", 16: "NAME TYPE",
		8: "NAME"} {
		header, _, _ := strings.Cut(plain(tab, width, 4, table.Frame[string]{}), "\n")
		must.Equal(t, strings.Join(strings.Fields(header), " "), want, width)
	}
}
