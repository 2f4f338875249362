package model

import (
	"regexp"
	"slices"
	"strings"
	"time"
	"unicode"
	"unicode/utf8"
)

// The names under which certificates print what is compared, and those of other
// fields, where a value ends.
var (
	beneficiaryLabel = pattern(`(?i)^(?:retirement )?(?:beneficiar(?:y|ies)(?: name)?|retiree)(?: *: *| +|$)`)
	quantityLabel    = pattern(`(?i)^(?:total )?quantity(?: retired| cancelled)?(?: ?\([^)]*\))?[ :=]+(\d)`)
	retiredLabel     = pattern(`(?i)\b(?:(?:retired|cancelled|canceled) (?:at|on)|(?:retirement|cancellation) date|date of (?:retirement|cancellation))[ :]*$`)
	anyLabel         = pattern(`(?i)^(?:beneficiar|retiree|quantity|retired|requested|request|retirement|credits|project|type|country|vintage|registry|serial|tax id|date|calls that)\b|^\pL[\pL ]{0,30}:`)
	taxIDLabel       = pattern(`(?i)\btax id[ :]+`)
	countryMark      = pattern(`(?m)(?:·|\b[Bb]eneficiary country:?)\s([A-Z]{2})(?:\s·|\s*$)`)
	serialMark       = pattern(`\d+-\d+-\d+-vcs-vcu-\d|gs1-\d+-[a-z]{2}-gs\d+-|acr-[a-z]{2}-\d+-\d{4}-|car-\w+-[a-z]{2}-\d+-|art-[a-z]{2}-\d+-\d{4}-|puro_pr_`)
	wholeDay         = pattern(`\d{4}`)
)

// labelled is the value that stands behind a label. Closed says that another
// label follows, so that all of it is known; its line breaks are kept.
type labelled struct {
	value  string
	closed bool
	// rest is what stands behind it.
	rest string
}

// field returns the values of a label that begins a line. One that goes on in
// small letters is no label but the beginning of a sentence.
func field(lines []string, label *regexp.Regexp) (found []labelled) {
	for n, line := range lines {
		at := label.FindStringIndex(strings.TrimSpace(line))
		if at == nil {
			continue
		}
		line = strings.TrimSpace(line)
		first, _ := utf8.DecodeRuneInString(line[at[1]:])
		if unicode.IsLower(first) && !strings.Contains(line[:at[1]], ":") && !strings.HasPrefix(line[at[1]:], notNamed) {
			continue
		}
		f, value := labelled{}, []string{line[at[1]:]}
		for i, next := range lines[n+1:] {
			if next = strings.TrimSpace(next); next == "" || anyLabel().MatchString(next) {
				f.closed = next != ""
				f.rest = strings.Join(lines[n+1+i:min(len(lines), n+1+i+mostLines)], "\n")
				break
			}
			value = append(value, next)
		}
		f.value = strings.TrimSpace(strings.Join(value, "\n"))
		found = append(found, f)
	}
	return found
}

// mostLines is how many lines of what stands behind a value may still be of it.
const mostLines = 5

// notNamed is what a certificate of ours says where nobody is named.
const notNamed = "not named"

func namesIn(names []string, lines []string, bare bareText, free string) (is presence, lacks string) {
	fields := field(lines, beneficiaryLabel())
	is = present
	for _, name := range names {
		at := nameIn(name, fields, bare, free, names)
		if at < is {
			is, lacks = at, name
		}
	}
	if is == present && len(fields) > 0 && !onlyNames(names, fields) {
		is, lacks = doubtful, strings.Join(names, ", ")+" alone"
	}
	return is, lacks
}

func nameIn(name string, fields []labelled, bare bareText, free string, names []string) presence {
	form := withoutBlanks(name)
	whole, inside, closed := false, false, len(fields) > 0
	for _, f := range fields {
		value := newBareText(f.value)
		for at := range value.occurrences(form) {
			whole = whole || value.ends(at) && value.ends(at+len(form))
		}
		closed = closed && f.closed
		inside = inside || !f.closed && value.saysName(form) || f.goesOnWith(form, value)
	}
	switch {
	case whole:
		return present
	case len(fields) == 0 && standsAlone(newBareText(free), form, names):
		return present
	case inside:
		return doubtful
	case closed || !bare.saysName(form):
		return absent
	}
	return doubtful
}

// goesOnWith reports whether a name begins in the value of a label and ends behind
// it: a line of the name may begin like a label.
func (l labelled) goesOnWith(form string, value bareText) bool {
	all := newBareText(l.value + "\n" + l.rest)
	for at := range all.occurrences(form) {
		if at < len(value.text) && at+len(form) > len(value.text) && value.ends(at) {
			return true
		}
	}
	return false
}

func onlyNames(names []string, fields []labelled) bool {
	sorted := slices.SortedFunc(slices.Values(names), func(a, b string) int { return len(b) - len(a) })
	for _, f := range fields {
		rest := withoutBlanks(f.value)
		for _, name := range sorted {
			rest = strings.ReplaceAll(rest, withoutBlanks(name), "")
		}
		if strings.Trim(rest, separators) != "" {
			return false
		}
	}
	return true
}

// separators stand between the names of a list.
const separators = ",;|·/\"“”()."

