package basket

import (
	"math"

	"tonne/model"
)

type bounds struct {
	tonnes int64
	// These are the largest number if they limit nothing.
	maxPrice, perProject, perGroup int64
	group                          *groups
	floors                         []floor
	reserved                       int64
	labelled                       bool
}

// floor is the least tonnes of a type, which is not known if nobody sells it.
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
	// beyond says that an absurd price is taken: there may be a cheaper filling.
	beyond bool
	// group is the group of each project; the others are what there is room for.
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

// fill takes the most tonnes that the bounds allow, in one of the cheapest ways.
//
// Orders, projects, types and the whole form a tree. Limits on a tree leave room for a
// tonne wherever each part that holds it has room, so taking the cheapest, tonne by tonne,
// is best. Floors come first, each from its own type. Countries that are capped and types
// with floors form no tree, nor does a label, which vintages of one project may have or
// not.
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
