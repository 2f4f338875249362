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

// CheckCertificateAgrees returns the check that the text of a certificate says
// what the service answers: the quantity, every beneficiary, every serial
// number and the day of the retirement. Blanks, line breaks and letter case
// count for nothing: a certificate breaks its lines where it likes. A quantity
// that may as well be a part of another number, or of something else, is not
// checkable, and so is a text that cannot be read here. A file that nobody can
// read says nothing of it.
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
	bare := newBareText(words)
	missing, quantity := notIn(r, bare), quantityIn(r, bare)
	if quantity == absent {
		missing = slices.Insert(missing, 0, "the quantity "+r.TotalQuantity.FormatTonnes())
	}
	switch {
	case len(missing) == 0 && quantity == doubtful:
		c.Detail = "whether its text has the quantity " + r.TotalQuantity.FormatTonnes() + " cannot be told"
	case len(missing) == 0:
		c.Result, c.Detail = Pass, "quantity, beneficiaries, serial numbers and date"
	case text.Cut:
		c.Detail = "only part of its text can be read"
	default:
		c.Result, c.Detail = Fail, "its text does not have "+SomeOf(missing, mostNamed, ", ")
	}
	return c
}

// notIn returns what the service answers and a text does not say, but for the
// quantity.
func notIn(r Retirement, bare bareText) (missing []string) {
	var names []string
	for _, item := range r.Items {
		if item.RetireeName != "" && !slices.Contains(names, item.RetireeName) {
			names = append(names, item.RetireeName)
		}
	}
	for _, name := range names {
		if !bare.saysName(withoutBlanks(name)) {
			missing = append(missing, "the beneficiary "+name)
		}
	}
	for _, serial := range r.SerialNumbers {
		if !bare.says(withoutBlanks(serial)) {
			missing = append(missing, "the serial number "+serial)
		}
	}
	if at := r.RetiredAt; at.Known() && !saysDay(bare, at.Time) {
		missing = append(missing, "the date "+at.Time.UTC().Format(time.DateOnly))
	}
	return missing
}

func withoutBlanks(text string) string {
	return strings.Map(func(r rune) rune {
		if unicode.IsSpace(r) {
			return -1
		}
		return unicode.ToLower(r)
	}, text)
}

// hasNumber reports whether a text has a number that is no part of a longer
// one.
func hasNumber(text, number string) bool { return indexNumber(text, number, 0) >= 0 }

// indexNumber returns where a text has such a number, from some place on, and −1
// if there is none.
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

// find returns where a form is that does not begin or end within a number, from
// some place on, and −1 if there is none.
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

// inNumber reports whether digits meet at a place, with no blank between them.
func (b bareText) inNumber(at int) bool {
	return at > 0 && at < len(b.text) && !b.spaced(at) && isDigit(b.text[at-1]) && isDigit(b.text[at])
}

// saysName reports whether a text has a name that does not begin or end within a
// word: "ing" is not in "trading".
func (b bareText) saysName(name string) bool {
	for from := 0; name != ""; from++ {
		at := strings.Index(b.text[from:], name)
		if at < 0 {
			return false
		}
		from += at
		if !b.inWord(from) && !b.inWord(from+len(name)) {
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

// spaced reports whether a blank stands before a byte of the text.
func (b bareText) spaced(at int) bool { return at > 0 && b.words[b.at[at]-1] == ' ' }

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
