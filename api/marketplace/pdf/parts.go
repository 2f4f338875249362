package pdf

func (s *sheet) font(family, style string, size float64, c colour) {
	s.pdf.SetFont(family, style, size)
	s.pdf.SetTextColor(c.r, c.g, c.b)
}

func (s *sheet) line() {
	s.pdf.SetDrawColor(rule.r, rule.g, rule.b)
	s.pdf.SetLineWidth(0.2)
	y := s.pdf.GetY()
	s.pdf.Line(margin, y, margin+width, y)
}

func (s *sheet) heading(text string) {
	s.keep(22)
	s.pdf.Ln(3.5)
	s.font(textFont, "B", 10, mint)
	s.pdf.CellFormat(width, 7, text, "", 1, "L", false, 0, "")
	s.line()
	s.pdf.Ln(1.5)
}

func (s *sheet) keep(height float64) {
	_, pageHeight := s.pdf.GetPageSize()
	_, bottom := s.pdf.GetAutoPageBreak()
	if s.pdf.GetY()+height > pageHeight-bottom {
		s.pdf.AddPage()
	}
}

func (s *sheet) fact(name, value string) {
	s.keep(line)
	s.font(textFont, "", 9.5, faint)
	s.pdf.CellFormat(36, line, name, "", 0, "L", false, 0, "")
	s.font(textFont, "", 9.5, ink)
	s.pdf.MultiCell(width-36, line, value, "", "L", false)
}

func (s *sheet) row(body func(), quantity string) {
	s.keep(3 * line)
	y := s.pdf.GetY()
	body()
	bottom := s.pdf.GetY()
	s.font(textFont, "B", 9, ink)
	s.pdf.SetXY(margin+width-30, y)
	s.pdf.CellFormat(30, line, quantity, "", 0, "R", false, 0, "")
	s.pdf.SetXY(margin, max(bottom, y+line)+0.6)
}

func (s *sheet) fit(text string, width float64) string {
	if s.pdf.GetStringWidth(text) <= width {
		return text
	}
	runes := []rune(text)
	for len(runes) > 0 && s.pdf.GetStringWidth(string(runes)+"…") > width {
		runes = runes[:len(runes)-1]
	}
	return string(runes) + "…"
}
