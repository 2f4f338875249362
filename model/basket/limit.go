package basket

import (
	"math"
	"slices"

	"tonne/model"
)

// Limit is one limit of a basket and what it does.
type Limit struct {
	Kind LimitKind
	// Type is the type that a floor is of.
	Type string
	// Price is the limit of MaxPrice, Share that of all others, and Tonnes what
	// it is in whole tonnes.
	Price  model.PriceCents
	Share  model.PerMille
	Tonnes int64
	// Binds says that without the limit, and with all others, the basket would
	// be cheaper, or would have more tonnes if it is short.
	Binds bool
	// Costs is how much cheaper it would be, in cents; 0 if it would have other
	// tonnes.
	Costs model.Cents
	// Fills is how many tonnes more it would have.
	Fills int64
	// At are the ids of the projects, or the names of types and countries, that
	// have as much as the limit lets them, in the order of the market.
	At []string
}

// LimitKind is what a limit is put on.
type LimitKind int8

// The kinds of limits.
const (
	MaxPrice LimitKind = iota
	ProjectCap
	TypeCap
	CountryCap
	TypeFloor
)

// String returns the limit as a person types it: "cap project=40%",
// "floor type:Biochar=10%", and the price in cents, "max-price 1000".
func (l Limit) String() string {
	switch l.Kind {
	case MaxPrice:
		return "max-price " + l.Price.String()
	case ProjectCap:
		return "cap project=" + percent(l.Share)
	case TypeCap:
		return "cap type=" + percent(l.Share)
	case CountryCap:
		return "cap country=" + percent(l.Share)
	}
	return "floor type:" + l.Type + "=" + percent(l.Share)
}

// lifted is a limit and the bounds without it.
type lifted struct {
	Limit
	without bounds
}

// lift returns each limit of the bounds with the bounds that are left without
// it.
func (b *Book) lift(l Limits, in bounds) (all []lifted) {
	if l.MaxPrice > 0 {
		without := in
		without.maxPrice = math.MaxInt64
		all = append(all, lifted{Limit{Kind: MaxPrice, Price: l.MaxPrice}, without})
	}
	if l.PerProject > 0 {
		without := in
		without.perProject = math.MaxInt64
		all = append(all, lifted{Limit{Kind: ProjectCap, Share: l.PerProject, Tonnes: in.perProject}, without})
	}
	if l.PerGroup > 0 {
		without := in
		without.perGroup, without.group = math.MaxInt64, &b.types
		kind := TypeCap
		if l.Group == ByCountry {
			kind = CountryCap
		}
		all = append(all, lifted{Limit{Kind: kind, Share: l.PerGroup, Tonnes: in.perGroup}, without})
	}
	for i, least := range in.floors {
		without := in
		without.floors = slices.Delete(slices.Clone(in.floors), i, i+1)
		without.reserved -= least.tonnes
		all = append(all, lifted{Limit{Kind: TypeFloor, Type: l.Floors[i].Type, Share: l.Floors[i].Share, Tonnes: least.tonnes}, without})
	}
	return all
}

// judge finds out what each limit does, by the basket that there would be
// without it.
func (b *Book) judge(l Limits, in bounds, f *filling, cost model.Cents) ([]Limit, error) {
	var limits []Limit
	for _, one := range b.lift(l, in) {
		other := b.fill(one.without)
		limit := one.Limit
		if limit.Fills = other.total - f.total; limit.Fills == 0 {
			otherCost, err := other.cost()
			if err != nil {
				return nil, err
			}
			limit.Costs = cost - otherCost
		}
		limit.Binds = limit.Fills > 0 || limit.Costs > 0
		limit.At = b.at(limit, f)
		limits = append(limits, limit)
	}
	return limits, nil
}

// at names what has as much as a limit lets it.
func (b *Book) at(l Limit, f *filling) (names []string) {
	if l.Kind == MaxPrice || l.Tonnes == 0 {
		return nil
	}
	parts, name := b.partsOf(l)
	sums := make(map[uint32]int64)
	for i, n := range f.taken {
		if n > 0 {
			sums[parts(f.offers[i].project)] += n
		}
	}
	for part, n := range sums {
		if n == l.Tonnes && part != elsewhere {
			names = append(names, name(part))
		}
	}
	slices.Sort(names)
	return names
}

// elsewhere is the part that a limit does not look at.
const elsewhere = math.MaxUint32

// partsOf returns what a limit counts, by project, and how that is called.
func (b *Book) partsOf(l Limit) (of func(project uint32) uint32, name func(part uint32) string) {
	in := func(g *groups) (func(uint32) uint32, func(uint32) string) {
		return func(project uint32) uint32 { return g.of[project] }, func(part uint32) string { return g.names[part] }
	}
	switch l.Kind {
	case ProjectCap:
		return func(project uint32) uint32 { return project }, func(part uint32) string { return b.market.Project(int(part)).ID }
	case CountryCap:
		return in(&b.countries)
	case TypeFloor:
		floored, _ := b.types.find(l.Type)
		return func(project uint32) uint32 {
			if b.types.of[project] != floored {
				return elsewhere
			}
			return floored
		}, func(uint32) string { return l.Type }
	}
	return in(&b.types)
}
