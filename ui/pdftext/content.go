package pdftext

import "math"

// letter is a character on a page. Lengths are points, from the lower left
// corner.
type letter struct {
	x, y, width, size float64
	text              string
}

// matrix maps one system of coordinates to another: x' = ax + cy + e and
// y' = bx + dy + f.
type matrix struct{ a, b, c, d, e, f float64 }

var identity = matrix{a: 1, d: 1}

// times returns the matrix that maps by m, and then by n.
func (m matrix) times(n matrix) matrix {
	return matrix{
		m.a*n.a + m.b*n.c, m.a*n.b + m.b*n.d,
		m.c*n.a + m.d*n.c, m.c*n.b + m.d*n.d,
		m.e*n.a + m.f*n.c + n.e, m.e*n.b + m.f*n.d + n.f,
	}
}

// slanted reports whether text stands neither upright nor on its side: such
// as a watermark, whose letters would be strewn over all lines.
func (m matrix) slanted() bool {
	a, b := math.Abs(m.a), math.Abs(m.b)
	return min(a, b) > max(a, b)/10
}

// state is what text is drawn with.
type state struct {
	place         matrix
	font          *font
	size, leading float64
	spacing       float64
	blank         float64
	scale, rise   float64
}

// painter follows the operators of a page.
type painter struct {
	file    *file
	fonts   map[name]*font
	letters []letter

	state
	saved []state
	// text is where the next letter goes, line where its line begins.
	text, line matrix
}

// letters returns the characters of a page in the order in which they are
// drawn.
func (f *file) letters(p page) []letter {
	var content []byte
	for _, part := range f.contents(p.dict["Contents"]) {
		content = append(append(content, f.stream(part)...), '\n')
	}
	pt := &painter{file: f, state: state{place: identity, scale: 1}, text: identity, line: identity}
	pt.run(content, p.resources, 0)
	return pt.letters
}

// contents returns the streams of a page.
func (f *file) contents(v any) list {
	if parts, ok := f.resolve(v).(list); ok {
		return parts
	}
	return list{v}
}

// mostOperands is how many operands are kept for an operator.
const mostOperands = 64

func (p *painter) run(content []byte, resources dict, depth int) {
	outer := p.fonts
	p.fonts = make(map[name]*font)
	defer func() { p.fonts = outer }()
	s := &scanner{b: content}
	var operands []any
	for s.more() && len(p.letters) < mostLetters {
		v := s.value(0)
		op, ok := v.(word)
		if !ok {
			if len(operands) < mostOperands {
				operands = append(operands, v)
			}
			continue
		}
		switch op {
		case "Do":
			p.draw(resources, operands, depth)
		case "Tf":
			p.setFont(resources, operands)
		case "BI":
			skipImage(s)
		default:
			p.do(op, operands)
		}
		operands = operands[:0]
	}
}

// skipImage passes a picture that stands among the operators.
func skipImage(s *scanner) {
	for s.at < len(s.b) {
		if s.at+3 < len(s.b) && isBlank(s.b[s.at]) && s.b[s.at+1] == 'E' && s.b[s.at+2] == 'I' && isBlank(s.b[s.at+3]) {
			s.at += 3
			return
		}
		s.at++
	}
}

// nested is how deep forms may be drawn in forms.
const nested = 4

// draw draws a form: operators that are kept apart.
func (p *painter) draw(resources dict, operands []any, depth int) {
	form, _ := operand[name](operands, 0)
	at := p.file.dict(resources["XObject"])[form]
	d := p.file.dict(at)
	if depth >= nested || d["Subtype"] != name("Form") {
		return
	}
	before := p.state
	if m := numbers(p.file.list(d["Matrix"])); len(m) == 6 {
		p.place = matrix{m[0], m[1], m[2], m[3], m[4], m[5]}.times(p.place)
	}
	if own := p.file.dict(d["Resources"]); own != nil {
		resources = own
	}
	p.run(p.file.stream(at), resources, depth+1)
	p.state = before
}

func (p *painter) setFont(resources dict, operands []any) {
	key, _ := operand[name](operands, 0)
	p.size, _ = operand[float64](operands, 1)
	if _, known := p.fonts[key]; !known {
		p.fonts[key] = p.file.font(p.file.dict(p.file.dict(resources["Font"])[key]))
	}
	p.font = p.fonts[key]
}

func operand[T any](operands []any, i int) (v T, ok bool) {
	if i < len(operands) {
		v, ok = operands[i].(T)
	}
	return v, ok
}

// numbers returns values that all are numbers, or nothing.
func numbers(values []any) []float64 {
	var all []float64
	for _, v := range values {
		n, ok := v.(float64)
		if !ok {
			return nil
		}
		all = append(all, n)
	}
	return all
}

// show draws the letters of a text.
func (p *painter) show(s text) {
	if p.font == nil {
		return
	}
	for len(s) > 0 && len(p.letters) < mostLetters {
		n := 1
		if p.font.wide {
			n = min(2, len(s))
		}
		c := code(s[:n])
		drawn, width := p.font.letter(c)
		at := matrix{p.size * p.scale, 0, 0, p.size, 0, p.rise}.times(p.text).times(p.place)
		advance := width/1000*p.size + p.spacing
		if n == 1 && c == ' ' {
			advance += p.blank
		}
		if !at.slanted() {
			p.letters = append(p.letters, letter{at.e, at.f, width / 1000 * at.a, max(at.d, -at.d), drawn})
		}
		p.text = matrix{1, 0, 0, 1, advance * p.scale, 0}.times(p.text)
		s = s[n:]
	}
}
