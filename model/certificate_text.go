package model

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"
	"unicode"
)

// CertificateText is the text of a certificate, as far as it can be read.
type CertificateText struct {
	// Lines are its lines; Cut says that there is more, or may be.
	Lines []string
	Cut   bool
	// Unread says why there is none; empty where there is.
	Unread string
}

// CheckCertificateAgrees returns the check that the text of a certificate says
// what the service answers: the quantity, every beneficiary, every serial
// number and the day of the retirement. Blanks, line breaks and letter case
// count for nothing: a certificate breaks its lines where it likes.
func CheckCertificateAgrees(r Retirement, text CertificateText) Check {
	c := Check{Name: CertificateAgrees, Result: NotCheckable}
	words := strings.Join(strings.Fields(strings.Join(text.Lines, " ")), " ")
	if text.Unread != "" || words == "" {
		c.Detail = text.Unread
		if c.Detail == "" {
			c.Detail = "its text is empty"
		}
		return c
	}
	missing := notIn(r, words)
	switch {
	case len(missing) == 0:
		c.Result, c.Detail = Pass, "quantity, beneficiaries, serial numbers and date"
	case text.Cut:
		c.Detail = "only part of its text can be read"
	default:
		c.Result = Fail
		c.Detail = "its text does not have " + strings.Join(missing[:min(len(missing), namedMissing)], ", ")
		if more := len(missing) - namedMissing; more > 0 {
			c.Detail += fmt.Sprintf(" and %d more", more)
		}
	}
	return c
}

// namedMissing is how much of what a certificate does not have is named.
const namedMissing = 3

// notIn returns what the service answers and a text does not say.
func notIn(r Retirement, words string) (missing []string) {
	bare := newBareText(words)
	if r.TotalQuantity.Known() && r.TotalQuantity > 0 && !saysQuantity(words, r.TotalQuantity) {
		missing = append(missing, "the quantity "+r.TotalQuantity.FormatTonnes())
	}
	var names []string
	for _, item := range r.Items {
		if item.RetireeName != "" && !slices.Contains(names, item.RetireeName) {
			names = append(names, item.RetireeName)
		}
	}
	for _, name := range names {
		if !strings.Contains(bare.text, withoutBlanks(name)) {
			missing = append(missing, "the beneficiary "+name)
		}
	}
	for _, serial := range r.SerialNumbers {
		if !bare.says(withoutBlanks(serial)) {
			missing = append(missing, "the serial number "+serial)
		}
	}
	if at := r.RetiredAt; at.Known() && !saysDay(words, bare, at.Time) {
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

// saysQuantity reports whether a text has a quantity in tonnes, with or without
// marks between thousands, as a number of its own.
func saysQuantity(words string, g Grams) bool {
	exact := string(g.AppendTonnes(nil))
	forms := []string{exact, strings.ReplaceAll(exact, ",", "")}
	if g.IsWhole() {
		for _, mark := range [...]string{".", " ", "'", "’", "\u00a0", "\u202f"} {
			forms = append(forms, strings.ReplaceAll(exact, ",", mark))
		}
		whole := strconv.FormatInt(g.Tonnes(), 10)
		forms = append(forms, whole+".0", whole+".00", exact+".00")
	}
	return slices.ContainsFunc(forms, func(form string) bool { return hasNumber(words, form) })
}

// hasNumber reports whether a text has a number that is no part of a longer
// one.
func hasNumber(text, number string) bool {
	for from := 0; ; {
		at := strings.Index(text[from:], number)
		if at < 0 {
			return false
		}
		at += from
		end := at + len(number)
		if !endsInNumber(text[:at]) && !beginsWithNumber(text[end:]) {
			return true
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
	// spaced says of each byte of the text whether a blank stood before it.
	spaced []bool
}

func newBareText(words string) bareText {
	var b bareText
	var text strings.Builder
	for _, word := range strings.Fields(words) {
		start := text.Len()
		text.WriteString(withoutBlanks(word))
		b.spaced = append(b.spaced, make([]bool, text.Len()-start)...)
		if start < text.Len() {
			b.spaced[start] = true
		}
	}
	b.text = text.String()
	return b
}

// says reports whether a text has a form that does not begin or end within a
// number: "2january2026" is not in "12 January 2026".
func (b bareText) says(form string) bool {
	for from := 0; form != ""; from++ {
		at := strings.Index(b.text[from:], form)
		if at < 0 {
			return false
		}
		from += at
		if !b.inNumber(from) && !b.inNumber(from+len(form)) {
			return true
		}
	}
	return false
}

// inNumber reports whether digits meet at a place, with no blank between them.
func (b bareText) inNumber(at int) bool {
	return at > 0 && at < len(b.text) && !b.spaced[at] && isDigit(b.text[at-1]) && isDigit(b.text[at])
}

// saysDay reports whether a text has a day in one of the ways in which days are
// written. Eight digits in a row are none: they stand in serial numbers, for the
// days of a vintage.
func saysDay(words string, bare bareText, at time.Time) bool {
	for _, layout := range [...]string{
		"2006-01-02", "2006/01/02", "02.01.2006", "2.1.2006", "02/01/2006", "01/02/2006", "1/2/2006", "2/1/2006", "02-01-2006", "01-02-2006",
		"2January2006", "02January2006", "January2,2006", "January02,2006", "2Jan2006", "02Jan2006", "02-Jan-2006", "Jan2,2006",
	} {
		if bare.says(strings.ToLower(at.UTC().Format(layout))) {
			return true
		}
	}
	return hasNumber(words, at.UTC().Format("02 01 2006"))
}
