package tab_test

import (
	"strings"
	"testing"

	tea "charm.land/bubbletea/v2"
	"github.com/charmbracelet/x/ansi"
	"pgregory.net/rapid"

	"tonne/model"
	"tonne/model/filter"
	"tonne/model/must"
	"tonne/ui/effect"
	"tonne/ui/style"
	"tonne/ui/tab"
	"tonne/ui/table"
)

// narrowed is a list with a filter.
type narrowed struct {
	table  *table.Table[string, filter.Row]
	filter tab.Filter
}

type filterRows []filter.Row

func (r filterRows) Len() int            { return len(r) }
func (r filterRows) Key(i int) string    { return r[i].VintageID }
func (r filterRows) At(i int) filter.Row { return r[i] }

func newNarrowed(rows ...filter.Row) *narrowed {
	asItIs := func(r filter.Row, _ filter.Needs) filter.Row { return r }
	n := &narrowed{table: table.New[string](table.Spec[filter.Row]{Filtered: asItIs, Columns: []table.Column[filter.Row]{
		{Key: "name", Title: "NAME", Marked: true, Cell: func(c *style.Cell, r filter.Row) { c.Put(style.Name, r.Name) }},
		{Key: "country", Title: "CC", Marked: true, Cell: func(c *style.Cell, r filter.Row) { c.Put(style.Muted, r.Country) }},
	}})}
	n.table.SetSource(filterRows(rows))
	n.filter = tab.NewFilter(n.table, func() effect.Effect { return nil }, func() effect.Effect {
		n.table.SetFilter(n.filter.Query(), n.filter.Expr())
		return tab.Work(n.table)
	})
	n.filter.Focus()
	return n
}

func (n *narrowed) typed(text string) *narrowed {
	for _, r := range text {
		_ = n.filter.Input(tea.KeyPressMsg{Code: r, Text: string(r)})
	}
	return n
}

func (n *narrowed) left() string {
	var ids []string
	for id := range n.table.Rows() {
		ids = append(ids, id)
	}
	return strings.Join(ids, " ")
}

func (n *narrowed) line(width int) string {
	block := style.NewBlock(style.NewTheme(style.Mono), width, 1)
	n.filter.Draw(block, "/", tab.FilterHelp, "count")
	return ansi.Strip(block.String())
}

func described(id, name, country string, ask model.PriceCents) filter.Row {
	return filter.Row{VintageID: id, Name: name, Country: country, BestAsk: ask, LastPaid: model.UnknownPrice, Held: model.UnknownGrams}
}

func TestIncompleteFilterKeepsTheLastValidOne(t *testing.T) {
	t.Parallel()
	for _, test := range []struct{ typed, left, query, said string }{
		{"bale", "a b", "bale", "count"},
		{"bale ask", "", "bale ask", "count"},
		{"bale ask<", "a b", "bale ", `⚠ "ask<" has no value: write it like ask<10`},
		{"bale ask <", "a b", "bale ", `⚠ "ask <" has no value: write it like ask<10`},
		{"bale ask<7", "a", "bale ask<7", "count"},
		{"bale ask<7x", "a", "bale ask<7", `⚠ "ask<7x" is no price: write it like ask<10`},
		{"type:", "a b c", "", `⚠ "type:" has no value: write it like type:cookstoves`},
		{"<7", "a b c", "", `⚠ "<7" compares nothing`},
		{"country:kenya", "c", "country:kenya", "count"},
		{"country:kenyx", "c", "country:keny", `⚠ "country:kenyx" is no country: did you mean Kenya?`},
	} {
		n := newNarrowed(described("a", "Bale One", "ET", 620), described("b", "Bale Two", "ET", 820), described("c", "Cookstoves", "KE", 300)).typed(test.typed)
		left := n.left()
		must.Hold(t, left == test.left && n.filter.Query() == test.query,
			test.typed, left, n.filter.Query(), test.left, test.query)
		if line := n.line(100); !strings.Contains(line, test.said) || !strings.HasPrefix(line, " / "+test.typed) {
			t.Errorf("%q: the line is %q, want %q", test.typed, line, test.said)
		}
		line := n.line(50)
		must.Hold(t, test.said == "count" || strings.Contains(line, test.said[:6]), test.typed, line)
	}
}

