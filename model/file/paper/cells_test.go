package paper

import (
	"bytes"
	"testing"
	"time"

	must "tonne/model/musttest"
)

func TestCellWritesWhatTheLibraryDoes(t *testing.T) {
	t.Parallel()
	fonts, colours := []string{TextFont, CodeFont}, []Colour{Ink, Faint}
	var fast, slow int
	print := func(cell func(c *Cells, w, h float64, text, align string)) []byte {
		c := NewCells(New("A statement", "2026", time.Unix(0, 0)))
		c.PDF.AddPage()
		for n := 0; c.PDF.PageNo() < 4; n++ {
			c.Font(fonts[n%2], "", 7.5+float64(n%3), colours[n/3%2])
			c.PDF.SetX(Margin + float64(n%7))
			for _, text := range []string{"Müller (Köln)", `a\b`, "", "Жук · 森", "123,456.7 t"} {
				cell(&c, 31.7, Line, text, []string{"L", "R"}[n%2])
			}
			c.PDF.Ln(Line)
		}
		c.PDF.SetCompression(false)
		return must.Get(c.Bytes())
	}
	want := print(func(c *Cells, w, h float64, text, align string) {
		c.PDF.CellFormat(w, h, text, "", 0, align, false, 0, "")
	})
	got := print(func(c *Cells, w, h float64, text, align string) {
		c.operator = c.operator[:0]
		if c.Cell(w, h, text, align); len(c.operator) > 0 {
			fast++
		} else {
			slow++
		}
	})
	must.Hold(t, bytes.Equal(got, want), "the files differ, of bytes:", len(got), len(want))
	must.Hold(t, fast > slow, fast, slow)
}
