package basket

import (
	"context"
	"slices"

	"tonne/model"
)

// Limit is one limit of a basket and what it does.
type Limit struct {
	Kind LimitKind
	// Type is the type that a floor is of, or the label.
	Type string
	// Price is the limit of MaxPrice, Share that of all others, Tonnes what it amounts to.
	Price  model.PriceCents
	Share  model.PerMille
	Tonnes int64
	// Binds says that without this limit alone the basket would be cheaper or fuller.
	Binds bool
	// Costs is how much cheaper it would be, 0 if it would have other tonnes.
	Costs model.Cents
	// Fills is how many tonnes more it would have.
	Fills int64
	// At are the ids of projects, or the types or countries, that reach the limit.
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
	LabelledFloor
)

// String returns the limit as it is typed: "cap project=40%", "max-price 1000".
func (l Limit) String() string {
	switch l.Kind {
	case MaxPrice:
		return "max-price " + l.Price.String()
	case ProjectCap:
		return "cap project=" + Percent(l.Share)
	case TypeCap:
		return "cap type=" + Percent(l.Share)
	case CountryCap:
		return "cap country=" + Percent(l.Share)
	case LabelledFloor:
		return "floor label:" + l.Type + "=" + Percent(l.Share)
	}
	return "floor type:" + l.Type + "=" + Percent(l.Share)
}

type lifted struct {
	Limit
	without Limits
}

func (l Limits) lift(in bounds) (all []lifted) {
	add := func(limit Limit, lift func(l *Limits)) {
		without := l
		lift(&without)
		all = append(all, lifted{limit, without})
	}
	if l.MaxPrice > 0 {
		add(Limit{Kind: MaxPrice, Price: l.MaxPrice}, func(l *Limits) { l.MaxPrice = 0 })
	}
	if l.PerProject > 0 {
		add(Limit{Kind: ProjectCap, Share: l.PerProject, Tonnes: in.perProject}, func(l *Limits) { l.PerProject = 0 })
	}
	if l.PerGroup > 0 {
		kind := TypeCap
		if l.Group == ByCountry {
			kind = CountryCap
		}
		add(Limit{Kind: kind, Share: l.PerGroup, Tonnes: in.perGroup}, func(l *Limits) { l.PerGroup, l.Group = 0, ByType })
	}
	for i, f := range l.Floors {
		add(Limit{Kind: TypeFloor, Type: f.Type, Share: f.Share, Tonnes: in.floors[i].tonnes}, func(l *Limits) {
			l.Floors = slices.Delete(slices.Clone(l.Floors), i, i+1)
		})
	}
	if l.Label.Share > 0 {
		limit := Limit{Kind: LabelledFloor, Type: l.Label.Label, Share: l.Label.Share, Tonnes: in.reserved}
		add(limit, func(l *Limits) { l.Label = LabelFloor{} })
	}
	return all
}

func (b *Book) judge(ctx context.Context, r Request, in bounds, f *filling, cost model.Cents) ([]Limit, error) {
	var limits []Limit
	for _, one := range r.lift(in) {
		other := b.fill(b.boundsOf(one.without, in.tonnes))
		limit := one.Limit
		if limit.Fills = other.total - f.total; r.Budget > 0 {
			tonnes, err := b.affordable(ctx, one.without, r.Budget)
			if err != nil {
				return nil, err
			}
			limit.Fills = tonnes - f.total
		}
		if limit.Fills == 0 {
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

func (b *Book) at(l Limit, f *filling) (names []string) {
	if l.Kind == MaxPrice || l.Kind == LabelledFloor || l.Tonnes == 0 {
		return nil
	}
	sums := make(map[string]int64)
	for i, n := range f.taken {
		if n > 0 {
			sums[b.partOf(l.Kind, f.offers[i].project)] += n
		}
	}
	if l.Kind == TypeFloor {
		group, known := b.types.find(l.Type)
		if known && sums[b.types.names[group]] == l.Tonnes {
			names = []string{l.Type}
		}
		return names
	}
	for name, n := range sums {
		if n == l.Tonnes {
			names = append(names, name)
		}
	}
	slices.Sort(names)
	return names
}

func (b *Book) partOf(kind LimitKind, project uint32) string {
	switch kind {
	case ProjectCap:
		return b.market.Project(int(project)).ID
	case CountryCap:
		return b.countries.name(project)
	}
	return b.types.name(project)
}
