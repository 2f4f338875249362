package basket

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"tonne/model"
	must "tonne/model/musttest"
	"tonne/model/texttest"
)

func TestBaskets(t *testing.T) {
	texttest.Run(t, "baskets", func(t *testing.T, text string) string {
		projects, requests, _ := strings.Cut(text, "\n\n")
		var listings []listing
		for line := range strings.Lines(projects) {
			if words := strings.Fields(line); len(words) > 1 {
				listings = append(listings, listingOf(words))
			}
		}
		b := book(listings...)
		return projects + "\n\n" + texttest.Answers(requests, func(request string) string { return describe(t, b, request) })
	})
}

func listingOf(words []string) listing {
	l := listing{id: words[0], kind: strings.Trim(words[1], "?"), country: strings.Trim(words[2], "?")}
	orders := &l.orders
	for _, word := range words[3:] {
		var e entry
		if _, err := fmt.Sscanf(word, "%d@%d", &e.tonnes, &e.price); err != nil {
			orders = &l.labelled
			continue
		}
		*orders = append(*orders, e)
	}
	return l
}

// describe says all that there is to say about a basket.
func describe(t *testing.T, b *Book, request string) string {
	t.Helper()
	var r Request
	words := Wording{
		Tonnes:  func(n int64) string { return model.FormatNumber(n) + " t" },
		Limit:   func(l Limit) string { return "<" + l.String() + ">" },
		Project: strings.ToUpper,
	}
	for i, part := range strings.Split(request, "; ") {
		switch {
		case part == "filtered":
			words.Filtered = true
		case part == "partial":
			words.Partial = true
		case part[0] == '$':
			r.Budget = must.Get(model.ParseMoney(part))
		case i == 0:
			r.Tonnes = must.Get(ParseTonnes(part, model.UnknownGrams))
		default:
			must.Succeed(t, add(&r.Limits, part))
		}
	}
	found, err := b.Buy(t.Context(), r)
	if err != nil {
		must.Fail(t, err, model.ErrOverflow)
		return err.Error()
	}
	words.Of = found
	var lines []string
	say := func(format string, values ...any) { lines = append(lines, fmt.Sprintf(format, values...)) }
	cost, average := found.Cost.FormatDollars(), found.Average().FormatDollars()
	say("%d t of %d t for %s, %s a tonne; %d t for sale", found.Tonnes, found.Asked, cost, average, found.ForSale)
	for i, line := range found.Lines {
		price, share := line.Order.Price.FormatDollars(), found.Shares()[i].FormatShare()
		say("%d t of %s of %s at %s: %s", line.Tonnes, line.Order.ID, line.Vintage.VintageID, price, share)
	}
	for _, l := range found.Limits {
		say("%s, %d t: costs %s, fills %d t at %q; %s %s", l, l.Tonnes, l.Costs.FormatDollars(), l.Fills, l.At, words.Does(l),
			words.At(l))
	}
	what, todo := b.NotFilled(r, found, words)
	lines = append(append(lines, what, todo.String()), b.Doubts(found)...)
	for i := range lines {
		lines[i] = strings.TrimSpace(lines[i])
	}
	return strings.Join(slices.DeleteFunc(lines, func(line string) bool { return line == "" }), "\n")
}

func TestSharesAreRoundedSoThatTheyAddUp(t *testing.T) {
	for _, c := range []struct {
		asked  int64
		tonnes []int64
		want   string
	}{
		{3, []int64{1, 1, 1}, "[+33.4% +33.3% +33.3%]"}, {700, []int64{400, 200, 100}, "[+57.1% +28.6% +14.3%]"},
		{6, []int64{4, 1, 1}, "[+66.7% +16.7% +16.6%]"},
		{6, []int64{4}, "[+66.7%]"}, {100_000, []int64{99_999, 1}, "[+100.0% 0.0%]"},
		{1 << 42, []int64{1 << 41, 1 << 41}, "[+50.0% +50.0%]"},
	} {
		b := Basket{Asked: c.asked}
		for _, n := range c.tonnes {
			b.Lines, b.Tonnes = append(b.Lines, Line{Tonnes: n}), b.Tonnes+n
		}
		must.Equal(t, fmt.Sprint(b.Shares()), c.want, c.tonnes, c.asked)
	}
}
