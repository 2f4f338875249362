package output

import (
	"bufio"
	"cmp"
	"io"
	"iter"
	"slices"
	"strings"

	"tonne/api/wire"
	"tonne/model/field"
	"tonne/ui/style"
)

// Heading describes a column of a table for users.
type Heading struct {
	Title string
	// Spoken is the title for a screen reader, if Title is an abbreviation.
	Spoken string
	// Right aligns the cells to the right, for numbers.
	Right bool
	// Shrink is the width to which the column may be cut. 0 means that it is never cut.
	Shrink int
	// Spare columns are dropped on a narrow terminal before others are cut.
	Spare bool
	// Drop is the order in which columns are dropped after that, the highest first. 0 means never.
	Drop int
}

// Grid is a table for users. Its cells are sanitised.
type Grid struct {
	columns []Heading
	rows    [][]string
	// blank are the cells without a value, in the order of the rows.
	blank []bool
}

// NewGrid returns an empty table.
func NewGrid(columns ...Heading) *Grid { return &Grid{columns: columns} }

// GridOf returns a table of items.
func GridOf[T any](c field.Columns[T], items iter.Seq[T]) *Grid {
	c = c.Titled()
	g := NewGrid()
	for _, of := range c {
		g.columns = append(g.columns, Heading{of.Title, of.Spoken, of.Right, of.Shrink, of.Spare, of.Drop})
	}
	cells := make([]field.Value, len(c))
	for item := range items {
		for i := range c {
			cells[i] = c[i].Shown(item)
		}
		g.AddValues(cells...)
	}
	return g
}

// Add adds a row of texts with a cell for each column.
func (g *Grid) Add(cells ...string) {
	values := make([]field.Value, len(cells))
	for i, cell := range cells {
		values[i] = field.Words(cell)
	}
	g.AddValues(values...)
}

// AddValues adds a row with a value for each column.
func (g *Grid) AddValues(values ...field.Value) {
	row := make([]string, len(values))
	for i, v := range values {
		row[i] = wire.Clean(v.String())
		g.blank = append(g.blank, v.Blank())
	}
	g.rows = append(g.rows, row)
}

// Empty reports whether the table has no rows.
func (g *Grid) Empty() bool { return len(g.rows) == 0 }

const gap = "  "

// Write writes the table for a terminal of a width, or in full width if it is 0. If bold is set, titles are bold.
func (g *Grid) Write(w io.Writer, width int, bold bool) error {
	shown, widths := g.layout(width)
	out := bufio.NewWriterSize(w, 32<<10)
	g.titles(out, shown, widths, bold)
	for _, row := range g.rows {
		g.line(out, row, shown, widths)
		if err := out.WriteByte('\n'); err != nil {
			return err
		}
	}
	return out.Flush()
}

// WriteLines writes one cell per line, with its title, for a screen reader.
func (g *Grid) WriteLines(w io.Writer) error {
	out := bufio.NewWriter(w)
	for n, row := range g.rows {
		if n > 0 {
			out.WriteByte('\n')
		}
		for i, cell := range row {
			if title := cmp.Or(g.columns[i].Spoken, g.columns[i].Title); title != "" && !g.blank[n*len(g.columns)+i] {
				out.WriteString(field.LabelOf(title) + ": " + cell + "\n")
			}
		}
	}
	return out.Flush()
}

func (g *Grid) titles(out *bufio.Writer, shown, widths []int, bold bool) {
	titles := make([]string, len(g.columns))
	for i, c := range g.columns {
		titles[i] = c.Title
	}
	if strings.Join(titles, "") == "" {
		return
	}
	if bold {
		out.WriteString("\x1b[1m")
	}
	g.line(out, titles, shown, widths)
	if bold {
		out.WriteString("\x1b[m")
	}
	out.WriteByte('\n')
}

func (g *Grid) layout(width int) (shown []int, widths []int) {
	widths = make([]int, len(g.columns))
	for i, c := range g.columns {
		shown = append(shown, i)
		widths[i] = style.Width(c.Title)
		for _, row := range g.rows {
			widths[i] = max(widths[i], style.Width(row[i]))
		}
	}
	if width <= 0 {
		return shown, widths
	}
	for i := len(g.columns) - 1; i >= 0; i-- {
		if g.columns[i].Spare && over(shown, widths, width) > 0 {
			shown = slices.DeleteFunc(shown, func(n int) bool { return n == i })
		}
	}
	for over(shown, widths, width) > 0 {
		if g.shrink(shown, widths, over(shown, widths, width)) {
			break
		}
		least := g.nextToDrop(shown)
		if least < 0 {
			break
		}
		shown = slices.Delete(shown, least, least+1)
	}
	return shown, widths
}

func over(shown, widths []int, width int) int {
	sum := len(gap) * (len(shown) - 1)
	for _, i := range shown {
		sum += widths[i]
	}
	return sum - width
}

func (g *Grid) shrink(shown, widths []int, excess int) bool {
	room := 0
	for _, i := range shown {
		if c := g.columns[i]; c.Shrink > 0 {
			room += max(widths[i]-c.Shrink, 0)
		}
	}
	if room < excess {
		return false
	}
	for _, i := range slices.Backward(shown) {
		if c := g.columns[i]; c.Shrink > 0 {
			cut := min(excess, max(widths[i]-c.Shrink, 0))
			widths[i] -= cut
			excess -= cut
		}
	}
	return true
}

func (g *Grid) nextToDrop(shown []int) int {
	least := -1
	for n, i := range shown {
		if g.columns[i].Drop > 0 && (least < 0 || g.columns[i].Drop >= g.columns[shown[least]].Drop) {
			least = n
		}
	}
	return least
}

func (g *Grid) line(out *bufio.Writer, cells []string, shown, widths []int) {
	for n, i := range shown {
		cell := style.Clip(cells[i], widths[i])
		blank := strings.Repeat(" ", max(widths[i]-style.Width(cell), 0))
		last := n == len(shown)-1
		switch {
		case g.columns[i].Right:
			out.WriteString(blank + cell)
		case last:
			out.WriteString(cell)
		default:
			out.WriteString(cell + blank)
		}
		if !last {
			out.WriteString(gap)
		}
	}
}
