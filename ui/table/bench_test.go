package table_test

import (
	"bytes"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"testing"

	bubbles "charm.land/bubbles/v2/table"

	"tonne/ui/style"
	"tonne/ui/table"
	"tonne/ui/uitest"
)

// sizes are the numbers of rows of each benchmark.
var sizes = []int{100, 1_000, 10_000, 100_000, 1_000_000}

const screenWidth, screenHeight = 160, 45

// screen is a table of n vintages with the layout of the dashboard.
type screen struct {
	table *table.Table[string, vintage]
	block *style.Block
	theme *style.Theme
}

func newScreen(n int) *screen {
	s := &screen{table.New[string](marketSpec()), new(style.Block), style.NewTheme(style.Dark)}
	s.table.SetSource(market(n))
	s.table.Finish()
	s.view()
	return s
}

func (s *screen) view() string {
	s.block.Reset(s.theme, screenWidth, screenHeight)
	s.table.Render(s.block, screenHeight, table.Frame[string]{Focused: true})
	return s.block.String()
}

// key presses a cursor key and draws a frame. It goes down and up again within the rows
// that every size has.
func (s *screen) key(i int) string {
	if i%180 < 90 {
		s.table.Move(1)
	} else {
		s.table.Move(-1)
	}
	return s.view()
}

// The cost of a cursor key must not depend on the number of rows.
func BenchmarkKey(b *testing.B) {
	for _, n := range sizes {
		b.Run(strconv.Itoa(n), func(b *testing.B) {
			s, small := newScreen(n), newScreen(sizes[0])
			uitest.Compare(b, "x/100rows", func(i int) { s.key(i) }, func(i int) { small.key(i) })
		})
	}
}

// A cursor key must take a hundredth of the time of Bubbles' table.
func BenchmarkKeyOfBubbles(b *testing.B) {
	ours, peer := newScreen(100), newBubbles(market(100))
	uitest.Compare(b, "x/Bubbles", func(i int) { ours.key(i) }, func(i int) {
		if i%180 < 90 {
			peer.MoveDown(1)
		} else {
			peer.MoveUp(1)
		}
		_ = peer.View()
	})
}

func newBubbles(source vintages) bubbles.Model {
	var columns []bubbles.Column
	spec := marketSpec()
	for _, c := range spec.Columns {
		columns = append(columns, bubbles.Column{Title: c.Title, Width: 14})
	}
	var rows []bubbles.Row
	for i := range source.Len() {
		v := source.At(i)
		var row bubbles.Row
		for _, c := range spec.Columns {
			var cell style.Cell
			c.Cell(&cell, v)
			row = append(row, cell.Text())
		}
		rows = append(rows, row)
	}
	return bubbles.New(bubbles.WithColumns(columns), bubbles.WithRows(rows), bubbles.WithFocused(true),
		bubbles.WithWidth(screenWidth), bubbles.WithHeight(screenHeight))
}

// The benchmark compares sorting all rows with sorting prices packed with their row numbers.
func BenchmarkSort(b *testing.B) {
	for _, n := range sizes {
		source := market(n)
		keys := make([]uint64, n)
		for i, v := range source {
			keys[i] = uint64(v.ask)<<24 | uint64(i)
		}
		s := table.New[string](marketSpec())
		s.SetSource(source)
		b.Run(strconv.Itoa(n), func(b *testing.B) {
			s.Finish()
			uitest.Compare(b, "x/slices.Sort", func(i int) {
				s.Sort("ask", i%2 == 0)
				s.Finish()
			}, func(int) { slices.Sort(slices.Clone(keys)) })
		})
	}
}

// The benchmark compares filtering during typing with a search in every row.
func BenchmarkFilter(b *testing.B) {
	for _, n := range sizes {
		source := market(n)
		texts := make([][]byte, n)
		for i := range texts {
			v := source.At(i)
			texts[i] = []byte(strings.ToLower(fmt.Sprintf("%s\n%s\nET\nEthiopia\n%d", v.project, v.kind, v.year)))
		}
		s := table.New[string](marketSpec())
		s.SetSource(source)
		for _, query := range []string{"00042", "wind", "p7", "zq"} {
			b.Run(query+"/"+strconv.Itoa(n), func(b *testing.B) {
				word, found := []byte(query), 0
				uitest.Compare(b, "x/Contains", func(i int) {
					setQuery(s, query+" "[:i%2])
					s.Finish()
				}, func(int) {
					for _, text := range texts {
						if bytes.Contains(text, word) {
							found++
						}
					}
				})
			})
		}
	}
}
