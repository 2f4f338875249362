package market

import (
	"cmp"
	"strings"

	"tonne/model"
	"tonne/model/market"
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
	// below returns how many lines below the visible ones are hidden.
	below() int
	cursorList() list
	move(n int)
	rewind()
	// target returns the vintage that the selected line names, if any.
	target() (model.VintageKey, bool)
	copyID(s subject) (effect.Copy, bool)
	copyRow(s subject) (effect.Copy, bool)
}

type subject struct {
	row
	selected bool
	book     market.Book
	history  *history
	marks    *marks
	problem  error
	// focused is whether the pane has the keys, stale whether the market is too old.
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

// heading shows the selected vintage if titled is empty.
type heading struct {
	called, titled string
	hints          [][2]string
}

func (h heading) name() string           { return h.called }
func (h heading) title(s subject) string { return cmp.Or(h.titled, s.vintageTitle()) }

func (h heading) note(line *style.Line, _ subject) {
	for _, hint := range h.hints {
		if style.Width(hint[0]+hint[1])+4 > line.Room() {
			return
		}
		line.Put(style.Key, "  "+hint[0])
		line.Put(style.Faint, " "+hint[1])
	}
}

type tabular[K comparable, R any] struct {
	heading
	table *table.Table[K, R]
	// vintage returns the vintage that a row names, or the zero key. It is nil if no row names one.
	vintage func(R) model.VintageKey
	// id returns the id that y copies, or "", and the name of that id.
	id func(R) (id, what string)
	// none is shown if there are no rows: a statement and advice. Past rows never become stale.
	none [2]string
	past bool
}

func (p *tabular[K, R]) draw(block *style.Block, s subject) {
	if p.table.Len() > 0 {
		p.table.Render(block, block.Room(), table.Frame[K]{Focused: s.focused, Stale: s.stale && !p.past})
		return
	}
	if p.none[0] != "" {
		block.Put(style.Text, " "+p.none[0])
	}
	for _, line := range style.Wrap(p.none[1], block.Width()-1) {
		block.Put(style.Muted, " "+line)
	}
}

func (p *tabular[K, R]) needs() int       { return 2 + max(p.table.Len(), 1) }
func (p *tabular[K, R]) cursorList() list { return p.table }
func (p *tabular[K, R]) move(n int)       { p.table.Move(n) }
func (*tabular[K, R]) rewind()            {}

func (p *tabular[K, R]) below() int {
	_, last, total := p.table.Visible()
	return total - last
}

func (p *tabular[K, R]) target() (key model.VintageKey, ok bool) {
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

type prose struct {
	heading
	skip, left int
	address    string
}

func (*prose) needs() int       { return tab.Prose }
func (*prose) cursorList() list { return nil }
func (p *prose) move(n int)     { p.skip = max(p.skip+n, 0) }
func (p *prose) rewind()        { p.skip = 0 }
func (p *prose) below() int     { return p.left }

func (*prose) target() (model.VintageKey, bool)    { return model.VintageKey{}, false }
func (*prose) copyID(subject) (effect.Copy, bool)  { return effect.Copy{}, false }
func (*prose) copyRow(subject) (effect.Copy, bool) { return effect.Copy{}, false }

func (p *prose) put(block *style.Block, lines []style.Spans) {
	room := block.Room()
	p.skip = max(min(p.skip, len(lines)-room), 0)
	p.left = max(len(lines)-p.skip-room, 0)
	putLines(block, lines[p.skip:], p.address)
}

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
