package model

import (
	"slices"
	"strings"
	"time"
	"unicode"
	"unicode/utf8"
)

// LargestCertificate is the size in bytes of the largest file that can be a
// certificate.
const LargestCertificate = 20 << 20

// CertificateText is the text of a certificate, as far as it can be read.
type CertificateText struct {
	// Lines are its lines; Cut says that there is more, or may be.
	Lines []string
	Cut   bool
	// Unread says why there is none; empty where there is. Broken says that it is
	// the file's fault: nobody can read it.
	Unread string
	Broken bool
}

// SavedFile is why the text of a certificate counts for nothing if something is
// wrong with the file that was saved, such as "was altered".
func SavedFile(wrong string) string { return "the file that was saved " + wrong }

// CheckCertificateAgrees returns the check that the text of a certificate says
// what the service answers: the quantity, every beneficiary, every serial number
// and no other, the day of the retirement, and the tax ids and countries of
// beneficiaries where they are printed. Where the text has a label for a value,
// that value is compared as a whole; where it has none, a value that may as well be
// a part of something else is not checkable, and so is one that the answer does
// not have, and a text that cannot be read here. Blanks, line breaks and letter
// case count for nothing: a certificate breaks its lines where it likes. A file
// that nobody can read says nothing of it.
func CheckCertificateAgrees(r Retirement, text CertificateText) Check {
	c := Check{Name: CertificateAgrees, Result: NotCheckable}
	words := strings.Join(strings.Fields(strings.Join(text.Lines, " ")), " ")
	if text.Unread != "" || words == "" {
		c.Detail = text.Unread
		switch {
		case text.Broken:
			c.Result = Fail
		case c.Detail == "":
			c.Detail = "its text is empty"
		}
		return c
	}
	f := compareWith(r, text.Lines, newBareText(words))
	switch {
	case text.Cut && len(f.wrong)+len(f.doubtful) > 0:
		c.Detail = "only part of its text can be read"
	case len(f.wrong) > 0:
		c.Result, c.Detail = Fail, "its text does not have "+SomeOf(f.wrong, mostNamed, ", ")
	case f.more:
		c.Result, c.Detail = Fail, "its text has serial numbers that the answer lacks"
	case len(f.doubtful) > 0:
		c.Detail = "whether its text has " + SomeOf(f.doubtful, mostNamed, ", ") + " cannot be told"
	case len(f.unknown) > 0:
		c.Detail = "the answer has no " + enumerated(f.unknown)
		if len(f.same) > 0 {
			c.Detail += "; its text has the same " + enumerated(f.same)
		}
	default:
		c.Result, c.Detail = Pass, enumerated(f.same)
	}
	return c
}

// comparison is what came of holding a text against an answer: the fields that are
// the same in both, those that the answer does not have, and what the text does
// not have, or may not. More says that the text has serial numbers that the answer
// lacks.
type comparison struct {
	same, unknown, wrong, doubtful []string
	more                           bool
}

func (c *comparison) add(name string, is presence, lacks string) {
	switch is {
	case present:
		c.same = append(c.same, name)
	case doubtful:
		c.doubtful = append(c.doubtful, lacks)
	default:
		c.wrong = append(c.wrong, lacks)
	}
}

func compareWith(r Retirement, lines []string, bare bareText) (c comparison) {
	if r.TotalQuantity.Known() && r.TotalQuantity > 0 {
		is := quantityIn(r, bare)
		if same, labels := labelledQuantity(r, lines); labels && same {
			is = present
		} else if labels {
			is = absent
		}
		c.add("quantity", is, "the quantity "+r.TotalQuantity.FormatTonnes())
	} else {
		c.unknown = append(c.unknown, "quantity")
	}
	c.compareNames(r, lines, bare)
	c.compareSerials(r, bare)
	if at := r.RetiredAt; at.Known() {
		c.add("date", dayIn(at.Time, bare, r.SerialNumbers), "the date "+at.Time.UTC().Format(time.DateOnly))
	} else {
		c.unknown = append(c.unknown, "date")
	}
	if lacks, labels := lacksTaxID(r, bare); labels {
		c.add("tax ids", presenceOf(lacks == ""), "the tax id "+lacks)
	}
	if lacks, labels := lacksCountry(r, lines); labels {
		c.add("countries", presenceOf(lacks == ""), "the country "+lacks+" of a beneficiary")
	}
	return c
}

func presenceOf(found bool) presence {
	if found {
		return present
	}
	return absent
}

func (c *comparison) compareNames(r Retirement, lines []string, bare bareText) {
	var names []string
	for _, item := range r.Items {
		if item.RetireeName != "" && !slices.Contains(names, item.RetireeName) {
			names = append(names, item.RetireeName)
		}
	}
	if len(names) == 0 {
		fields := field(lines, beneficiaryLabel())
		if len(fields) == 0 || slices.ContainsFunc(fields, func(f labelled) bool { return f.value != notNamed }) {
			c.unknown = append(c.unknown, "beneficiary")
		}
		return
	}
	is, lacks := namesIn(names, lines, bare, freeText(r, lines))
	c.add("beneficiaries", is, "the beneficiary "+lacks)
}

