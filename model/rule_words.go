package model

import (
	"slices"
	"strings"
)

// plainRule leaves out words: "when the price is below 5 dollars" is "price below 5".
func plainRule(text string) string {
	text = strings.ToLower(text)
	for _, unit := range [...]string{" per tonne", " a tonne", " per t", "/tonne", "/t"} {
		text = strings.TrimSuffix(strings.TrimSpace(text), unit)
	}
	var words []string
	for _, word := range strings.Fields(text) {
		last := len(words) - 1
		switch {
		case slices.Contains([]string{"when", "if", "the"}, word) && last < 0:
		case slices.Contains([]string{"is", "goes", "gets"}, word) && last >= 0:
		case slices.Contains([]string{"$", "usd", "dollar", "dollars"}, word) && last >= 0 && endsInDigit(words[last]):
		case slices.Contains([]string{"percent", "per-cent", "pct"}, word) && last >= 0 && endsInDigit(words[last]):
			words[last] += "%"
		default:
			words = append(words, word)
		}
	}
	text = strings.Join(words, " ")
	if amount, ok := strings.CutSuffix(text, "$"); ok && endsInDigit(amount) {
		return amount
	}
	return text
}

func endsInDigit(text string) bool {
	return text != "" && '0' <= text[len(text)-1] && text[len(text)-1] <= '9'
}

// parseMoved reads how far a price moves, or where to: "below 5", "to 10".
func parseMoved(word string, measure Measure, text string) (r Rule, part string, err error) {
	compare, limit := cutComparison(text)
	if to, ok := cutWord(text, "to"); ok && word != "up" {
		compare, limit = AtLeast, to
		if measure == Drops {
			compare = AtMost
		}
	}
	if compare != "" && !strings.HasSuffix(limit, "%") {
		return parseAsk(compare, limit, "price")
	}
	return parseMove(measure, text)
}
