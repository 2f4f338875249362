package market

import (
	"strings"

	"tonne/model"
	"tonne/ui/effect"
	"tonne/ui/style"
	"tonne/ui/tab"
	"tonne/ui/table"
)

// pane is what the lower part of the tab can show: one of its seven kinds.
type pane interface {
	// name is how the border and the keys call it.
	name() string
	// title names what it is of; empty if there is nothing to show.
	title(s subject) string
	// note says behind the title what belongs to it.
	note(line *style.Line, s subject)
	// needs is how many lines it would like to have, with its border.
	needs() int
	// draw fills what is left of a block.
	draw(block *style.Block, s subject)
	// below is how many lines there were no room for at the end of what was
	// drawn last.
	below() int
	// walked is the table that keys walk, nil for a pane of text.
	walked() list
	// move walks by n rows, or lines of text.
	move(n int)
	// rewind goes to the beginning of a text.
	rewind()
	// pointsAt is the vintage that the line under the cursor names, if lines
	// name any.
	pointsAt() (model.VintageKey, bool)
	// copyID is the id of what the cursor is on, if that is no vintage.
	copyID(s subject) (effect.Copy, bool)
	// copyRow is what is copied instead of the row of the vintage, if anything.
	copyRow(s subject) (effect.Copy, bool)
}

// subject is what panes show things of.
type subject struct {
	row
	// selected says that there is a row, book is what it sells.
	selected bool
	book     model.Book
	history  *history
	marks    *marks
	// problem is why prices do not outlive this run; nil if they do.
	problem error
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

// list is a table that a pane shows.
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

// tabular is what panes that show a table have in common.
type tabular[K comparable, R any] struct{ table *table.Table[K, R] }

func (p tabular[K, R]) needs() int   { return 2 + max(p.table.Len(), 1) }
func (p tabular[K, R]) walked() list { return p.table }
func (p tabular[K, R]) move(n int)   { p.table.Move(n) }
func (tabular[K, R]) rewind()        {}

func (p tabular[K, R]) below() int {
	_, last, total := p.table.Visible()
	return total - last
}

func (tabular[K, R]) pointsAt() (model.VintageKey, bool) { return model.VintageKey{}, false }

func (p tabular[K, R]) copyRow(s subject) (effect.Copy, bool) {
	return effect.Copy{Text: p.table.CopyRow(), What: "the line", Whole: tab.Whole(p.table, "line", "lines")}, s.focused
}

// prose is what panes of text about the selected vintage have in common.
type prose struct {
	// skip is how many lines are scrolled away, left how many are below.
	skip, left int
	// address is where links lead to, of which a line may show a part.
	address string
}

func (*prose) title(s subject) string { return s.vintageTitle() }
func (*prose) needs() int             { return tab.Prose }
func (*prose) walked() list           { return nil }
func (p *prose) move(n int)           { p.skip = max(p.skip+n, 0) }
func (p *prose) rewind()              { p.skip = 0 }
func (p *prose) below() int           { return p.left }

func (*prose) pointsAt() (model.VintageKey, bool)  { return model.VintageKey{}, false }
func (*prose) copyID(subject) (effect.Copy, bool)  { return effect.Copy{}, false }
func (*prose) copyRow(subject) (effect.Copy, bool) { return effect.Copy{}, false }

func (p *prose) put(block *style.Block, lines []style.Spans) {
	room := block.Room()
	p.skip = max(min(p.skip, len(lines)-room), 0)
	p.left = max(len(lines)-p.skip-room, 0)
	for _, line := range lines[p.skip:min(p.skip+room, len(lines))] {
		putText(block, line, p.address)
	}
}

// putText adds a line of text; address is where its links lead to.
func putText(block *style.Block, text style.Spans, address string) {
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

// plainText is what is copied of lines of text.
func plainText(lines []style.Spans) string {
	var b strings.Builder
	for _, line := range lines {
		b.WriteString(line.String() + "\n")
	}
	return b.String()
}
