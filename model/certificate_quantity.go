package model

import (
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"
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

func quantityIn(r Retirement, bare bareText) presence {
	if !r.TotalQuantity.Known() || r.TotalQuantity <= 0 {
		return present
	}
	forms := quantityForms(r.TotalQuantity)
	free := withoutDefinitions(dateForms().ReplaceAllString(bare.without(r.SerialNumbers), erased))
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
var dateForms = func() func() *regexp.Regexp {
	const (
		month = `(?:jan(?:uary)?|feb(?:ruary)?|mar(?:ch)?|apr(?:il)?|may|june?|july?|aug(?:ust)?|sept?(?:ember)?|oct(?:ober)?|nov(?:ember)?|dec(?:ember)?)\b\.?`
		day   = `\b\d{1,2}(?:st|nd|rd|th)?`
		year  = `(?:19|20)\d\d\b`
	)
	return pattern(`(?i)` + day + `[ -]?` + month + `(?:[ ,-]*` + year + `)?|\b` + month + ` ?` + day + `[ ,]+` + year +
		`|\b\d{1,4}[-/.]\d{1,2}[-/.]\d{1,4}\b|\b\d{1,2} \d{2} ` + year + `|\b\d{1,2}:\d{2}(?::\d{2})?\b`)
}()

// Every certificate of a registry may say what a credit or a tonne is: "1 VCU = 1
// tonne", "each unit represents the removal of one tonne of CO2 (1 tCO2e)", "1 t =
// 1,000 kg". A definition is what is said of one, and the last words before that
// which name one.
var saidOfOne, namesOne = func() (said, names func() *regexp.Regexp) {
	const (
		is     = ` ?\(?(?:[=≙≡]|\b(?:is(?: equal to| equivalent to)?|equals?(?: to)?|represent(?:s|ing|ative of)|correspond(?:s|ing) to|stands for|denotes|means)\b) ?`
		what   = `(?:(?:the|an?|remov(?:ed|al)|reduc(?:ed|tion)|avoid(?:ed|ance)|or|and|of|verified|emissions?|greenhouse|gas|ghg) ){0,10}`
		amount = `(?:1(?:[.,]0+)?|one|1[,.’ ]?000(?:[,.’ ]?000)?)(?: \(1\))? ?(?:` + unit + `|kgs?|kilograms?|g|grams?)\b`
		again  = `(?:[^\d.;:|]{0,60}\(=? ?1 ?` + unit + `[^)]{0,30}\))?`
		words  = `(?:[\pL()+/-]+ ){0,6}`
		credit = `\(?(?:` + unit + `|vers?|offsets?|allowances?)\)?`
	)
	return pattern(`(?i)(?:` + is + what + `|\bper )` + amount + again),
		pattern(`(?i)^.*(\b(?:1(?:[.,]0+)?|one|each|every|an?)\)? ?` + words + credit + `)$`)
}()

// longestDefined is the most bytes before what is said of one in which that is
// named.
const longestDefined = 100

func withoutDefinitions(text string) string {
	var rest strings.Builder
	from := 0
	for _, at := range saidOfOne().FindAllStringIndex(text, -1) {
		before := text[max(from, at[0]-longestDefined):at[0]]
		named := namesOne().FindStringSubmatchIndex(before)
		start := at[0]
		switch {
		case named != nil:
			start -= len(before) - named[2]
		case !strings.HasPrefix(strings.ToLower(text[at[0]:]), "per "):
			continue
		}
		rest.WriteString(text[from:start] + erased)
		from = at[1]
	}
	return rest.String() + text[from:]
}

// unit is how the unit of a quantity is written.
const unit = `(?:metric )?(?:m?t ?co[2₂](?:eq?)?|m?t|tonnes?|tons?|credits?|units?|vcus?)`

// The words that make a number a quantity: its unit behind it, or what it is
// called before it, which is no unit of a number before that.
var (
	unitBehind = pattern(`(?i)^ ?\(?` + unit + `(?:[^\pL\pN]|$)`)
	nameBefore = pattern(`(?i)(?:^|[^\pL\pN])(?:quantity|amount|volume|tonnes|t ?co[2₂]eq?|credits|units|vcus)(?: retired| cancelled)?[ :=()]*$`)
	endsInUnit = pattern(`(?i)\d ?(?:tonnes|t ?co[2₂]eq?|credits|units|vcus)(?: retired| cancelled)?[ :=()]*$`)
)

// pattern compiles an expression when it is first used: most runs of the program
// use none, and all would wait for it.
func pattern(expression string) func() *regexp.Regexp {
	return sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(expression) })
}

// longestName is the most bytes before a number in which its name is looked for.
const longestName = 40

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
		case !wordNeeded, unitBehind().MatchString(behind), nameBefore().MatchString(named) && !endsInUnit().MatchString(named):
			return true
		}
		from = at
	}
}

func continues(before, number string) bool {
	head, marked := cutMark(before, strings.TrimSuffix)
	group := len(head) - len(strings.TrimRight(head, digitsOfNumbers))
	return marked && 1 <= group && group <= groupDigits && leadingDigits(number) == groupDigits
}

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

func cutMark(text string, trim func(text, mark string) string) (rest string, found bool) {
	for _, mark := range [...]string{" ", "’"} {
		if rest = trim(text, mark); len(rest) < len(text) {
			return rest, true
		}
	}
	return text, false
}

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
