package retirement

import (
	"fmt"
	"math"
	"strings"
	"time"
	"unicode"

	"tonne/model"
)

// ParseSerial parses a serial number in a known format, in any case, with any blanks and dashes.
// It returns false for any other text, for a range that does not fit into one request, and for
// numbers with leading zeros of different widths.
func ParseSerial(text string) (Serial, bool) {
	text = plainSerial(text)
	for i := range serialPatterns {
		if s, ok := serialPatterns[i].parse(text); ok {
			return s, true
		}
	}
	return Serial{}, false
}

// plainSerial returns text in capitals, without blanks at separators, and with hyphens for all
// dashes and for the word between two credits.
func plainSerial(text string) string {
	if !strings.ContainsFunc(text, func(r rune) bool { return r <= ' ' || r > '~' || 'a' <= r && r <= 'z' }) {
		return text
	}
	text = strings.ToUpper(strings.Join(strings.Fields(strings.Map(plainRune, text)), " "))
	for at := 0; ; at++ {
		found := strings.Index(text[at:], " TO ")
		if found < 0 {
			break
		}
		at += found
		if at > 0 && isDigit(text[at-1]) {
			text = text[:at] + "-" + text[at+len(" TO "):]
		}
	}
	return blanksAtSeparators.Replace(text)
}

var blanksAtSeparators = strings.NewReplacer(" - ", "-", " -", "-", "- ", "-", " _ ", "_", " _", "_", "_ ", "_")

func plainRune(r rune) rune {
	switch {
	case unicode.IsSpace(r):
		return ' '
	case unicode.Is(unicode.Pd, r), r == '\u2212': // the minus sign
		return '-'
	}
	return r
}

// serialReader reads the fields of one serial number.
type serialReader struct {
	Serial
	first, last string
	from        time.Time
	// block is the text without the range and the separator before it. literal is the text that
	// precedes the next field of the block.
	block   []byte
	literal string
}

func (p *serialPattern) parse(text string) (Serial, bool) {
	if !strings.HasPrefix(text, p.parts[0].literal) {
		return Serial{}, false
	}
	r := serialReader{Serial: Serial{Registry: p.registry}}
	var fields [maxParts]string
	for i, part := range p.parts {
		field, rest, ok := part.cut(text)
		fields[i] = field
		switch {
		case !ok:
			return Serial{}, false
		case part.again && field == fields[part.index]:
		case part.again, !r.read(part, field):
			return Serial{}, false
		}
		text = rest
	}
	if text != "" || !r.finish() {
		return Serial{}, false
	}
	return r.Serial, true
}

const (
	gsrnDigits = 18
	// maxParts is the number of parts of the longest pattern.
	maxParts = 27
)

// cut returns the text of the part at the beginning of text.
func (p serialPart) cut(text string) (field, rest string, ok bool) {
	switch {
	case p.field == "":
		rest, ok = strings.CutPrefix(text, p.literal)
		return p.literal, rest, ok
	case p.field == "GSRN":
		if len(text) < gsrnDigits {
			return "", "", false
		}
		return text[:gsrnDigits], text[gsrnDigits:], true
	case p.stop == 0:
		return text, "", true
	}
	n := strings.IndexByte(text, p.stop)
	if n < 0 {
		return "", "", false
	}
	return text[:n], text[n:], true
}

func (r *serialReader) read(p serialPart, text string) (ok bool) {
	switch p.field {
	case "":
		r.literal = text
		return true
	case "START":
		r.first = text
		return true
	case "END":
		r.last = text
		return true
	}
	plain, ok := r.value(p.field, text)
	r.block = append(append(r.block, r.literal...), plain...)
	r.literal = ""
	return ok
}

