package table_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"tonne/model"
	"tonne/model/field"
	"tonne/model/filter"
	must "tonne/model/musttest"
	"tonne/ui/style"
	"tonne/ui/table"
)

// thing is a row of a test source.
type thing struct {
	id     string
	name   string
	amount int64
	known  bool
}

type things []thing

func (s things) Len() int         { return len(s) }
func (s things) Key(i int) string { return s[i].id }
func (s things) At(i int) thing   { return s[i] }

// found is a source with the method Find.
type found struct{ things }

func (s found) Find(key string) (int, bool) {
	i := slices.IndexFunc(s.things, func(t thing) bool { return t.id == key })
	return i, i >= 0
}

func filtered(t thing) filter.Row {
	return filter.Row{Name: t.name, BestAsk: model.PriceCents(t.amount)}
}

func thingSpec() table.Spec[thing] {
	return table.Spec[thing]{
		Filtered: func(t thing, _ filter.Needs) filter.Row { return filtered(t) },
		Columns: []table.Column[thing]{
			{Key: "name", Title: "NAME", Min: 3, Ideal: 12, Max: 20,
				Style: style.Name, Value: func(t thing) field.Value { return field.Words(t.name) }},
			{Key: "amount", Title: "AMOUNT", Align: style.Right, Priority: 1,
				Value: func(t thing) field.Value { return field.Number(int(t.amount)) },
				Order: func(t thing) field.Value { return field.If(t.known, field.Number(int(t.amount))) }},
			{Key: "id", Title: "ID", Priority: 2, Cell: func(c *style.Cell, t thing) { c.Put(style.Muted, t.id) }},
		},
	}
}

// drawThings generates things with unique ids.
func drawThings(t *rapid.T) things {
	var s things
	for _, id := range rapid.SliceOfNDistinct(rapid.IntRange(0, 40), 0, 40, rapid.ID).Draw(t, "ids") {
		s = append(s, thing{
			id: fmt.Sprintf("t%02d", id), name: rapid.StringMatching(`[abcé]{0,4}`).Draw(t, "name"),
			amount: rapid.OneOf(rapid.Int64Range(-3, 3), rapid.Int64()).Draw(t, "amount"), known: rapid.Bool().Draw(t, "known"),
		})
	}
	return s
}

// asSource returns a source with or without the method Find.
func asSource(t *rapid.T, s things) table.Source[string, thing] {
	if rapid.Bool().Draw(t, "finds") {
		return found{s}
	}
	return s
}

func keys[R any](tab *table.Table[string, R]) []string {
	var shown []string
	for key := range tab.Rows() {
		shown = append(shown, key)
	}
	return shown
}

// nearestOf returns the remaining row that is nearest to the cursor. Rows below come
// before rows above.
func nearestOf(was, now []string, cursor int) string {
	for step := range len(was) {
		for _, at := range [2]int{cursor + step, cursor - step} {
			if at >= 0 && at < len(was) && slices.Contains(now, was[at]) {
				return was[at]
			}
		}
	}
	return ""
}

func TestCursorStaysOnItsRowOrMovesToTheNearest(t *testing.T) {
	t.Parallel()
	theme := style.NewTheme(style.Mono)
	rapid.Check(t, func(t *rapid.T) {
		tab := table.New[string](thingSpec())
		tab.SetSource(asSource(t, drawThings(t)))
		height := rapid.IntRange(1, 12).Draw(t, "height")
		render := func() { tab.Render(style.NewBlock(theme, 40, height), height, table.Frame[string]{}) }
		render()
		// line is the last line of the cursor, since rows that a filter has hidden return to
		// their place.
		line := 0
		for range rapid.IntRange(1, 12).Draw(t, "steps") {
			tab.Move(rapid.IntRange(-9, 9).Draw(t, "move"))
			was, cursor := keys(tab), tab.Position()
			if first, _, total := tab.Visible(); total > 0 {
				line = cursor - first + 1
			}
			switch rapid.IntRange(0, 3).Draw(t, "change") {
			case 0:
				tab.SetSource(asSource(t, drawThings(t)))
			case 1:
				tab.Sort(
					rapid.SampledFrom([]string{"name", "amount", "id", "none"}).Draw(t, "column"),
					rapid.Bool().Draw(t, "descending"),
				)
			case 2:
				setQuery(tab, rapid.SampledFrom([]string{"", "a", "!b", "ab"}).Draw(t, "query"))
			default:
				least := rapid.Int64Range(-2, 2).Draw(t, "least")
				tab.SetMatch(func(row thing) bool { return row.amount >= least })
			}
			now := keys(tab)
			if want := nearestOf(was, now, cursor); want != "" {
				got, _ := tab.CurrentKey()
				must.Need(t, got == want, "cursor went from", was[cursor], cursor, was, got, now, want)
			}
			assertOnScreen(t, tab, height, tab.Position()-line)
			render()
		}
	})
}

