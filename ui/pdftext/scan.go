package pdftext

import (
	"bytes"
	"strconv"
)

// A value of a PDF is nil, a bool, a float64, a name, text, a list, a dict, a
// ref, or a word that is none of these: an operator.
type (
	name string
	text string
	list []any
	dict map[name]any
	ref  int
	word string
)

// deepest is how far values may be nested.
const deepest = 24

// scanner reads values. Each call goes forward.
type scanner struct {
	b  []byte
	at int
}

func isBlank(c byte) bool { return c == ' ' || c >= '\t' && c <= '\r' || c == 0 }

func isRegular(c byte) bool { return !isBlank(c) && bytes.IndexByte([]byte("()<>[]{}/%"), c) < 0 }

// skip passes blanks and comments.
func (s *scanner) skip() {
	for s.at < len(s.b) {
		switch c := s.b[s.at]; {
		case c == '%':
			for s.at < len(s.b) && s.b[s.at] != '\n' && s.b[s.at] != '\r' {
				s.at++
			}
		case !isBlank(c):
			return
		default:
			s.at++
		}
	}
}

// more reports whether there is anything left.
func (s *scanner) more() bool {
	s.skip()
	return s.at < len(s.b)
}

// value reads the next value, nested at a depth. At the end it is nil.
func (s *scanner) value(depth int) any {
	if !s.more() || depth > deepest {
		s.at = len(s.b)
		return nil
	}
	switch c := s.b[s.at]; {
	case c == '/':
		s.at++
		return name(s.regular())
	case c == '(':
		s.at++
		return s.text()
	case c == '<' && s.at+1 < len(s.b) && s.b[s.at+1] == '<':
		s.at += 2
		return s.dict(depth)
	case c == '<':
		s.at++
		return s.hex()
	case c == '[':
		s.at++
		return s.list(depth)
	case !isRegular(c):
		s.at++
		return word(c)
	}
	return s.plain()
}

// regular reads characters up to a blank or a delimiter.
func (s *scanner) regular() string {
	from := s.at
	for s.at < len(s.b) && isRegular(s.b[s.at]) {
		s.at++
	}
	return string(s.b[from:s.at])
}

// plain reads a number, a reference, a constant or an operator.
func (s *scanner) plain() any {
	w := s.regular()
	n, err := strconv.ParseFloat(w, 64)
	switch {
	case err == nil:
		if number, ok := s.reference(w); ok {
			return number
		}
		return n
	case w == "true":
		return true
	case w == "false":
		return false
	case w == "null":
		return nil
	}
	return word(w)
}

// reference reads the rest of "12 0 R".
func (s *scanner) reference(first string) (ref, bool) {
	number, err := strconv.Atoi(first)
	if err != nil || number < 0 {
		return 0, false
	}
	rest := scanner{b: s.b[:min(s.at+16, len(s.b))], at: s.at}
	rest.skip()
	if _, err := strconv.ParseUint(rest.regular(), 10, 16); err != nil {
		return 0, false
	}
	rest.skip()
	if rest.regular() != "R" {
		return 0, false
	}
	s.at = rest.at
	return ref(number), true
}

func (s *scanner) list(depth int) list {
	var l list
	for s.more() {
		if s.b[s.at] == ']' {
			s.at++
			break
		}
		l = append(l, s.value(depth+1))
	}
	return l
}

func (s *scanner) dict(depth int) dict {
	d := make(dict)
	for s.more() {
		if s.b[s.at] == '>' {
			s.at = min(s.at+2, len(s.b))
			break
		}
		key, ok := s.value(depth + 1).(name)
		if ok && s.more() && s.b[s.at] != '>' {
			d[key] = s.value(depth + 1)
		}
	}
	return d
}

func (s *scanner) hex() text {
	end := bytes.IndexByte(s.b[s.at:], '>')
	if end < 0 {
		end = len(s.b) - s.at
	}
	digits := s.b[s.at : s.at+end]
	s.at = min(s.at+end+1, len(s.b))
	var out []byte
	high := -1
	for _, c := range digits {
		d, err := strconv.ParseUint(string(c), 16, 8)
		switch {
		case err != nil:
		case high < 0:
			high = int(d)
		default:
			out = append(out, byte(high<<4|int(d)))
			high = -1
		}
	}
	if high >= 0 {
		out = append(out, byte(high<<4))
	}
	return text(out)
}

// text reads up to the parenthesis that closes.
func (s *scanner) text() text {
	var out []byte
	for open := 1; s.at < len(s.b); {
		c := s.b[s.at]
		s.at++
		switch c {
		case '(':
			open++
		case ')':
			if open--; open == 0 {
				return text(out)
			}
		case '\\':
			out = s.escape(out)
			continue
		}
		out = append(out, c)
	}
	return text(out)
}

// escape reads what follows a backslash.
func (s *scanner) escape(out []byte) []byte {
	if s.at >= len(s.b) {
		return out
	}
	c := s.b[s.at]
	s.at++
	switch {
	case c == '\r':
		if s.at < len(s.b) && s.b[s.at] == '\n' {
			s.at++
		}
		return out
	case c == '\n':
		return out
	case c >= '0' && c <= '7':
		code := int(c - '0')
		for n := 0; n < 2 && s.at < len(s.b) && s.b[s.at] >= '0' && s.b[s.at] <= '7'; n++ {
			code = code<<3 | int(s.b[s.at]-'0')
			s.at++
		}
		return append(out, byte(code))
	}
	if at := bytes.IndexByte([]byte("nrtbf"), c); at >= 0 {
		c = "\n\r\t\b\f"[at]
	}
	return append(out, c)
}