func (b bareText) ends(at int) bool {
	if at == 0 || at == len(b.text) {
		return true
	}
	before, _ := utf8.DecodeLastRuneInString(b.text[:at])
	behind, _ := utf8.DecodeRuneInString(b.text[at:])
	return strings.ContainsRune(separators, before) || strings.ContainsRune(separators, behind)
}

func (b bareText) occurrences(form string) func(yield func(int) bool) {
	return func(yield func(int) bool) {
		for from := 0; form != "" && from <= len(b.text); {
			at := strings.Index(b.text[from:], form)
			if at < 0 || !yield(from+at) {
				return
			}
			from += at + 1
		}
	}
}

// What may stand around a name that no label leads to.
var (
	leadsToName = pattern(`(?i)(?:^|[|:;,()·"“]|[|] for|\b(?:retired|retirement|cancelled|canceled) (?:for|by)|on behalf of|in the name of|in favou?r of|for the benefit of)\s*$`)
	followsName = pattern(`(?i)^(?:\s*(?:$|[|;,()·"”.])|['’]s\b|\s+(?:on|dated|has|have|was|were|retired|cancelled)\b)`)
	anyQuantity = pattern(`(?i)\d[\d.,’']* ?` + unit + `\b`)
)

// standsAlone reports whether a text has a name that is no part of a longer one:
// what stands around it is known to be something else.
func standsAlone(b bareText, form string, names []string) bool {
	for at := range b.occurrences(form) {
		if b.inWord(at) || b.inWord(at+len(form)) {
			continue
		}
		last := b.at[at+len(form)-1]
		_, size := utf8.DecodeRuneInString(b.words[last:])
		before, behind := b.words[:b.at[at]], b.words[last+size:]
		if (leadsToName().MatchString(before) || endsInName(before, names)) && (followsName().MatchString(behind) || beginsWithName(behind, names)) {
			return true
		}
	}
	return false
}

func endsInName(text string, names []string) bool {
	return slices.ContainsFunc(names, func(n string) bool { return strings.HasSuffix(withoutBlanks(text), withoutBlanks(n)) })
}

func beginsWithName(text string, names []string) bool {
	return slices.ContainsFunc(names, func(n string) bool { return strings.HasPrefix(withoutBlanks(text), withoutBlanks(n)) })
}

func dayIn(at time.Time, bare bareText, serials []string) presence {
	free := bare.without(serials)
	var labels, same bool
	others := free
	for _, d := range slices.Backward(dateForms().FindAllStringIndex(free, -1)) {
		if !wholeDay().MatchString(free[d[0]:d[1]]) {
			continue
		}
		is := saysDay(newBareText(free[d[0]:d[1]]), at)
		if retiredLabel().MatchString(free[max(0, d[0]-longestName):d[0]]) {
			labels, same = true, same || is
		}
		if is {
			others = others[:d[0]] + erased + others[d[1]:]
		}
	}
	another := slices.ContainsFunc(dateForms().FindAllString(others, -1), wholeDay().MatchString)
	switch {
	case labels && same:
		return present
	case labels, !saysDay(bare, at):
		return absent
	case another:
		return doubtful
	}
	return present
}

func labelledQuantity(r Retirement, lines []string) (same, labels bool) {
	for _, line := range lines {
		line = strings.TrimSpace(line)
		at := quantityLabel().FindStringSubmatchIndex(line)
		if at == nil {
			continue
		}
		value := line[at[2]:]
		number := strings.TrimLeft(value, digitsOfNumbers+".,’' ")
		if number != "" && !unitBehind().MatchString(number) && !strings.HasPrefix(number, "(") {
			continue
		}
		labels = true
		same = same || slices.ContainsFunc(quantityForms(r.TotalQuantity), func(form string) bool {
			return indexNumber(value, form, 0) == 0 && !goesOn(form, value[len(form):])
		})
	}
	return same, labels
}

func lacksTaxID(r Retirement, bare bareText) (lacks string, labels bool) {
	if !taxIDLabel().MatchString(bare.words) {
		return "", false
	}
	for _, item := range r.Items {
		form := withoutBlanks(item.RetireeTaxID)
		found := form == ""
		for at := range bare.occurrences(form) {
			found = found || !bare.inToken(at) && !bare.inToken(at+len(form))
		}
		if !found {
			return MaskTaxID(item.RetireeTaxID), true
		}
		labels = labels || form != ""
	}
	return "", labels
}

// inToken reports whether letters or digits meet at a place, in any order.
func (b bareText) inToken(at int) bool {
	if at == 0 || at == len(b.text) || b.spaced(at) {
		return false
	}
	before, _ := utf8.DecodeLastRuneInString(b.text[:at])
	behind, _ := utf8.DecodeRuneInString(b.text[at:])
	word := func(r rune) bool { return unicode.IsLetter(r) || unicode.IsDigit(r) }
	return word(before) && word(behind)
}

func lacksCountry(r Retirement, lines []string) (lacks string, labels bool) {
	var printed []string
	for _, m := range countryMark().FindAllStringSubmatch(strings.Join(lines, "\n"), -1) {
		printed = append(printed, m[1])
	}
	for _, item := range r.Items {
		if item.RetireeCountry == "" || len(printed) == 0 {
			continue
		}
		if labels = true; !slices.Contains(printed, item.RetireeCountry) {
			return item.RetireeCountry, true
		}
	}
	return "", labels
}
