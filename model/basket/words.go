package basket

import (
	"cmp"
	"slices"
	"strconv"
	"strings"

	"tonne/model"
	"tonne/model/advice"
)

// Wording has the formats of a caller for describing a basket.
type Wording struct {
	// Tonnes formats whole tonnes with their unit, Limit a limit, and Project a project.
	Tonnes  func(n int64) string
	Limit   func(l Limit) string
	Project func(id string) string
	// Of is the basket to describe.
	Of Basket
	// Partial reports that only a part of the market was read.
	Partial bool
	// Filtered reports that a filter chose the vintages of the book.
	Filtered bool
}

// Does describes the effect of a limit on the basket, as a phrase.
func (w Wording) Does(l Limit) string {
	switch {
	case l.Fills > 0:
		return "binds, " + w.Tonnes(l.Fills) + " more without it"
	case l.Binds:
		return "binds, " + l.Costs.FormatDollars() + " cheaper without it"
	case w.Of.Asked > 0 && w.Of.Tonnes == 0:
		return ""
	case w.Of.Short > 0 && l.isCap():
		// The cap is a share of the request, and may be most of a smaller basket.
		return "leaves each " + w.Tonnes(l.Tonnes) + " of the " + w.Tonnes(w.Of.Asked) + " asked for, and does not bind"
	}
	return NotBinding
}

// At names the parts of the basket that reach a binding limit.
func (w Wording) At(l Limit) string {
	if !l.Binds || len(l.At) == 0 {
		return ""
	}
	name := l.At[0]
	if l.Kind == ProjectCap {
		name = w.Project(name)
	}
	if more := len(l.At) - 1; more > 0 {
		name += " and " + model.FormatNumber(int64(more)) + " more"
	}
	return name
}

// NotBinding is the text of Does for a limit without an effect.
const NotBinding = "does not bind"

// NotFilled returns what is missing with its cause, and advice. Both are empty for a full basket.
func (b *Book) NotFilled(r Request, found Basket, w Wording) (what string, todo advice.Text) {
	sold := "for sale"
	if w.Partial || b.Unread > 0 {
		sold = "in what could be read"
	}
	switch {
	case b.Vintages == 0 && w.Filtered:
		return "no vintage is left by the filter", advice.Plain("let the filter pass more")
	case b.ForSale == 0 && r.Budget > 0:
		return "no whole tonne is " + sold, advice.Plain("look at other vintages")
	case found.Tonnes == 0 && found.Short == 0:
		return r.Budget.FormatDollars() + " pay for no basket within the limits",
			advice.Plain("give more money, or loosen a limit")
	case found.Short == 0:
		return "", advice.Text{}
	}
	what = w.Tonnes(found.Short) + " of " + w.Tonnes(found.Asked) + " cannot be filled: "
	var blamed []string
	for _, l := range found.Limits {
		if l.Fills > 0 {
			blamed = append(blamed, "without "+w.Limit(l)+" there would be "+w.Tonnes(l.Fills)+" more")
		}
	}
	switch {
	case len(blamed) > 0:
		return what + strings.Join(blamed, ", "), b.loosen(r)
	case len(found.Limits) > 0 && b.ForSale > found.Tonnes:
		return what + "the limits leave no more together, though none of them alone is to blame",
			advice.Plain("loosen more than one of the limits")
	case w.Filtered:
		return what + "of what the filter lets pass only " + w.Tonnes(found.Tonnes) + " are " + sold,
			advice.Plain("ask for less, or let the filter pass more")
	}
	return what + "only " + w.Tonnes(found.Tonnes) + " are " + sold, advice.Plain("ask for less")
}

func (b *Book) loosen(r Request) advice.Text {
	if label := r.Limits.Label(); label != "" && !slices.Contains(b.label(label).labelled, true) {
		return advice.Format("nothing for sale is known to have the label %s; %s keeps labels", label,
			advice.Tonne("attributes"))
	}
	types := b.typesForSale()
	for _, l := range r.Limits.all {
		known := slices.ContainsFunc(types, func(name string) bool { return strings.EqualFold(name, l.Name) })
		if l.Kind == TypeFloor && !known && len(types) > 0 {
			return advice.Plain("not for sale: the type " + l.Name + "; there are: " + strings.Join(types, ", "))
		}
	}
	return advice.Plain("loosen the limit, or ask for less")
}

// Doubts returns phrases about data that a basket omits or cannot classify.
func (b *Book) Doubts(found Basket) (doubts []string) {
	add := func(what string, n int) {
		if n > 0 {
			doubts = append(doubts, what+": "+strconv.Itoa(n))
		}
	}
	add("sell orders that could not be read and are left out", b.Unread)
	maxPrice := b.boundsOf(found.Limits, 0).maxPrice
	var sold, bought []uint32
	for _, o := range b.offers {
		if o.price <= maxPrice {
			sold = append(sold, o.project)
		}
	}
	for _, line := range found.Lines {
		bought = append(bought, line.project)
	}
	floors := 0
	for _, l := range found.Limits {
		switch l.Kind {
		case TypeCap:
			add("projects in the basket whose type is not known, which count as one", b.types.countUnknown(bought))
		case CountryCap:
			add("projects in the basket whose country is not known, which count as one", b.countries.countUnknown(bought))
		case TypeFloor:
			floors = b.types.countUnknown(sold)
		}
	}
	add("projects for sale whose type is not known, which count for no floor", floors)
	return doubts
}

func (g *groups) countUnknown(projects []uint32) int {
	unknown := make(map[uint32]bool)
	for _, project := range projects {
		if g.name(project) == "" {
			unknown[project] = true
		}
	}
	return len(unknown)
}

// Projects returns the number of projects in the basket.
func (b Basket) Projects() int {
	ids := make(map[string]bool)
	for _, line := range b.Lines {
		ids[line.Vintage.ProjectID] = true
	}
	return len(ids)
}

// Shares returns the share of each line, rounded so that the sum is right (largest remainder method).
func (b Basket) Shares() []model.PerMille {
	shares, rest := make([]model.PerMille, len(b.Lines)), make([]int64, len(b.Lines))
	if b.Asked == 0 {
		return shares
	}
	left := rounded(b.Tonnes*int64(whole), b.Asked)
	lines := make([]int, len(b.Lines))
	for i, l := range b.Lines {
		shares[i], rest[i], lines[i] = model.PerMille(l.Tonnes*int64(whole)/b.Asked), l.Tonnes*int64(whole)%b.Asked, i
		left -= int64(shares[i])
	}
	slices.SortStableFunc(lines, func(a, b int) int { return cmp.Compare(rest[b], rest[a]) })
	for _, i := range lines[:max(0, min(int(left), len(lines)))] {
		shares[i]++
	}
	return shares
}

// rounded returns part / of, rounded half up.
func rounded(part, of int64) int64 {
	quotient, rest := part/of, part%of
	if rest >= of-rest {
		quotient++
	}
	return quotient
}
