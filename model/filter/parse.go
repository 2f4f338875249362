package filter

import (
	"strings"
	"unicode"
	"unicode/utf8"

	"tonne/model/alert"
	"tonne/model/fold"
)

// Error says which part of an expression was not understood.
type Error struct {
	// Why is a phrase that says what is wrong with the part and what to write.
	Part, Why string
}

// Error returns the part in quotation marks and the phrase.
func (e *Error) Error() string { return `"` + e.Part + `" ` + e.Why }

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

type parser struct {
	text   string
	at     int
	filter Filter
}

func (p *parser) rest() string { return p.text[p.at:] }

func (p *parser) skipSpace() {
	p.at = len(p.text) - len(strings.TrimLeftFunc(p.rest(), unicode.IsSpace))
}

func (p *parser) part() error {
	start := p.at
	without := strings.HasPrefix(p.rest(), "!") && !strings.HasPrefix(p.rest(), "!=")
	if without {
		p.at++
	}
	first := p.at
	name := p.name()
	if op := p.operator(); op != "" {
		return p.condition(start, name, op, without)
	}
	behind := p.at
	if isPaid(name) && !p.skip("|") {
		p.filter.conditions = append(p.filter.conditions, condition{field: fieldPaid, without: without})
		p.at = behind
		return nil
	}
	p.at = first
	return p.words(start, without)
}

func isPaid(name string) bool { return strings.EqualFold(name, "paid") }

func (p *parser) words(start int, without bool) error {
	known := len(p.filter.words)
	for {
		text, phrase, err := p.word()
		if err != nil {
			return err
		}
		if !phrase && (isPaid(text) || p.operator() != "") {
			rest, _, _ := strings.Cut(p.rest(), " ")
			return &Error{strings.TrimSpace(p.text[start:p.at] + rest), "puts a condition beside a word: a bar stands between words, and a comma in country:kenya,uganda"}
		}
		if text = fold.String(text); text != "" {
			w := newWord(text, phrase, without)
			w.or = len(p.filter.words) > known
			p.filter.words = append(p.filter.words, w)
		}
		if !p.skip("|") {
			return nil
		}
	}
}

func (p *parser) word() (text string, phrase bool, err error) {
	if strings.HasPrefix(p.rest(), `"`) {
		text, err = p.phrase("|")
		return text, true, err
	}
	return p.name(), false, nil
}

func (p *parser) phrase(ends string) (string, error) {
	start := p.at
	text, behind, closed := strings.Cut(p.rest()[1:], `"`)
	p.at = len(p.text) - len(behind)
	if r, _ := utf8.DecodeRuneInString(behind); closed && behind != "" && !unicode.IsSpace(r) && !strings.ContainsRune(ends, r) {
		end := strings.IndexFunc(behind, unicode.IsSpace)
		if end < 0 {
			end = len(behind)
		}
		return "", &Error{p.text[start : p.at+end], "goes on behind the quotation mark: leave a space there"}
	}
	return strings.Join(strings.Fields(text), " "), nil
}

func (p *parser) name() string {
	end := strings.IndexFunc(p.rest(), func(r rune) bool { return unicode.IsSpace(r) || strings.ContainsRune(`<>=≤≥:"|`, r) })
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

const unequal alert.Comparison = "≠"

// operators are the ways to compare, the longer ones first.
var operators = [...]struct {
	typed string
	op    alert.Comparison
}{
	{"<=", alert.AtMost}, {"=<", alert.AtMost}, {"≤", alert.AtMost}, {">=", alert.AtLeast}, {"=>", alert.AtLeast}, {"≥", alert.AtLeast},
	{"!=", unequal}, {"==", alert.Equal}, {"<", alert.Below}, {">", alert.Above}, {"=", alert.Equal}, {":", alert.Equal},
}

func (p *parser) operator() alert.Comparison {
	for _, o := range operators {
		if p.skip(o.typed) {
			return o.op
		}
	}
	return ""
}

func (p *parser) skip(sign string) bool {
	before := p.at
	p.skipSpace()
	if !strings.HasPrefix(p.rest(), sign) {
		p.at = before
		return false
	}
	p.at += len(sign)
	p.skipSpace()
	return true
}

func (p *parser) values(of field) (values []string, err error) {
	ends := ""
	if of.isText() {
		ends = ",|"
	}
	for {
		text, err := p.value(ends)
		if err != nil {
			return nil, err
		}
		if fold.String(strings.TrimSpace(text)) != "" {
			values = append(values, text)
		}
		if ends == "" || !p.skip(",") && !p.skip("|") {
			return values, nil
		}
	}
}

func (p *parser) value(ends string) (string, error) {
	if strings.HasPrefix(p.rest(), `"`) {
		return p.phrase(ends)
	}
	end := strings.IndexFunc(p.rest(), func(r rune) bool { return unicode.IsSpace(r) || strings.ContainsRune(ends, r) })
	if end < 0 {
		end = len(p.rest())
	}
	value := p.rest()[:end]
	p.at += end
	return value, nil
}