func (c *comparison) compareSerials(r Retirement, bare bareText) {
	before := len(c.wrong)
	for _, serial := range r.SerialNumbers {
		if !bare.says(withoutBlanks(serial)) {
			c.wrong = append(c.wrong, "the serial number "+serial)
		}
	}
	switch {
	case len(r.SerialNumbers) == 0:
		c.unknown = append(c.unknown, "serial numbers")
	case len(c.wrong) > before:
	case serialMark().MatchString(withoutBlanks(bare.without(r.SerialNumbers))):
		c.more = true
	default:
		c.same = append(c.same, "serial numbers")
	}
}

func freeText(r Retirement, lines []string) string {
	var words []string
	for _, line := range lines {
		if strings.TrimSpace(line) == "" {
			line = erased
		}
		words = append(words, strings.Fields(line)...)
	}
	free := newBareText(strings.Join(words, " ")).without(r.SerialNumbers)
	return anyQuantity().ReplaceAllString(withoutDefinitions(dateForms().ReplaceAllString(free, erased)), erased)
}

func enumerated(words []string) string {
	last := len(words) - 1
	if last < 1 {
		return strings.Join(words, "")
	}
	return strings.Join(words[:last], ", ") + " and " + words[last]
}

func withoutBlanks(text string) string {
	return strings.Map(func(r rune) rune {
		if unicode.IsSpace(r) {
			return -1
		}
		return unicode.ToLower(r)
	}, text)
}

func hasNumber(text, number string) bool { return indexNumber(text, number, 0) >= 0 }

func indexNumber(text, number string, from int) int {
	for {
		at := strings.Index(text[from:], number)
		if at < 0 {
			return -1
		}
		at += from
		end := at + len(number)
		if !endsInNumber(text[:at]) && !beginsWithNumber(text[end:]) {
			return at
		}
		from = at + 1
	}
}

func endsInNumber(text string) bool {
	marks := strings.TrimRight(text, ".,-'_")
	return text != "" && marks != "" && len(text)-len(marks) <= 1 && isDigit(marks[len(marks)-1])
}

func beginsWithNumber(text string) bool {
	rest := strings.TrimLeft(text, ".,-'_")
	return rest != "" && len(text)-len(rest) <= 1 && isDigit(rest[0])
}

func isDigit(c byte) bool { return '0' <= c && c <= '9' }

// bareText is a text without blanks that still knows where they were.
type bareText struct {
	text string
	// words is the text with one blank between its words, at says of each byte
	// of the text where in it that stands.
	words string
	at    []int
}

func newBareText(words string) bareText {
	b := bareText{words: words}
	var text strings.Builder
	for at, r := range words {
		start := text.Len()
		text.WriteString(withoutBlanks(string(r)))
		for range text.Len() - start {
			b.at = append(b.at, at)
		}
	}
	b.text = text.String()
	return b
}

// says reports whether a text has a form that does not begin or end within a
// number: "2january2026" is not in "12 January 2026".
func (b bareText) says(form string) bool { return b.find(form, 0) >= 0 }

func (b bareText) find(form string, from int) int {
	for ; form != ""; from++ {
		at := strings.Index(b.text[from:], form)
		if at < 0 {
			break
		}
		from += at
		if !b.inNumber(from) && !b.inNumber(from+len(form)) {
			return from
		}
	}
	return -1
}

func (b bareText) inNumber(at int) bool {
	return at > 0 && at < len(b.text) && !b.spaced(at) && isDigit(b.text[at-1]) && isDigit(b.text[at])
}

func (b bareText) saysName(name string) bool {
	for at := range b.occurrences(name) {
		if !b.inWord(at) && !b.inWord(at+len(name)) {
			return true
		}
	}
	return false
}

// inWord reports whether letters or digits meet at a place, with no blank
// between them. The letters of a script that has no blanks end no word.
func (b bareText) inWord(at int) bool {
	if at == 0 || at == len(b.text) || b.spaced(at) {
		return false
	}
	before, _ := utf8.DecodeLastRuneInString(b.text[:at])
	behind, _ := utf8.DecodeRuneInString(b.text[at:])
	if unicode.In(before, scriptsWithoutBlanks...) || unicode.In(behind, scriptsWithoutBlanks...) {
		return false
	}
	return unicode.IsMark(behind) || unicode.IsLetter(before) && unicode.IsLetter(behind) || unicode.IsDigit(before) && unicode.IsDigit(behind)
}

var scriptsWithoutBlanks = []*unicode.RangeTable{unicode.Han, unicode.Hiragana, unicode.Katakana, unicode.Thai, unicode.Lao, unicode.Khmer, unicode.Myanmar}

func (b bareText) spaced(at int) bool {
	return at > 0 && (b.words[b.at[at]-1] == ' ' || b.words[b.at[at]-1] == '\n')
}

// saysDay reports whether a text has a day in one of the ways in which days are
// written. Eight digits in a row are none: they stand in serial numbers, for the
// days of a vintage.
func saysDay(bare bareText, at time.Time) bool {
	for _, layout := range [...]string{
		"2006-01-02", "2006/01/02", "02.01.2006", "2.1.2006", "02/01/2006", "01/02/2006", "1/2/2006", "2/1/2006", "02-01-2006", "01-02-2006",
		"2January2006", "02January2006", "January2,2006", "January02,2006", "2Jan2006", "02Jan2006", "02-Jan-2006", "Jan2,2006",
	} {
		if bare.says(strings.ToLower(at.UTC().Format(layout))) {
			return true
		}
	}
	return hasNumber(bare.words, at.UTC().Format("02 01 2006"))
}
