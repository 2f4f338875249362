package pdftext

import (
	"encoding/binary"
	"unicode/utf16"
)

// font says what the codes of a text stand for.
type font struct {
	// wide fonts have codes of two bytes, others of one.
	wide bool
	// runes are the texts of codes, ranges those of long runs of codes.
	runes  map[uint32]string
	ranges []codeRange
	// widths are those of codes in thousandths of the size, runs those of runs
	// of codes, usual that of all others.
	widths map[uint32]float64
	runs   []widthRange
	usual  float64
	// defined counts the codes that were defined, also more than once.
	defined int
}

// widthRange is a run of codes of one width.
type widthRange struct{ from, to, width float64 }

// codeRange is a run of codes for a run of characters.
type codeRange struct {
	from, to uint32
	first    rune
}

const (
	// mostCodes and mostRanges limit what a font may define.
	mostCodes  = 70_000
	mostRanges = 256
	// longRun is the run of codes from which on it is kept as a range.
	longRun = 256
	// middling is the width of a letter where nothing is said of it.
	middling = 500
)

func (f *file) font(d dict) *font {
	fo := &font{wide: d["Subtype"] == name("Type0"), runes: make(map[uint32]string), widths: make(map[uint32]float64), usual: middling}
	if fo.wide {
		if kids := f.list(d["DescendantFonts"]); len(kids) > 0 {
			fo.readWideWidths(f, f.dict(kids[0]))
		}
	} else {
		first, _ := f.resolve(d["FirstChar"]).(float64)
		for i, w := range f.list(d["Widths"]) {
			if width, ok := f.resolve(w).(float64); ok && i < 256 {
				fo.widths[uint32(int64(first)+int64(i))] = width
			}
		}
	}
	fo.readMap(f.stream(d["ToUnicode"]))
	return fo
}

// readWideWidths reads "1 [500 600] 10 20 750".
func (fo *font) readWideWidths(f *file, d dict) {
	if usual, ok := f.resolve(d["DW"]).(float64); ok {
		fo.usual = usual
	}
	w := f.list(d["W"])
	for len(w) >= 2 && len(fo.widths) < mostCodes {
		from, _ := f.resolve(w[0]).(float64)
		if each, ok := f.resolve(w[1]).(list); ok {
			for i, v := range each {
				if width, ok := f.resolve(v).(float64); ok && len(fo.widths) < mostCodes {
					fo.widths[uint32(int64(from)+int64(i))] = width
				}
			}
			w = w[2:]
			continue
		}
		if len(w) < 3 {
			return
		}
		to, _ := f.resolve(w[1]).(float64)
		width, _ := f.resolve(w[2]).(float64)
		if len(fo.runs) < mostRanges {
			fo.runs = append(fo.runs, widthRange{from, to, width})
		}
		w = w[3:]
	}
}

// readMap reads what codes stand for.
func (fo *font) readMap(content []byte) {
	s := &scanner{b: content}
	var operands []any
	for s.more() {
		v := s.value(0)
		op, ok := v.(word)
		if !ok {
			operands = append(operands, v)
			continue
		}
		switch op {
		case "endbfchar":
			for ; len(operands) >= 2; operands = operands[2:] {
				fo.define(code(operands[0]), code(operands[0]), operands[1])
			}
		case "endbfrange":
			for ; len(operands) >= 3; operands = operands[3:] {
				fo.define(code(operands[0]), code(operands[1]), operands[2])
			}
		}
		operands = operands[:0:0]
	}
}

// define keeps what a run of codes stands for.
func (fo *font) define(from, to uint32, v any) {
	switch v := v.(type) {
	case list:
		for i := range min(len(v), longRun) {
			fo.define(from+uint32(i), from+uint32(i), v[i])
		}
	case text:
		letters := []rune(decodeUTF16(v))
		switch {
		case len(letters) == 0 || to < from || fo.defined > mostCodes:
		case to-from >= longRun && len(fo.ranges) < mostRanges:
			fo.ranges = append(fo.ranges, codeRange{from, to, letters[0]})
		case to-from < longRun:
			fo.defined += int(to-from) + 1
			for c := from; ; c++ {
				last := len(letters) - 1
				fo.runes[c] = string(letters[:last]) + string(letters[last]+rune(c-from))
				if c == to {
					return
				}
			}
		}
	}
}

// code returns the code that the bytes of a text are.
func code(v any) uint32 {
	b, _ := v.(text)
	var padded [4]byte
	copy(padded[4-min(len(b), 4):], b[max(len(b)-4, 0):])
	return binary.BigEndian.Uint32(padded[:])
}

func decodeUTF16(b text) string {
	var units []uint16
	for ; len(b) >= 2; b = b[2:] {
		units = append(units, uint16(b[0])<<8|uint16(b[1]))
	}
	if len(b) == 1 && len(units) == 0 {
		return string(rune(b[0]))
	}
	return string(utf16.Decode(units))
}

// windows1252 are the characters from 0x80 to 0x9f of the encoding that most
// fonts use; a blank stands for none.
var windows1252 = [32]rune([]rune("€ ‚ƒ„…†‡ˆ‰Š‹Œ Ž  ‘’“”•–—˜™š›œ žŸ"))

func (fo *font) width(c uint32) float64 {
	if width, ok := fo.widths[c]; ok {
		return width
	}
	for _, r := range fo.runs {
		if float64(c) >= r.from && float64(c) <= r.to {
			return r.width
		}
	}
	return fo.usual
}

// letter returns what a code stands for and how wide it is.
func (fo *font) letter(c uint32) (string, float64) {
	width := fo.width(c)
	if s, ok := fo.runes[c]; ok {
		return s, width
	}
	for _, r := range fo.ranges {
		if c >= r.from && c <= r.to {
			return string(r.first + rune(c-r.from)), width
		}
	}
	switch {
	case fo.wide:
		return "", width
	case c >= 0x80 && c <= 0x9f:
		return string(windows1252[c-0x80]), width
	}
	return string(rune(c)), width
}
