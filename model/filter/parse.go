package filter

import (
	"regexp"
	"strings"
	"sync"
	"unicode"

	"tonne/model"
	"tonne/model/alert"
	"tonne/model/fold"
)

// Error names the invalid part of an expression.
type Error struct {
	// Why is a phrase with the reason and advice.
	Part, Why string
}

// Error returns the part in quotation marks and the phrase.
func (e *Error) Error() string { return `"` + e.Part + `" ` + e.Why }

const longest = 1000

// Parse parses an expression. The error is an *Error.
func Parse(text string) (Filter, error) {
	if len(text) > longest {
		part := strings.ToValidUTF8(text[:20], "")
		return Filter{}, &Error{part, "begins a filter that is too long: 1,000 letters at most"}
	}
	p := parser{rest: text}
	for p.take(blanks); p.rest != ""; p.take(blanks) {
		if err := p.part(); err != nil {
			return Filter{}, err
		}
	}
	return p.filter, nil
}

// The tokens of an expression.
const (
	blank = `\s\v\x{85}\pZ`
	name  = `[^` + blank + `<>=≤≥:"|]*`
	// Longer operators come before their prefixes.
	operator = `[` + blank + `]*(<=|=<|≤|>=|=>|≥|!=|==|<|>|=|:)[` + blank + `]*`
)

var (
	blanks      = compiled(`[` + blank + `]*`)
	solid       = compiled(`[^` + blank + `]*`)
	not         = compiled(`!`)
	phrase      = compiled(`"([^"]*)("?)`)
	plain       = compiled(name)
	bar         = compiled(`[` + blank + `]*\|[` + blank + `]*`)
	comma       = compiled(`[` + blank + `]*[,|][` + blank + `]*`)
	listed      = compiled(`[^` + blank + `,|]*`)
	afterTonnes = compiled(`[` + blank + `]*(t|tonnes)([` + blank + `]|$)`)
	// The name is as short as possible, so that the ! of != belongs to the operator.
	comparison = compiled(`(!?)(` + name + `?)` + operator)
	compared   = compiled(operator)
)

var comparisons = map[string]alert.Comparison{
	"<": alert.Below, "<=": alert.AtMost, "=<": alert.AtMost, "≤": alert.AtMost,
	">": alert.Above, ">=": alert.AtLeast, "=>": alert.AtLeast, "≥": alert.AtLeast,
	"=": alert.Equal, "==": alert.Equal, ":": alert.Equal, "!=": alert.Equal,
}

type pattern func() *regexp.Regexp

func compiled(expression string) pattern {
	return sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile("^" + expression) })
}

type parser struct {
	rest   string
	filter Filter
}

// take consumes and returns the match at the current position, or nil.
func (p *parser) take(what pattern) []string {
	found := what().FindStringSubmatch(p.rest)
	if found != nil {
		p.rest = p.rest[len(found[0]):]
	}
	return found
}

func (p *parser) refuse(start, why string) error {
	return &Error{strings.TrimSpace(start[:len(start)-len(p.rest)]), why}
}

func (p *parser) part() error {
	start := p.rest
	if head := p.take(comparison); head != nil {
		return p.condition(start, head[2], head[3], head[1] != "")
	}
	without, known := p.take(not) != nil, len(p.filter.words)
	for first := true; ; first = false {
		text, isPhrase, err := p.word(plain)
		if err != nil {
			return err
		}
		last := !bar().MatchString(p.rest)
		if why := p.operator(text, isPhrase); why != "" {
			return p.refuse(start, why)
		}
		short, isShort := shortCondition(text)
		isShort = isShort && !isPhrase
		if isShort && first && last {
			short.without = without
			p.filter.conditions = append(p.filter.conditions, short)
			return nil
		}
		if isShort || !isPhrase && p.take(compared) != nil {
			p.take(solid)
			return p.refuse(start,
				"combines a condition with a word: a bar separates words, and a comma separates values as in country:kenya,uganda")
		}
		// The word "and" is what blanks are.
		if text = fold.String(text); text != "" && (text != "and" || isPhrase) {
			w := newWord(text, isPhrase, without)
			w.or = len(p.filter.words) > known
			p.filter.words = append(p.filter.words, w)
		}
		if last {
			return nil
		}
		p.take(bar)
	}
}

