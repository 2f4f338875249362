package market

import (
	"cmp"
	"strings"

	"tonne/model"
	"tonne/ui/effect"
	"tonne/ui/style"
	"tonne/ui/tab"
	"tonne/ui/table"
)

type pane interface {
	name() string
	title(s subject) string
	note(line *style.Line, s subject)
	needs() int
	draw(block *style.Block, s subject)
	// below is how many lines there were no room for at the end of what was
	// drawn last.
	below() int
	walked() list
	move(n int)
	rewind()
	// pointsAt is the vintage that the line under the cursor names, if lines
	// name any.
	pointsAt() (model.VintageKey, bool)
	copyID(s subject) (effect.Copy, bool)
	copyRow(s subject) (effect.Copy, bool)
}

type subject struct {
	row
	selected bool
	book     model.Book
	history  *history
	marks    *marks
	problem  error
	// focused says that keys walk the pane, stale that the market is older
	// than it should be.
	focused, stale bool
}

func (s subject) vintageTitle() string {
	if !s.selected {
		return ""
	}
	return s.row.name() + " · " + tab.Year(int(s.vintage().Year))
}

func (s subject) vintageNote(line *style.Line) { line.Put(style.Faint, "  "+s.vintage().ID) }

type list interface {
	Move(n int)
	MoveTo(position int)
	Sideways(step int)
	HitRow(y int) (position int, ok bool)
	CursorLine() (y int, ok bool)
	CopyCell() string
	CopyRow() string
	CopyAll() (text string, rows int)
}

// heading is what the border above a pane says. Without a title it names the selected
// vintage.
type heading struct {
	called, titled string
	hints          [][2]string
}

func (h heading) name() string           { return h.called }
func (h heading) title(s subject) string { return cmp.Or(h.titled, s.vintageTitle()) }

func (h heading) note(line *style.Line, _ subject) {
	for _, hint := range h.hints {
		line.Put(style.Key, "  "+hint[0])
		line.Put(style.Faint, " "+hint[1])
	}
}

// tabular is a pane of rows.
type tabular[K comparable, R any] struct {
	heading
	table *table.Table[K, R]
	// vintage returns the vintage that a row names, zero for none; nil if none does.
	vintage func(R) model.VintageKey
	// id returns what y copies of a row, empty for nothing, and what that is.
	id func(R) (id, what string)
}

func (p *tabular[K, R]) needs() int   { return 2 + max(p.table.Len(), 1) }
func (p *tabular[K, R]) walked() list { return p.table }
func (p *tabular[K, R]) move(n int)   { p.table.Move(n) }
func (*tabular[K, R]) rewind()        {}

func (p *tabular[K, R]) below() int {
	_, last, total := p.table.Visible()
	return total - last
}

func (p *tabular[K, R]) pointsAt() (key model.VintageKey, ok bool) {
	r, ok := p.table.Current()
	if ok && p.vintage != nil {
		key = p.vintage(r)
	}
	return key, key != model.VintageKey{}
}

func (p *tabular[K, R]) copyID(subject) (effect.Copy, bool) {
	r, ok := p.table.Current()
	if !ok {
		return effect.Copy{}, false
	}
	id, what := p.id(r)
	return effect.Copy{Text: id, What: what}, id != ""
}

func (p *tabular[K, R]) copyRow(s subject) (effect.Copy, bool) {
	return effect.Copy{Text: p.table.CopyRow(), What: "the line", Whole: tab.Whole(p.table, "line", "lines")}, s.focused
}

// listed are rows that name themselves.
type listed[K comparable, R interface{ key() K }] []R

func (l listed[K, R]) Len() int    { return len(l) }
func (l listed[K, R]) Key(i int) K { return l[i].key() }
func (l listed[K, R]) At(i int) R  { return l[i] }

// prose is a pane of text.
type prose struct {
	heading
	// skip is how many lines are scrolled away, left how many are below.
	skip, left int
	address    string
}

func (*prose) needs() int   { return tab.Prose }
func (*prose) walked() list { return nil }
func (p *prose) move(n int) { p.skip = max(p.skip+n, 0) }
func (p *prose) rewind()    { p.skip = 0 }
func (p *prose) below() int { return p.left }

func (*prose) pointsAt() (model.VintageKey, bool)  { return model.VintageKey{}, false }
func (*prose) copyID(subject) (effect.Copy, bool)  { return effect.Copy{}, false }
func (*prose) copyRow(subject) (effect.Copy, bool) { return effect.Copy{}, false }

func (p *prose) put(block *style.Block, lines []style.Spans) {
	room := block.Room()
	p.skip = max(min(p.skip, len(lines)-room), 0)
	p.left = max(len(lines)-p.skip-room, 0)
	putLines(block, lines[p.skip:], p.address)
}

// putLines adds lines as far as there is room; their links lead to an address.
func putLines(block *style.Block, lines []style.Spans, address string) {
	for _, text := range lines[:min(len(lines), block.Room())] {
		line := block.Line(style.Plain)
		line.Gap(1)
		for _, s := range text {
			if s.Role == style.Link {
				line.Link(s.Role, address, s.Text)
				continue
			}
			line.Put(s.Role, s.Text)
		}
	}
}

func plainText(lines []style.Spans) string {
	var b strings.Builder
	for _, line := range lines {
		b.WriteString(line.String() + "\n")
	}
	return b.String()
}
