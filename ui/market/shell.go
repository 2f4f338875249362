package market

import (
	"slices"
	"strconv"
	"strings"
	"time"

	"tonne/model"
	"tonne/ui/tab"
)

// Shell returns the command that prints the quote, the basket or the comparison, or else the vintages, of the
// recorded time if there is one.
func (t *Tab) Shell() tab.Shell {
	s := screen{t}.command()
	switch {
	case !t.recorded() || s.Words[0] == "project":
	case slices.Contains(s.Words, "--grams"):
		s.Without = append(s.Without, "the recorded time")
	default:
		s.Add("--at", t.view.Recorded.At.UTC().Format(time.RFC3339Nano))
	}
	return s
}

// screen is the tab with the commands that print what is on it.
type screen struct{ *Tab }

func (t screen) command() tab.Shell {
	p := &t.panes
	var s tab.Shell
	switch {
	case p.shown == pane(p.quote) && t.list.selected():
		return t.quote()
	case p.onCompare():
		s.Add("compare")
		for _, key := range p.compare.marked {
			s.Add(key.VintageID)
		}
		return s
	case p.onBasket():
		s.Add("basket")
		s.Add(p.basket.typed.flags()...)
		if query := strings.TrimSpace(t.list.filter.Query()); query != "" {
			s.Add("--filter", query)
		}
	case p.shown == pane(p.project) && t.list.selected():
		s.Add("project", t.subject().projectID())
		return s
	default:
		s = tab.ListCommand("market", t.list.table, t.list.filter.Query())
	}
	if t.list.only {
		s.Without = append(s.Without, tab.WatchedOnly)
	}
	return s
}

func (t screen) quote() (s tab.Shell) {
	key, order := t.subject().key(), t.panes.quote.order
	s.Add("quote", "--project", key.ProjectID, "--vintage", key.VintageID)
	if order.retire {
		s.Add("--grams", order.quantity.String())
	} else {
		s.Add("--tonnes", strconv.FormatInt(order.quantity.Tonnes(), 10))
	}
	return s
}

// flags returns the flags of the command for a valid request.
func (b basketTexts) flags() (words []string) {
	r, _, err := b.request(model.UnknownGrams)
	if err != nil {
		return nil
	}
	if r.Tonnes > 0 {
		words = append(words, "--tonnes", strconv.FormatInt(r.Tonnes, 10))
	} else {
		words = append(words, "--budget", r.Budget.FormatDollars())
	}
	if text := strings.TrimSpace(b[fieldPrice]); text != "" {
		price, _ := amount(text, "")
		words = append(words, "--max-price", price.FormatDollars())
	}
	for i, of := range []string{"project", "type", "country"} {
		if text := strings.TrimSpace(b[fieldProject+i]); text != "" {
			words = append(words, "--cap", of+"="+percent(text))
		}
	}
	for _, floor := range b.floors() {
		words = append(words, "--floor", floor)
	}
	return words
}
