package basket

import (
	"cmp"
	"slices"
	"strconv"
	"strings"

	"tonne/model"
)

// Wording is how those who tell of a basket write what they do not share.
type Wording struct {
	// Tonnes writes whole tonnes with their unit, Limit names a limit.
	Tonnes func(n int64) string
	Limit  func(l Limit) string
	// Of is the basket that is told of.
	Of Basket
	// Partial says that only a part of the market was read.
	Partial bool
	// Filtered says that a filter chose the vintages of the book.
	Filtered bool
}

// Does says what the limit does to the basket, as a phrase.
func (w Wording) Does(l Limit) string {
	switch {
	case l.Fills > 0:
		return "binds, " + w.Tonnes(l.Fills) + " more without it"
	case l.Binds:
		return "binds, " + l.Costs.FormatDollars() + " cheaper without it"
	case w.Of.Asked > 0 && w.Of.Tonnes == 0:
		return ""
	case w.Of.Short > 0 && (l.Kind == ProjectCap || l.Kind == TypeCap || l.Kind == CountryCap):
		// A share of what was asked for may be most of a basket that is short of it.
		return "leaves each " + w.Tonnes(l.Tonnes) + " of the " + w.Tonnes(w.Of.Asked) + " asked for, and does not bind"
	}
	return NotBinding
}

// NotBinding is what Does says of most limits that do nothing.
const NotBinding = "does not bind"

// NotFilled says what could not be filled and which limit is to blame, and what
// to do about it, both as phrases. They are empty if all was filled.
func (b *Book) NotFilled(r Request, found Basket, w Wording) (what, todo string) {
	sold := "for sale"
	if w.Partial || b.Unread > 0 {
		sold = "in what could be read"
	}
	switch {
	case b.Vintages == 0 && w.Filtered:
		return "no vintage is left by the filter", "let the filter pass more"
	case b.ForSale == 0 && r.Budget > 0:
		return "no whole tonne is " + sold, "look at other vintages"
	case found.Tonnes == 0 && found.Short == 0:
		return r.Budget.FormatDollars() + " pay for no basket within the limits", "give more money, or loosen a limit"
	case found.Short == 0:
		return "", ""
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
		return what + strings.Join(blamed, ", "), b.looser(r)
	case len(found.Limits) > 0 && b.ForSale > found.Tonnes:
		return what + "the limits leave no more together, though none of them alone is to blame", "loosen more than one of the limits"
	case w.Filtered:
		return what + "of what the filter lets pass only " + w.Tonnes(found.Tonnes) + " are " + sold, "ask for less, or let the filter pass more"
	}
	return what + "only " + w.Tonnes(found.Tonnes) + " are " + sold, "ask for less"
}

func (b *Book) looser(r Request) string {
	if label := r.Label.Label; label != "" && !slices.Contains(b.label(label).labelled, true) {
		return "nothing for sale is known to have the label " + label + "; `tonne attributes` keeps labels"
	}
	types := b.Types()
	for _, f := range r.Floors {
		known := slices.ContainsFunc(types, func(name string) bool { return strings.EqualFold(name, f.Type) })
		if !known && len(types) > 0 {
			return "nobody sells the type " + f.Type + "; there are: " + strings.Join(types, ", ")
		}
	}
	return "loosen the limit, or ask for less"
}

// Doubts says what a basket leaves out, or cannot judge, as phrases.
func (b *Book) Doubts(r Request, found Basket) (doubts []string) {
	if b.Unread > 0 {
		doubts = append(doubts, "sell orders that could not be read and are left out: "+strconv.Itoa(b.Unread))
	}
	if n := b.ungrouped(r, found); n > 0 {
		doubts = append(doubts, "projects in the basket whose "+r.Group.String()+" is not known, which count as one: "+strconv.Itoa(n))
	}
	if n := b.untyped(r); n > 0 {
		doubts = append(doubts, "projects for sale whose type is not known, which count for no floor: "+strconv.Itoa(n))
	}
	if share := found.largest(r); share > 0 {
		doubts = append(doubts, "shares are of the "+model.FormatNumber(found.Asked)+" t asked for: of the "+model.FormatNumber(found.Tonnes)+" t in the basket one project has "+ShareText(share))
	}
	return doubts
}

func (b Basket) largest(r Request) model.PerMille {
	if b.Short == 0 || b.Tonnes == 0 || r.PerProject == 0 && r.PerGroup == 0 {
		return 0
	}
	sums := make(map[string]int64)
	var most int64
	for _, line := range b.Lines {
		sums[line.Vintage.ProjectID] += line.Tonnes
		most = max(most, sums[line.Vintage.ProjectID])
	}
	return roundedShare(most, b.Tonnes)
}

func (b *Book) untyped(r Request) int {
	unknown := make(map[uint32]bool)
	for i := 0; len(r.Floors) > 0 && i < len(b.offers); i++ {
		o := &b.offers[i]
		if r.MaxPrice > 0 && o.price > int64(r.MaxPrice) {
			break
		}
		if b.types.name(o.project) == "" {
			unknown[o.project] = true
		}
	}
	return len(unknown)
}

func (b *Book) ungrouped(r Request, found Basket) int {
	groups := &b.types
	if r.Group == ByCountry {
		groups = &b.countries
	}
	unknown := make(map[uint32]bool)
	for _, line := range found.Lines {
		if i, ok := b.market.Find(line.Vintage); ok && r.PerGroup > 0 {
			project := b.market.Vintage(i).Project
			if groups.name(project) == "" {
				unknown[project] = true
			}
		}
	}
	return len(unknown)
}

// Projects returns how many projects are in the basket.
func (b Basket) Projects() int {
	ids := make(map[string]bool)
	for _, line := range b.Lines {
		ids[line.Vintage.ProjectID] = true
	}
	return len(ids)
}

// Shares returns the share of each line of the requested tonnes. They add up: those that
// lose most by rounding down are rounded up.
func (b Basket) Shares() []model.PerMille {
	shares, rest := make([]model.PerMille, len(b.Lines)), make([]int64, len(b.Lines))
	if b.Asked == 0 {
		return shares
	}
	left := roundedShare(b.Tonnes, b.Asked)
	lines := make([]int, len(b.Lines))
	for i, l := range b.Lines {
		shares[i], rest[i], lines[i] = model.PerMille(l.Tonnes*int64(whole)/b.Asked), l.Tonnes*int64(whole)%b.Asked, i
		left -= shares[i]
	}
	slices.SortStableFunc(lines, func(a, b int) int { return cmp.Compare(rest[b], rest[a]) })
	for _, i := range lines[:max(0, min(int(left), len(lines)))] {
		shares[i]++
	}
	return shares
}

func roundedShare(tonnes, of int64) model.PerMille {
	share, rest := tonnes*int64(whole)/of, tonnes*int64(whole)%of
	if rest >= of-rest {
		share++
	}
	return model.PerMille(share)
}

// ShareText writes a share in per cent with one decimal and no sign.
func ShareText(share model.PerMille) string { return strings.TrimPrefix(share.String(), "+") }
