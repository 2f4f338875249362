package paper

import (
	"strconv"
	"strings"
)

// Cells is a Sheet on which thousands of short texts are printed. Create one with NewCells.
type Cells struct {
	Sheet
	// printed has the Latin characters that each font has printed.
	printed  map[string]*[256]bool
	operator []byte
}

// NewCells returns a sheet whose cells have no margin: text begins and ends where the rules do.
func NewCells(s Sheet) Cells {
	s.PDF.SetCellMargin(0)
	return Cells{Sheet: s, printed: map[string]*[256]bool{TextFont: {}, TextFont + "B": {}, CodeFont: {}}}
}

// Font also sets the colour of areas: the PDF library writes the colour of each text that has another one.
func (c *Cells) Font(family, style string, size float64, colour Colour) {
	c.Sheet.Font(family, style, size, colour)
	if r, g, b := c.PDF.GetFillColor(); (Colour{r, g, b}) != colour {
		c.PDF.SetFillColor(colour.R, colour.G, colour.B)
	}
}

// Cell prints a text in the font and colour of Font, aligned to the left or right ("L", "R"). It writes what CellFormat
// of the PDF library does, which takes five times as long and has to see each character of a font once.
func (c *Cells) Cell(w, h float64, text, align string) {
	if !c.write(w, h, text, align) {
		c.PDF.CellFormat(w, h, text, "", 0, align, false, 0, "")
	}
}

// write returns false if only the PDF library can write the cell.
func (c *Cells) write(w, h float64, text, align string) bool {
	printed := c.printed[c.PDF.GetFontFamily()+c.PDF.GetFontStyle()]
	known := text != "" && c.Fits(h)
	for _, r := range text {
		if int(r) >= len(printed) {
			return false
		}
		known, printed[r] = known && printed[r], true
	}
	if !known {
		return false
	}
	x, y := c.PDF.GetXY()
	left, points := x, c.PDF.GetConversionRatio()
	if align == "R" {
		left += w - c.PDF.GetStringWidth(text)
	}
	_, page := c.PDF.GetPageSize()
	_, size := c.PDF.GetFontSize()
	op := append(strconv.AppendFloat(append(c.operator[:0], "BT "...), left*points, 'f', 2, 64), ' ')
	op = append(strconv.AppendFloat(op, (page-(y+.5*h+.3*size))*points, 'f', 2, 64), " Td ("...)
	for _, r := range text {
		if op = append(op, 0); strings.ContainsRune(`\()`, r) {
			op = append(op, '\\')
		}
		op = append(op, byte(r))
	}
	c.operator = append(op, ")Tj ET"...)
	c.PDF.RawWriteStr(string(c.operator))
	c.PDF.SetX(x + w)
	return true
}
