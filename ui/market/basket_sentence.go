package market

import (
	"fmt"
	"sort"
	"strings"

	"tonne/model"
	"tonne/model/filter"
	"tonne/ui/effect"
	"tonne/ui/keymap"
	"tonne/ui/tab"
)

// basketExample is a basket as it is said.
const basketExample = "5,000 t of cookstoves under $7"

// basketSentence reads a basket that is said at once: "5,000 t of cookstoves under
// $7", or "$25k wind vintage>=2022". Behind how much stands a filter; without one
// it is over the rows that are shown.
func (t *Tab) basketSentence() *keymap.Sentence {
	return &keymap.Sentence{Word: "basket", Example: basketExample, Read: func(said string) (do func() effect.Effect, what, why string) {
		typed, query, err := readBasket(said)
		if err != nil {
			return nil, "", err.Error()
		}
		if why := t.notUnderstood(query); why != "" {
			return nil, "", why
		}
		asked, _ := typed.request()
		what = "the cheapest " + t.panes.basket.wants(asked) + " of what is shown"
		if query != "" {
			what = "the cheapest " + t.panes.basket.wants(asked) + " of " + tab.Typed(query)
		}
		return func() effect.Effect {
			narrowed := effect.Effect(nil)
			if query != "" {
				narrowed = t.filter.Hold(query)
			}
			return effect.Batch(narrowed, effect.Tell(typed))
		}, what, ""
	}}
}

// readBasket reads how much is wanted, and the filter behind it.
func readBasket(said string) (typed basketTexts, query string, err error) {
	words := strings.Fields(strings.ToValidUTF8(said, ""))
	much, rest := words[:min(1, len(words))], words[min(1, len(words)):]
	field := fieldTonnes
	if strings.HasPrefix(strings.Join(much, ""), "$") {
		field = fieldBudget
	}
	rest = skipWord(rest, "t", "tonne", "tonnes")
	typed[field] = strings.Join(much, "")
	if field == fieldTonnes {
		typed[field] = strings.TrimRight(strings.ToLower(typed[field]), "t")
	}
	if _, err := typed.request(); err != nil {
		return typed, "", err
	}
	rest = askedBelow(skipWord(rest, "of"))
	for _, word := range rest {
		if advice := notFilters[strings.ToLower(strings.TrimLeft(word, "0123456789."))]; advice != "" {
			return typed, "", fmt.Errorf("%q is not understood here: %s", word, advice)
		}
	}
	query = strings.Join(rest, " ")
	_, err = filter.Parse(query)
	return typed, query, err
}

// How limits and years are said in place of words that would be looked for.
const (
	limitAdvice = "e sets caps and floors once the basket is shown"
	yearAdvice  = "write a year like vintage>=2022"
)

// notFilters are words that people mean otherwise than a filter does, with what to
// do in place of them.
var notFilters = map[string]string{
	"or": "write wind|solar", "cents": "a price is in dollars, like under $0.07", "cent": "a price is in dollars, like under $0.07",
	"max": limitAdvice, "maximum": limitAdvice, "per": limitAdvice, "each": limitAdvice, "%": limitAdvice,
	"from": yearAdvice, "since": yearAdvice, "before": yearAdvice, "after": yearAdvice,
}

// notUnderstood quotes the word from which on no vintage is left, "" if there are
// vintages: who meant something else keeps the filter that is held.
func (t *Tab) notUnderstood(query string) string {
	words := strings.Fields(query)
	if n := len(words); n > 0 && signs[strings.ToLower(words[n-1])] != "" {
		// Its price is still to be typed.
		words = words[:n-1]
	}
	if t.view.Market.Market == nil || t.rows.Len() == 0 || t.leaves(words) {
		return ""
	}
	first := sort.Search(len(words), func(n int) bool { return !t.leaves(words[:n+1]) })
	return fmt.Sprintf("%q leaves no vintage: name a project, a type or a country, or write it as a filter", words[min(first, len(words)-1)])
}

// leaves reports whether a filter leaves any vintage. One that is cut within
// quotation marks does.
func (t *Tab) leaves(words []string) bool {
	expr, err := filter.Parse(strings.Join(words, " "))
	if err != nil || expr.Empty() {
		return true
	}
	for i := range t.rows.Len() {
		if row := t.rows.At(i).filtered(expr.Needs()); expr.Rank(&row) != filter.Out {
			return true
		}
	}
	return false
}

// skipWord leaves out the first word if it is one of these.
func skipWord(words []string, these ...string) []string {
	for _, word := range these {
		if len(words) > 0 && strings.EqualFold(words[0], word) {
			return words[1:]
		}
	}
	return words
}

// signs are the ways to compare a price as people say them.
var signs = map[string]string{
	"under": "<", "below": "<", "above": ">", "over": ">", "<": "<", "<=": "<=", ">": ">", ">=": ">=",
}

// askedBelow writes "under $7" and "< 7" as filters do, unless they stand behind
// the name of what is compared.
func askedBelow(words []string) []string {
	var said []string
	for i := 0; i < len(words); i++ {
		sign, amount := signs[strings.ToLower(words[i])], strings.TrimLeft(words[i], "<>=")
		behind := i
		switch {
		case sign != "" && i+1 < len(words):
			behind, amount = i+1, words[i+1]
		case sign == "":
			sign = signs[strings.TrimSuffix(words[i], amount)]
		}
		_, none := model.ParseDollars(amount)
		if sign != "" && none == nil && !(i > 0 && compares(words[i-1]+words[i]+strings.Join(words[i+1:behind+1], ""))) {
			said = append(said, "ask"+sign+amount)
			i = behind
			continue
		}
		said = append(said, words[i])
	}
	return said
}

// compares reports whether a text is a condition of a filter.
func compares(text string) bool {
	expr, err := filter.Parse(text)
	return err == nil && !expr.Words()
}