// assertOnScreen checks that the first row on the screen is want, or the nearest row.
func assertOnScreen(t *rapid.T, tab *table.Table[string, thing], height, want int) {
	first, last, total := tab.Visible()
	if total == 0 {
		return
	}
	at := tab.Position() + 1
	must.Need(t, at >= first && at <= last, "cursor at", at, first, last)
	want = max(0, min(want, total-max(height-1, 1)))
	must.Need(t, first == want+1, "the screen starts at row", first, total, want+1)
}

func TestCursorStaysAtTheTopUntilMoved(t *testing.T) {
	t.Parallel()
	tab := table.New[string](thingSpec())
	tab.SetSource(things{{id: "b", name: "b"}})
	tab.SetSource(things{{id: "a", name: "a"}, {id: "b", name: "b"}})
	key, _ := tab.CurrentKey()
	must.Equal(t, key, "a", "cursor on")
	tab.Move(1)
	tab.SetSource(things{{id: "b", name: "b"}, {id: "c"}})
	if key, _ := tab.CurrentKey(); key != "b" {
		t.Errorf("cursor on %q after a move, want b", key)
	}
}

func TestMoves(t *testing.T) {
	t.Parallel()
	s := newScreen(100)
	rows := screenHeight - 1
	leap := func(by func(whole, half int) int) func() { return func() { s.table.Leap(by(s.table.Screenful())) } }
	down := leap(func(whole, _ int) int { return whole })
	moves := []struct {
		name string
		move func()
		want int
	}{
		{"down", func() { s.table.Move(1) }, 1},
		{"up", func() { s.table.Move(-1) }, 0},
		{"up at the top", func() { s.table.Move(-1) }, 0},
		{"page down", down, rows},
		{"half a page down", leap(func(_, half int) int { return half }), rows + rows/2},
		{"half a page up", leap(func(_, half int) int { return -half }), rows},
		{"page up", leap(func(whole, _ int) int { return -whole }), 0},
		{"bottom", func() { s.table.Move(1 << 30) }, 99},
		{"page down at the bottom", down, 99},
		{"top", s.table.Top, 0},
		{"wheel", func() { s.table.Scroll(3) }, 3},
		{"wheel far down", func() { s.table.Scroll(1000) }, 100 - rows},
		{"wheel far up", func() { s.table.Scroll(-1000) }, rows - 1},
		{"to a key", func() { s.table.Select("v0000042") }, 42},
		{"to no key", func() { s.table.Select("none") }, 42},
	}
	for _, m := range moves {
		m.move()
		s.view()
		must.Equal(t, s.table.Position(), m.want, m.name)
	}
}

func TestMovesInAnEmptyTable(t *testing.T) {
	t.Parallel()
	tab := table.New[string](thingSpec())
	for _, move := range []func(){
		tab.Top, func() { tab.Sideways(-1) }, tab.Finish, func() { tab.Move(1 << 30) }, func() { tab.Leap(9) },
		func() { tab.Leap(-9) },
		func() { tab.Move(3) }, func() { tab.Scroll(-3) }, func() { tab.Select("x") }, func() { tab.SetSource(things{}) },
	} {
		move()
	}
	_, ok := tab.Current()
	must.Hold(t, !ok && tab.Position() == -1 && tab.CopyRow() == "", "an empty table has a current row")
}