// value reads a field that is part of the block, and returns it without leading zeros.
func (r *serialReader) value(field, text string) (plain string, ok bool) {
	switch field {
	case "n", "UNIT", "OCP", "ACP", "LULUCF", "GSRN":
		text, ok = withoutZeros(text), isNumber(text)
	case "x":
		ok = text != ""
	case "COUNTRY":
		r.Country, ok = text, len(text) == 2 && isUpper(text[0]) && isUpper(text[1])
	case "PROJECT":
		text, ok = withoutZeros(text), isNumber(text)
		r.Project = text
	case "YEAR":
		r.FirstYear, ok = year("2006", text)
		r.LastYear = r.FirstYear
	case "FROM", "FROMYM":
		r.from, ok = day(field, text)
		r.FirstYear = r.from.Year()
	case "TO", "TOYM":
		var to time.Time
		to, ok = day(field, text)
		r.LastYear, ok = to.Year(), ok && !to.Before(r.from)
	}
	return text, ok
}

func (r *serialReader) finish() bool {
	var okStart, okEnd bool
	r.Start, okStart = number(r.first)
	r.End, okEnd = number(r.last)
	if !okStart || !okEnd || r.Start > r.End || r.End-r.Start == math.MaxInt64 || r.FirstYear > r.LastYear {
		return false
	}
	if (isPadded(r.first) || isPadded(r.last)) && len(r.first) != len(r.last) {
		return false
	}
	r.Tonnes = r.End - r.Start + 1
	_, err := model.WholeTonnes(r.Tonnes)
	r.Block = string(r.block)
	return err == nil
}

func number(s string) (int64, bool) {
	n, err := model.ParseDigits(s)
	return n, err == nil
}

func isNumber(s string) bool {
	_, ok := number(s)
	return ok
}

func withoutZeros(number string) string {
	if bare := strings.TrimLeft(number, "0"); bare != "" {
		return bare
	}
	return number[:min(len(number), 1)]
}

func isPadded(number string) bool { return len(number) > 1 && number[0] == '0' }

func day(field, s string) (time.Time, bool) {
	layout := "02012006"
	if strings.HasSuffix(field, "YM") {
		layout = "0601"
	}
	t, err := time.Parse(layout, s)
	return t, err == nil && len(s) == len(layout)
}

func year(layout, s string) (int, bool) {
	t, err := time.Parse(layout, s)
	return t.Year(), err == nil && len(s) == len(layout)
}

func isUpper(c byte) bool { return 'A' <= c && c <= 'Z' }

func isDigit(c byte) bool { return '0' <= c && c <= '9' }

// PartOfSerial returns the serial number of a part of text, written as text is. It returns false
// if the credits are not in text, or if the format is unknown.
func PartOfSerial(text string, start, end int64) (string, bool) {
	whole, ok := ParseSerial(text)
	if !ok || start < whole.Start || end > whole.End || start > end {
		return "", false
	}
	runs := digitRuns(text)
	for n := range len(runs) * len(runs) {
		first, last := runs[n/len(runs)], runs[n%len(runs)]
		if last.from <= first.from {
			continue
		}
		digits := last.to - last.from
		// The number of digits of a credit with leading zeros, or 0 for one without.
		widths := [...]int{0, digits - gsrnDigits}
		if text[last.from] == '0' {
			widths[0] = digits
		}
		for _, width := range widths {
			part := text[:first.from] + first.replaced(text, start, width) + text[first.to:last.from] +
				last.replaced(text, end, width) + text[last.to:]
			if s, ok := ParseSerial(part); ok && s.Block == whole.Block && s.Start == start && s.End == end {
				return part, true
			}
		}
	}
	return "", false
}

type digitRun struct{ from, to int }

func digitRuns(text string) (runs []digitRun) {
	for at := 0; at < len(text); at++ {
		from := at
		for at < len(text) && isDigit(text[at]) {
			at++
		}
		if at > from {
			runs = append(runs, digitRun{from, at})
		}
	}
	return runs
}

// replaced returns the digits with n as the last of them. A width of 0 replaces all of them.
func (d digitRun) replaced(text string, n int64, width int) string {
	keep := d.to - d.from - width
	if width <= 0 || keep < 0 {
		return fmt.Sprint(n)
	}
	return fmt.Sprintf("%s%0*d", text[d.from:d.from+keep], width, n)
}
