package basket

import (
	"math"

	"tonne/model"
)

type bounds struct {
	tonnes int64
	// maxPrice, perProject and perGroup are the largest number there is where
	// nothing is limited.
	maxPrice, perProject, perGroup int64
	group                          *groups
	floors                         []floor
	reserved                       int64
	labelled                       bool
}

// floor is what a type has to have at least. One of a type that nobody sells
// is not known.
type floor struct {
	group  uint32
	known  bool
	tonnes int64
}

func (b *Book) boundsOf(l Limits, tonnes int64) bounds {
	in := bounds{tonnes: tonnes, maxPrice: math.MaxInt64, perProject: math.MaxInt64, perGroup: math.MaxInt64, group: &b.types}
	if l.MaxPrice > 0 {
		in.maxPrice = int64(l.MaxPrice)
	}
	if l.PerProject > 0 {
		in.perProject = shareOf(tonnes, l.PerProject, false)
	}
	if l.PerGroup > 0 {
		in.perGroup = shareOf(tonnes, l.PerGroup, false)
		if l.Group == ByCountry {
			in.group = &b.countries
		}
	}
	for _, f := range l.Floors {
		group, known := b.types.find(f.Type)
		least := shareOf(tonnes, f.Share, true)
		in.floors = append(in.floors, floor{group, known, least})
		in.reserved = addUpTo(in.reserved, least)
	}
	if l.Label.Share > 0 {
		in.labelled, in.reserved = true, shareOf(tonnes, l.Label.Share, true)
	}
	return in
}

type filling struct {
	offers []offer
	taken  []int64
	total  int64
	// beyond says that an order is taken whose price is beyond what is reckoned
	// with: there may be a cheaper filling, though none of more tonnes.
	beyond bool
	// group is the group of each project that is looked at, and these are what
	// there is room for yet.
	group                  []uint32
	projectRoom, groupRoom []int64
}

func (b *Book) newFilling(in bounds) *filling {
	f := &filling{
		offers: b.offers, taken: make([]int64, len(b.offers)), group: in.group.of,
		projectRoom: make([]int64, len(b.types.of)), groupRoom: make([]int64, len(in.group.names)),
	}
	for i := range f.projectRoom {
		f.projectRoom[i] = in.perProject
	}
	for i := range f.groupRoom {
		f.groupRoom[i] = in.perGroup
	}
	return f
}

// fill takes the most tonnes that the bounds allow, up to those that are asked
// for, and of all ways to do so one of the cheapest.
//
// Each order lies in one project, each project in one type, and each type in
// the whole: limits on such a tree leave room for a tonne wherever they leave
// room for it in each part that holds it, so that to take what is cheapest,
// tonne by tonne, is best. Floors come first, each from its own type: what they
// take is a part of what the type would give in the end. Only where countries
// are capped and types have floors, or where credits have to have a label, which
// vintages of one project may have or not, the limits form no tree.
func (b *Book) fill(in bounds) *filling {
	if in.reserved > in.tonnes {
		return b.newFilling(in)
	}
	if in.labelled || len(in.floors) > 0 && in.group == &b.countries {
		return b.fillAcross(in)
	}
	f := b.newFilling(in)
	f.takeFloors(in)
	f.takeCheapest(in.maxPrice, in.tonnes-in.reserved)
	return f
}

func (f *filling) takeFloors(in bounds) {
	if in.reserved == 0 {
		return
	}
	need, open := make([]int64, len(f.groupRoom)), int64(0)
	for _, least := range in.floors {
		if least.known {
			need[least.group] = least.tonnes
			open += least.tonnes
		}
	}
	for i := 0; i < len(f.offers) && f.offers[i].price <= in.maxPrice && open > 0; i++ {
		left := &need[f.group[f.offers[i].project]]
		if *left > 0 {
			n := f.take(i, *left)
			*left -= n
			open -= n
		}
	}
}

func (f *filling) takeCheapest(maxPrice, tonnes int64) {
	for i := 0; i < len(f.offers) && f.offers[i].price <= maxPrice && tonnes > 0; i++ {
		tonnes -= f.take(i, tonnes)
	}
}

func (f *filling) take(i int, tonnes int64) int64 {
	o := &f.offers[i]
	project, group := &f.projectRoom[o.project], &f.groupRoom[f.group[o.project]]
	n := min(tonnes, o.tonnes-f.taken[i], *project, *group)
	f.taken[i] += n
	*project -= n
	*group -= n
	f.total += n
	return n
}

func (f *filling) cost() (model.Cents, error) {
	var sum model.Cost
	for i, n := range f.taken {
		tonnes, err := model.WholeTonnes(n)
		if err != nil {
			return 0, err
		}
		// The sum over as many orders as fit in memory stays below 128 bits.
		cost, _ := model.CostOf(tonnes, model.PriceCents(f.offers[i].price))
		sum, _ = sum.Add(cost)
	}
	if f.beyond {
		return 0, model.ErrOverflow
	}
	return sum.Cents()
}
