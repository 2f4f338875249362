package model

import (
	"regexp"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"
)

// presence is whether a text has something.
type presence int8

const (
	absent presence = iota
	// doubtful is what may as well be a part of something else.
	doubtful
	present
)

// quantityIn returns whether a text has the quantity of a request. It has one
// that is not known.
func quantityIn(r Retirement, bare bareText) presence {
	if !r.TotalQuantity.Known() || r.TotalQuantity <= 0 {
		return present
	}
	forms := quantityForms(r.TotalQuantity)
	free := dateForms.ReplaceAllString(bare.without(r.SerialNumbers), erased)
	small := r.TotalQuantity < smallTonnes*GramsPerTonne
	found := func(form string) bool { return hasQuantity(free, form, small) }
	switch {
	case slices.ContainsFunc(forms, found):
		return present
	case slices.ContainsFunc(forms, func(form string) bool { return hasNumber(bare.words, form) }):
		return doubtful
	}
	return absent
}

// smallTonnes is below what a quantity needs a word beside it: numbers of one or
// two digits stand all over a page.
const smallTonnes = 100

// quantityForms are the ways in which a quantity in tonnes is written, with or
// without marks between thousands.
func quantityForms(g Grams) []string {
	exact := string(g.AppendTonnes(nil))
	forms := []string{exact, strings.ReplaceAll(exact, ",", "")}
	if g.IsWhole() {
		for _, mark := range [...]string{".", " ", "'", "’"} {
			forms = append(forms, strings.ReplaceAll(exact, ",", mark))
		}
		whole := strconv.FormatInt(g.Tonnes(), 10)
		forms = append(forms, whole+".0", whole+".00", exact+".00")
	}
	return forms
}

// erased stands where something was taken out of a text. It is no part of a
// number, and no blank between thousands.
const erased = "|"

// dateForms are days and times of day in the ways in which they are written.
var dateForms = func() *regexp.Regexp {
	const (
		month = `(?:jan(?:uary)?|feb(?:ruary)?|mar(?:ch)?|apr(?:il)?|may|june?|july?|aug(?:ust)?|sept?(?:ember)?|oct(?:ober)?|nov(?:ember)?|dec(?:ember)?)\b\.?`
		day   = `\b\d{1,2}(?:st|nd|rd|th)?`
		year  = `(?:19|20)\d\d\b`
	)
	return regexp.MustCompile(`(?i)` + day + `[ -]?` + month + `(?:[ ,-]*` + year + `)?|\b` + month + ` ?` + day + `[ ,]+` + year +
		`|\b\d{1,4}[-/.]\d{1,2}[-/.]\d{1,4}\b|\b\d{1,2} \d{2} ` + year + `|\b\d{1,2}:\d{2}(?::\d{2})?\b`)
}()

// The words that make a number a quantity: its unit behind it, or what it is
// called before it, which is no unit of a number before that.
var (
	unitBehind = regexp.MustCompile(`(?i)^ ?\(?(?:metric )?(?:m?t ?co[2₂](?:eq?)?|m?t|tonnes?|tons?|credits?|units?|vcus?)(?:[^\pL\pN]|$)`)
	nameBefore = regexp.MustCompile(`(?i)(?:^|[^\pL\pN])(?:quantity|amount|volume|tonnes|t ?co[2₂]eq?|credits|units|vcus)(?: retired| cancelled)?[ :=()]*$`)
	endsInUnit = regexp.MustCompile(`(?i)\d ?(?:tonnes|t ?co[2₂]eq?|credits|units|vcus)(?: retired| cancelled)?[ :=()]*$`)
)

// longestName is the most bytes before a number in which its name is looked for.
const longestName = 40

// hasQuantity reports whether a text has a number that is no group of a longer
// one, and beside which a word says that it is a quantity if one is needed.
func hasQuantity(text, number string, wordNeeded bool) bool {
	for from := 0; ; from++ {
		at := indexNumber(text, number, from)
		if at < 0 {
			return false
		}
		before, behind := text[:at], text[at+len(number):]
		named := before[max(0, len(before)-longestName):]
		switch {
		case continues(before, number) || goesOn(number, behind):
		case !wordNeeded, unitBehind.MatchString(behind), nameBefore.MatchString(named) && !endsInUnit.MatchString(named):
			return true
		}
		from = at
	}
}

// continues reports whether a number may be the groups of thousands that follow
// what stands before it.
func continues(before, number string) bool {
	head, marked := cutMark(before, strings.TrimSuffix)
	group := len(head) - len(strings.TrimRight(head, digitsOfNumbers))
	return marked && 1 <= group && group <= groupDigits && leadingDigits(number) == groupDigits
}

// goesOn reports whether what stands behind a number may be its next group of
// thousands.
func goesOn(number, behind string) bool {
	tail, marked := cutMark(behind, strings.TrimPrefix)
	last := len(number) - len(strings.TrimRight(number, digitsOfNumbers))
	return marked && last <= groupDigits && leadingDigits(tail) == groupDigits
}

const (
	digitsOfNumbers = "0123456789"
	groupDigits     = 3
)

func leadingDigits(text string) int { return len(text) - len(strings.TrimLeft(text, digitsOfNumbers)) }

// cutMark takes a mark that may stand between thousands off one end of a text.
func cutMark(text string, trim func(text, mark string) string) (rest string, found bool) {
	for _, mark := range [...]string{" ", "’"} {
		if rest = trim(text, mark); len(rest) < len(text) {
			return rest, true
		}
	}
	return text, false
}

// without returns the words of the text with forms erased, wherever they are.
func (b bareText) without(forms []string) string {
	words := []byte(b.words)
	for _, form := range forms {
		form = withoutBlanks(form)
		for from := b.find(form, 0); from >= 0; from = b.find(form, from+len(form)) {
			last := b.at[from+len(form)-1]
			_, size := utf8.DecodeRuneInString(b.words[last:])
			for i := b.at[from]; i < last+size; i++ {
				words[i] = erased[0]
			}
		}
	}
	return string(words)
}
