package filter

import (
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"
)

// Error says which part of an expression was not understood.
type Error struct {
	// Part is the part as it was typed, Why a phrase that says what is wrong
	// with it and what to write.
	Part, Why string
}

// Error returns the part in quotation marks and the phrase.
func (e *Error) Error() string { return `"` + e.Part + `" ` + e.Why }

// longest is how long an expression may be, in bytes: nobody types more, and
// what is looked up grows with it row by row.
const longest = 1000

// Parse reads an expression. The error is an *Error.
func Parse(text string) (Filter, error) {
	if len(text) > longest {
		part := strings.ToValidUTF8(text[:20], "")
		return Filter{}, &Error{part, "begins a filter that is too long: 1,000 letters at most"}
	}
	p := parser{text: text}
	for p.skipSpace(); p.at < len(p.text); p.skipSpace() {
		if err := p.part(); err != nil {
			return Filter{}, err
		}
	}
	return p.filter, nil
}

// parser reads an expression from its beginning.
type parser struct {
	text   string
	at     int
	filter Filter
}

func (p *parser) rest() string { return p.text[p.at:] }

func (p *parser) skipSpace() {
	p.at = len(p.text) - len(strings.TrimLeftFunc(p.rest(), unicode.IsSpace))
}

// part reads a word or a condition.
func (p *parser) part() error {
	start := p.at
	without := strings.HasPrefix(p.rest(), "!") && !strings.HasPrefix(p.rest(), "!=")
	if without {
		p.at++
	}
	if strings.HasPrefix(p.rest(), `"`) {
		phrase, err := p.phrase()
		if err == nil && phrase != "" {
			p.word(newWord(phrase, true, without))
		}
		return err
	}
	name := p.name()
	if op := p.operator(); op != "" {
		return p.condition(start, name, op, without)
	}
	switch {
	case name == "" && without:
		// As one types, the word comes after its mark.
		return nil
	case strings.EqualFold(name, "paid"):
		p.filter.conditions = append(p.filter.conditions, condition{field: fieldPaid, without: without})
		return nil
	}
	p.word(newWord(name, false, without))
	return nil
}

// word adds a word to the filter. One that is there says nothing new, but would
// be looked for again in each cell.
func (p *parser) word(w word) {
	if !slices.ContainsFunc(p.filter.words, w.same) {
		p.filter.words = append(p.filter.words, w)
	}
}

// phrase reads text in quotation marks. As one types, the second is missing.
func (p *parser) phrase() (string, error) {
	start := p.at
	text, behind, closed := strings.Cut(p.rest()[1:], `"`)
	p.at = len(p.text) - len(behind)
	if r, _ := utf8.DecodeRuneInString(behind); closed && behind != "" && !unicode.IsSpace(r) {
		end := strings.IndexFunc(behind, unicode.IsSpace)
		if end < 0 {
			end = len(behind)
		}
		return "", &Error{p.text[start : p.at+end], "goes on behind the quotation mark: leave a space there"}
	}
	return strings.Join(strings.Fields(text), " "), nil
}

// name reads up to a space, an operator or a quotation mark.
func (p *parser) name() string {
	end := strings.IndexFunc(p.rest(), func(r rune) bool { return unicode.IsSpace(r) || strings.ContainsRune(`<>=≤≥:"`, r) })
	if end < 0 {
		end = len(p.rest())
	}
	name := p.rest()[:end]
	if strings.HasPrefix(p.rest()[end:], "=") {
		// That of != belongs to it.
		name = strings.TrimSuffix(name, "!")
	}
	p.at += len(name)
	return name
}

// operators are the ways to compare, the longer ones first.
var operators = [...]struct{ typed, op string }{
	{"<=", "<="}, {"=<", "<="}, {"≤", "<="}, {">=", ">="}, {"=>", ">="}, {"≥", ">="},
	{"!=", "!="}, {"==", "="}, {"<", "<"}, {">", ">"}, {"=", "="}, {":", "="},
}

// operator reads an operator, behind spaces too, and the spaces behind it. It
// returns "" and reads nothing if there is none.
func (p *parser) operator() string {
	before := p.at
	p.skipSpace()
	for _, o := range operators {
		if strings.HasPrefix(p.rest(), o.typed) {
			p.at += len(o.typed)
			p.skipSpace()
			return o.op
		}
	}
	p.at = before
	return ""
}

// value reads what stands behind an operator.
func (p *parser) value() (string, error) {
	if strings.HasPrefix(p.rest(), `"`) {
		return p.phrase()
	}
	end := strings.IndexFunc(p.rest(), unicode.IsSpace)
	if end < 0 {
		end = len(p.rest())
	}
	value := p.rest()[:end]
	p.at += end
	return value, nil
}
