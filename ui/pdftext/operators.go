package pdftext

// mostSaved is how many states may be kept for later.
const mostSaved = 64

// do performs an operator that needs nothing but its operands.
func (p *painter) do(op word, operands []any) {
	n := numbers(operands)
	switch op {
	case "q":
		if len(p.saved) < mostSaved {
			p.saved = append(p.saved, p.state)
		}
	case "Q":
		if last := len(p.saved) - 1; last >= 0 {
			p.state, p.saved = p.saved[last], p.saved[:last]
		}
	case "BT":
		p.text, p.line = identity, identity
	case "T*":
		p.next(0, -p.leading)
	case "Tj":
		s, _ := operand[text](operands, 0)
		p.show(s)
	case "TJ":
		p.showSpaced(operands)
	case "'":
		s, _ := operand[text](operands, 0)
		p.next(0, -p.leading)
		p.show(s)
	case "\"":
		p.blank, _ = operand[float64](operands, 0)
		p.spacing, _ = operand[float64](operands, 1)
		s, _ := operand[text](operands, 2)
		p.next(0, -p.leading)
		p.show(s)
	default:
		p.set(op, n)
	}
}

// set performs an operator whose operands are numbers.
func (p *painter) set(op word, n []float64) {
	wanted := map[word]int{"cm": 6, "Tm": 6, "Td": 2, "TD": 2, "TL": 1, "Tc": 1, "Tw": 1, "Tz": 1, "Ts": 1}[op]
	if wanted == 0 || len(n) != wanted {
		return
	}
	switch op {
	case "cm":
		p.place = matrix{n[0], n[1], n[2], n[3], n[4], n[5]}.times(p.place)
	case "Tm":
		p.line = matrix{n[0], n[1], n[2], n[3], n[4], n[5]}
		p.text = p.line
	case "TD":
		p.leading = -n[1]
		p.next(n[0], n[1])
	case "Td":
		p.next(n[0], n[1])
	case "TL":
		p.leading = n[0]
	case "Tc":
		p.spacing = n[0]
	case "Tw":
		p.blank = n[0]
	case "Tz":
		p.scale = n[0] / 100
	case "Ts":
		p.rise = n[0]
	}
}

// next begins a line at a distance from where the one before began.
func (p *painter) next(x, y float64) {
	p.line = matrix{1, 0, 0, 1, x, y}.times(p.line)
	p.text = p.line
}

// showSpaced draws texts with steps between them.
func (p *painter) showSpaced(operands []any) {
	parts, _ := operand[list](operands, 0)
	for _, part := range parts {
		switch part := part.(type) {
		case text:
			p.show(part)
		case float64:
			p.text = matrix{1, 0, 0, 1, -part / 1000 * p.size * p.scale, 0}.times(p.text)
		}
	}
}
