package market

import (
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
	query = strings.Join(askedBelow(skipWord(rest, "of")), " ")
	_, err = filter.Parse(query)
	return typed, query, err
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

// askedBelow writes "under $7" as filters do.
func askedBelow(words []string) []string {
	signs := map[string]string{"under": "<", "below": "<", "above": ">", "over": ">"}
	var said []string
	for i := 0; i < len(words); i++ {
		sign := signs[strings.ToLower(words[i])]
		if sign != "" && i+1 < len(words) {
			if _, err := model.ParseDollars(words[i+1]); err == nil {
				said = append(said, "ask"+sign+words[i+1])
				i++
				continue
			}
		}
		said = append(said, words[i])
	}
	return said
}
