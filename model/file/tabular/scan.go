package tabular

import (
	"strings"
	"unicode/utf8"

	"tonne/model"
	"tonne/model/fold"
)

// scanner splits text into records (RFC 4180). Line ends are CR LF, LF and CR alone; blanks
// may surround quotation marks; ="…" is a cell as spreadsheets protect it.
type scanner struct {
	text     string
	at, line int
	comma    byte
	row      row
}

// next reads the next record into row.
func (s *scanner) next() bool {
	if s.at == len(s.text) {
		return false
	}
	from := s.at
	s.row = row{line: s.line, cells: s.row.cells[:0]}
	for {
		text, fault := s.cell(from)
		if len(s.row.cells) == maxCells {
			fault = "has more than " + model.FormatNumber(maxCells) + " cells"
		}
		if fault != "" {
			s.row.fault = fault
			s.at += lineEnd(s.text[s.at:])
			s.endLine()
			return true
		}
		s.row.cells = append(s.row.cells, cell{text: text})
		if s.at == len(s.text) || s.text[s.at] != s.comma {
			s.endLine()
			return true
		}
		s.at++
	}
}

func lineEnd(text string) int {
	if n := strings.IndexAny(text, "\r\n"); n >= 0 {
		return n
	}
	return len(text)
}

// endLine passes the line end.
func (s *scanner) endLine() {
	if s.at < len(s.text) {
		s.line++
		if s.text[s.at] == '\r' && strings.HasPrefix(s.text[s.at+1:], "\n") {
			s.at++
		}
		s.at++
	}
}

// cell reads a cell, up to its delimiter. The record begins at from.
func (s *scanner) cell(from int) (text, fault string) {
	start := s.at
	for start < len(s.text) && (s.text[start] == ' ' || s.text[start] == '\t' && s.comma != '\t') {
		start++
	}
	switch body := s.text[start:]; {
	case strings.HasPrefix(body, `"`):
		return s.quoted(from, start, start+1)
	case strings.HasPrefix(body, `="`):
		if _, fault = s.quoted(from, start, start+2); fault == "" {
			text = s.text[start:s.at]
		}
		return text, fault
	}
	for start = s.at; s.at < len(s.text); s.at++ {
		switch c := s.text[s.at]; {
		case c == s.comma, c == '\r', c == '\n':
			return s.text[start:s.at], ""
		case c == '"':
			return "", "has a quotation mark inside a cell that does not begin with one"
		}
	}
	return s.text[start:], ""
}

// quoted reads a cell whose quotation mark is open, and passes the blanks after it.
func (s *scanner) quoted(from, start, open int) (text, fault string) {
	doubled := false
	for at := open; ; at++ {
		n := strings.IndexByte(s.text[at:], '"')
		end := at + n
		if n < 0 || end-from > maxRecord {
			s.at = len(s.text)
			return "", "has a quotation mark that is not closed"
		}
		if at = end + 1; at < len(s.text) && s.text[at] == '"' {
			doubled = true
			continue
		}
		s.line += countLines(s.text[start:end])
		for s.at = at; s.at < len(s.text) && s.text[s.at] == ' '; {
			s.at++
		}
		if s.at < len(s.text) && s.text[s.at] != s.comma && s.text[s.at] != '\r' && s.text[s.at] != '\n' {
			return "", "has text after a closing quotation mark"
		}
		text = s.text[open:end]
		if doubled {
			text = strings.ReplaceAll(text, `""`, `"`)
		}
		return text, ""
	}
}

// formula are the first characters of cells that a spreadsheet would execute.
const formula = "=+-@\t\r"

// tidy removes blanks of all kinds and zero-width characters around a cell, and what spreadsheets put
// around text to keep it: ="…", and an apostrophe in front of a formula.
func tidy(text string) string {
	if text = trim(text); text == "" {
		return ""
	}
	if inner, ok := strings.CutPrefix(text, `="`); ok && len(inner) > 0 && inner[len(inner)-1] == '"' {
		return trim(strings.ReplaceAll(inner[:len(inner)-1], `""`, `"`))
	}
	if text[0] == '\'' {
		if rest := strings.TrimLeft(text, "'"); rest != "" && strings.IndexByte(formula, rest[0]) >= 0 {
			return trim(text[1:])
		}
	}
	return text
}

func trim(text string) string {
	if n := len(text); n > 0 && text[0] > ' ' && text[0] < utf8.RuneSelf && text[n-1] > ' ' && text[n-1] < utf8.RuneSelf {
		return text
	}
	return strings.TrimFunc(text, func(r rune) bool { return fold.IsBlank(r) || isZeroWidth(r) })
}

// isZeroWidth reports whether r has no width. Characters that reorder text are not trimmed, because
// they are refused.
func isZeroWidth(r rune) bool {
	return r >= '\u200b' && r <= '\u200f' || r == '\u2060' || r == '\ufeff' || r == '\u00ad'
}