func TestInvalidFilterKeepsTheFocus(t *testing.T) {
	t.Parallel()
	n := newNarrowed(described("a", "Bale", "ET", 620)).typed("ask<")
	enter := tea.KeyPressMsg{Code: tea.KeyEnter}
	_ = n.filter.Input(enter)
	must.Hold(t, n.filter.Focused(), "↵ keeps an invalid filter")
	n.typed("9")
	_ = n.filter.Input(enter)
	must.Hold(t, !n.filter.Focused() && n.filter.Query() == "ask<9", "↵ does not keep", n.filter.Query())
	// Leaving an incomplete filter restores the last valid one.
	n.filter.Focus()
	n.typed(" type:")
	n.filter.Blur()
	must.Hold(t, n.filter.Value() == "ask<9" && n.left() == "a" && strings.Contains(n.line(60), "count"),
		"left with", n.filter.Value(), n.line(60))
	n.filter.Focus()
	_ = n.filter.Input(tea.KeyPressMsg{Code: tea.KeyEscape})
	must.Hold(t, n.filter.Query() == "" && n.filter.Value() == "" && n.filter.Expr().Empty(),
		"Esc leaves", n.filter.Query())
}

func TestEscKeepsTheSelectedRow(t *testing.T) {
	t.Parallel()
	enter, esc := tea.KeyPressMsg{Code: tea.KeyEnter}, tea.KeyPressMsg{Code: tea.KeyEscape}
	for _, test := range []struct {
		name, typed string
		before      int
		keys        []tea.KeyPressMsg
		want        string
	}{
		{"before any move", "uganda", 0, nil, "d"},
		{"once the filter was kept", "uganda", 0, []tea.KeyPressMsg{enter}, "d"},
		{"from a row that the filter hides", "uganda", 1, []tea.KeyPressMsg{enter}, "d"},
		{"from a row that the filter shows", "cook", 2, []tea.KeyPressMsg{enter}, "c"},
		{"after a step within the filter", "uganda", 0, []tea.KeyPressMsg{{Code: tea.KeyDown}}, "e"},
		{"without a match", "nothing", 2, []tea.KeyPressMsg{enter}, "c"},
	} {
		n := newNarrowed(described("a", "Bale", "ET", 620), described("b", "Bale", "ET", 820), described("c", "Cookstoves", "KE", 300),
			described("d", "Cookstoves", "UG", 300), described("e", "Wind", "UG", 300))
		n.table.Move(test.before)
		n.typed(test.typed)
		for _, key := range append(test.keys, esc) {
			_ = n.filter.Input(key)
		}
		got, _ := n.table.CurrentKey()
		must.Hold(t, got == test.want && n.table.Len() == 5, test.name, got, n.table.Len(), test.want)
	}
}

func TestMatchesAreHighlighted(t *testing.T) {
	t.Parallel()
	for typed, want := range map[string][]string{
		"mount": {"Mount"}, "bm": nil, "et": {"ET"}, "!mount": nil, "ask<10": nil, "project:moun bale": {"Bale", "Moun"},
	} {
		n := newNarrowed(described("a", "Bale Mountains", "ET", 620)).typed(typed)
		block := style.NewBlock(style.NewTheme(style.Mono), 40, 2)
		n.table.Render(block, 2, table.Frame[string]{})
		_, row, _ := strings.Cut(block.String(), "\n")
		var got []string
		for piece := range strings.SplitSeq(row, "\x1b[") {
			if marked, ok := strings.CutPrefix(piece, "0;4m"); ok {
				got = append(got, marked)
			}
		}
		must.Equal(t, strings.Join(got, "|"), strings.Join(want, "|"), typed, got, want)
	}
}

func TestListHasOnlyMatchingRows(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		text := func(name string) *rapid.Generator[string] { return rapid.StringMatching(`[abAé0 -]{0,6}`) }
		rows := make([]filter.Row, rapid.IntRange(0, 12).Draw(t, "rows"))
		for i := range rows {
			rows[i] = filter.Row{
				VintageID: string(rune('p'+i)) + text("id").Draw(t, "id"), Name: text("name").Draw(t, "name"), Type: text("type").Draw(t, "type"),
				Country: rapid.SampledFrom([]string{"", "ET", "BA", "KE"}).Draw(t, "country"), Year: rapid.SampledFrom([]int{0, 2020, 2001}).Draw(t, "year"),
				BestAsk: model.PriceCents(rapid.Int64Range(-1, 9).Draw(t, "ask")), LastPaid: model.UnknownPrice, Available: 5, Held: model.UnknownGrams,
			}
		}
		part := rapid.OneOf(rapid.StringMatching(`!?[abé0]{1,3}`), rapid.StringMatching(`!?"[ab] ?[ab]"`), rapid.SampledFrom([]string{"ask<0.05", "!ask>0.02", "cc:et", "vintage>2001", "a0"}))
		typed := strings.Join(rapid.SliceOfN(part, 0, 3).Draw(t, "filter"), " ")
		expr, err := filter.Parse(typed)
		must.Succeed(t, err)
		var want []string
		for i := range rows {
			if expr.Match(&rows[i]) {
				want = append(want, rows[i].VintageID)
			}
		}
		got := newNarrowed(rows...).typed(typed).left()
		must.Need(t, got == strings.Join(want, " "), "filter", typed, got, want, rows)
	})
}