func TestCursorReturnsWhenTheFilterIsCleared(t *testing.T) {
	t.Parallel()
	many := make(things, 60)
	for i := range many {
		many[i] = thing{id: fmt.Sprint("k", i), name: strings.Repeat("a", 1+i%2)}
	}
	for _, test := range []struct {
		name   string
		change func(tab *table.Table[string, thing])
		want   string
	}{
		{"nothing", func(*table.Table[string, thing]) {}, "k40"},
		{"a key on an empty table", func(tab *table.Table[string, thing]) { tab.Move(1) }, "k40"},
		{"a poll", func(tab *table.Table[string, thing]) { tab.SetSource(slices.Clone(many)) }, "k40"},
		{"a filter that leaves others", func(tab *table.Table[string, thing]) { setQuery(tab, "aa") }, "k40"},
		{"a move among others", func(tab *table.Table[string, thing]) { setQuery(tab, "aa"); tab.Move(3) }, "k7"},
		{"a poll without it",
			func(tab *table.Table[string, thing]) { tab.SetSource(append(slices.Clone(many[:40]), many[41:]...)) }, "k0"},
	} {
		tab := table.New[string](thingSpec())
		tab.SetSource(many)
		block := style.NewBlock(style.NewTheme(style.Mono), 40, 11)
		tab.Render(block, 11, table.Frame[string]{})
		tab.MoveTo(40)
		tab.Scroll(2)
		first, _, _ := tab.Visible()
		setQuery(tab, "none")
		test.change(tab)
		setQuery(tab, "")
		key, _ := tab.CurrentKey()
		must.Equal(t, key, test.want, test.name)
		now, _, _ := tab.Visible()
		must.Hold(t, test.want != "k40" || now == first, test.name, now, first)
	}
}

func TestLastColumnFollowsToTheLeftOfTheFirst(t *testing.T) {
	t.Parallel()
	tab := table.New[string](thingSpec())
	tab.SetSource(things{{id: "a", name: "Bale Mountains", amount: 12}})
	tab.Render(style.NewBlock(style.NewTheme(style.Mono), 80, 5), 5, table.Frame[string]{})
	must.Equal(t, tab.CopyRow(), "Bale Mountains\t12\ta")
	for _, want := range []string{"id", "amount", "name"} {
		tab.Sideways(-1)
		must.Equal(t, tab.Column(), want)
	}
}

func TestMouseFindsRowsAndColumns(t *testing.T) {
	t.Parallel()
	s := newScreen(100)
	s.table.Scroll(10)
	s.view()
	rows := make(map[int]int)
	for y := range screenHeight + 1 {
		if row, ok := s.table.HitRow(y); ok {
			rows[y] = row
		}
	}
	must.Equal(t, len(rows), screenHeight-1, "rows below the header")
	must.Equal(t, rows[1], 10)
	must.Equal(t, rows[screenHeight-1], screenHeight+8)
	first, _ := s.table.HitColumn(1)
	none, _ := s.table.HitColumn(159)
	must.Equal(t, first+none, "project")
}

func TestSeekGoesToTheNextMatchOnTheWay(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		s := drawThings(t)
		tab := table.New[string](thingSpec())
		tab.SetSource(s)
		tab.MoveTo(rapid.IntRange(0, max(len(s)-1, 0)).Draw(t, "from"))
		wanted := rapid.SampledFrom([]string{"a", "b", "10", "zz"}).Draw(t, "wanted")
		step := rapid.IntRange(-1, 1).Draw(t, "step")
		var matching []int
		for at, row := range s {
			if r := filtered(row); must.Get(filter.Parse(wanted)).Match(&r) {
				matching = append(matching, at)
			}
		}
		from := tab.Position()
		found := tab.Seek(wanted, step)
		must.Equal(t, found, len(matching) > 0, wanted)
		if !found {
			must.Equal(t, tab.Position(), from)
			return
		}
		// The distance on the way is the least of all matches.
		way := func(position int) int {
			d := position - from
			if step < 0 {
				d = -d
			}
			if d < 0 || d == 0 && step != 0 {
				d += len(s)
			}
			return d
		}
		for _, m := range matching {
			must.Hold(t, way(tab.Position()) <= way(m), wanted, step, from, tab.Position(), m)
		}
	})
}