// Words of other query languages, and what to write for them.
const (
	otherOr  = "is no word: write kenya|uganda for either, or quotation marks to search for it"
	otherNot = "is no word: write !kenya to exclude it, or quotation marks to search for it"
	otherAnd = "is no word: all words must match, as in kenya solar"
)

// operator returns why a word is refused that is an operator elsewhere. In lower case, or and
// not are operators only before another word: a longer word may still be typed.
func (p *parser) operator(text string, isPhrase bool) (why string) {
	more := strings.TrimFunc(p.rest, unicode.IsSpace) != ""
	switch word := strings.ToUpper(text); {
	case strings.HasPrefix(strings.TrimLeftFunc(p.rest, unicode.IsSpace), "||"):
		p.take(blanks)
		p.take(solid)
		return otherOr
	case isPhrase:
		return ""
	case strings.Contains(text, "&&"):
		return otherAnd
	case word == "OR" && (text == word || more):
		return otherOr
	case word == "NOT" && (text == word || more):
		return otherNot
	}
	return ""
}

var yearOnwards = compiled(`([0-9]{4})\+$`)

// shortCondition returns the condition of a word: paid, or a year like 2021+.
func shortCondition(text string) (c condition, ok bool) {
	if strings.EqualFold(text, paid.name) {
		return condition{field: paid}, true
	}
	year := yearOnwards().FindStringSubmatch(text)
	if year == nil {
		return c, false
	}
	c = condition{field: vintage, op: alert.AtLeast}
	return c, c.add(year[1]) == ""
}

// word parses a phrase, or otherwise a match of plain.
func (p *parser) word(plain pattern) (text string, isPhrase bool, err error) {
	start := p.rest
	quoted := p.take(phrase)
	if quoted == nil {
		return p.take(plain)[0], false, nil
	}
	if quoted[2] != "" && p.take(plain)[0] != "" {
		p.take(solid)
		return "", true, p.refuse(start, "continues after the quotation mark: add a space")
	}
	return strings.Join(strings.FieldsFunc(quoted[1], unicode.IsSpace), " "), true, nil
}

func (p *parser) condition(start, name, sign string, without bool) error {
	of := findField(name)
	values, err := p.values(of != nil && of.texts != nil)
	if name == "" && len(values) == 1 && isYear(values[0]) {
		of = vintage
	}
	switch {
	case err != nil:
		return err
	case of == nil:
		return p.refuse(start, noField(name))
	case len(values) == 0:
		return p.refuse(start, "has no value: "+of.usage())
	}
	c := condition{field: of, op: comparisons[sign], without: without != (sign == "!=")}
	if of.texts != nil && c.op != alert.Equal {
		return p.refuse(start, "compares a text: "+of.usage())
	}
	c.exact = sign != ":"
	for _, v := range values {
		if why := c.add(v); why != "" {
			return p.refuse(start, why)
		}
	}
	if c.otherwise == tonnes.otherwise {
		p.take(afterTonnes)
	}
	p.filter.conditions = append(p.filter.conditions, c)
	return nil
}

// isYear reports whether a number without a name is a year.
func isYear(text string) bool {
	_, err := model.ParseDigits(text)
	return err == nil && len(text) == 4 && (strings.HasPrefix(text, "19") || strings.HasPrefix(text, "20"))
}

func (p *parser) values(several bool) (values []string, err error) {
	value := solid
	if several {
		value = listed
	}
	for {
		text, _, err := p.word(value)
		if err != nil {
			return nil, err
		}
		if fold.String(strings.TrimSpace(text)) != "" {
			values = append(values, text)
		}
		if !several || p.take(comma) == nil {
			return values, nil
		}
	}
}
