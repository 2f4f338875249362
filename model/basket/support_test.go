package basket

import (
	"context"
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"tonne/model"
	"tonne/model/market"
	must "tonne/model/musttest"
)

// listing is a project of a test with a vintage without labels, and one that is CCP-labelled.
type listing struct {
	id, kind, country string
	orders            []entry
	labelled          []entry
}

// entry is a sell order: whole tonnes at a price in cents.
type entry struct{ tonnes, price int64 }

// book returns the book of some projects. Orders are called o0, o1 and so on,
// in the order of the listings.
func book(listings ...listing) *Book {
	page, details, n := &market.Page{}, make(model.Projects), 0
	for _, l := range listings {
		details[l.id] = model.Project{ID: l.id, Type: l.kind, Country: l.country}
		page.AddProject(l.id)
		for year, orders := range [][]entry{l.orders, l.labelled} {
			page.AddVintage(fmt.Sprint(l.id, "-", 2020+year), 2020+year)
			for _, e := range orders {
				page.AddOrder(fmt.Sprintf("o%d", n), model.Grams(e.tonnes*model.GramsPerTonne), model.PriceCents(e.price))
				n++
			}
		}
	}
	b := NewBook(market.New(page), details, nil)
	b.Labels = func(key model.VintageKey) []string {
		if isLabelled(key) {
			return []string{"removal", "ccp"}
		}
		return nil
	}
	return b
}

func isLabelled(key model.VintageKey) bool { return strings.HasSuffix(key.VintageID, "-2021") }

func buy(t *testing.T, b *Book, r Request) Basket {
	t.Helper()
	return must.Get(b.Buy(context.Background(), r))
}

// limits reads caps and floors as people type them.
func limits(t *testing.T, caps []string, floors ...string) (l Limits) {
	t.Helper()
	for _, text := range caps {
		must.Succeed(t, l.AddCap(text))
	}
	for _, text := range floors {
		must.Succeed(t, l.AddFloor(text))
	}
	return l
}

type terms struct {
	MaxPrice             model.PriceCents
	PerProject, PerGroup model.PerMille
	byCountry            bool
	Floors               []floor
	Label                floor
}

type floor struct {
	Name  string
	Share model.PerMille
}

func (l terms) limits() (all Limits) {
	add := func(limit Limit) {
		if limit.Share > 0 {
			if err := all.add(limit); err != nil {
				panic(err)
			}
		}
	}
	all.SetMaxPrice(l.MaxPrice)
	add(Limit{Kind: ProjectCap, Share: l.PerProject})
	kind := TypeCap
	if l.byCountry {
		kind = CountryCap
	}
	add(Limit{Kind: kind, Share: l.PerGroup})
	for _, f := range l.Floors {
		add(Limit{Kind: TypeFloor, Name: f.Name, Share: f.Share})
	}
	add(Limit{Kind: LabelFloor, Name: l.Label.Name, Share: l.Label.Share})
	return all
}

func drawBook(t *rapid.T, projects, orders int, most int64) (*Book, []listing) {
	var listings []listing
	left := orders
	for p := range rapid.IntRange(1, projects).Draw(t, "projects") {
		l := listing{
			id:      fmt.Sprintf("p%d", p),
			kind:    rapid.SampledFrom([]string{"Wind", "Biochar", "REDD+"}).Draw(t, "type"),
			country: rapid.SampledFrom([]string{"KE", "BR", "IN"}).Draw(t, "country"),
		}
		for range rapid.IntRange(0, min(3, left)).Draw(t, "orders") {
			e := entry{rapid.Int64Range(1, most).Draw(t, "tonnes"), rapid.Int64Range(0, 9).Draw(t, "price")}
			if rapid.Bool().Draw(t, "labelled") {
				l.labelled = append(l.labelled, e)
			} else {
				l.orders = append(l.orders, e)
			}
		}
		left -= len(l.orders) + len(l.labelled)
		listings = append(listings, l)
	}
	return book(listings...), listings
}

func drawLimits(t *rapid.T) (l terms) {
	share := rapid.OneOf(rapid.SampledFrom([]model.PerMille{200, 250, 400, 500, 600, 750, 1000}),
		rapid.Custom(func(t *rapid.T) model.PerMille { return model.PerMille(rapid.IntRange(1, 1000).Draw(t, "share")) }))
	may := func(what string) bool { return rapid.Bool().Draw(t, what) }
	if may("price limit") {
		l.MaxPrice = model.PriceCents(rapid.IntRange(1, 9).Draw(t, "max price"))
	}
	if may("cap per project") {
		l.PerProject = share.Draw(t, "per project")
	}
	if may("cap per group") {
		l.PerGroup, l.byCountry = share.Draw(t, "per group"), rapid.Bool().Draw(t, "by country")
	}
	if may("floor of a label") {
		l.Label = floor{"CCP", share.Draw(t, "floor")}
		if l.PerGroup > 0 {
			l.PerProject = 0
		}
		return l
	}
	left := whole
	for _, kind := range []string{"wind", "BIOCHAR", "Solar"} {
		if may("floor of "+kind) && left > 0 {
			f := floor{kind, min(share.Draw(t, "floor"), left)}
			left -= f.Share
			l.Floors = append(l.Floors, f)
		}
	}
	return l
}

// best is the most tonnes that can be bought, and what they cost at least.
type best struct{ tonnes, cost int64 }

// bruteForce tries every way to buy up to so many tonnes, and returns the best.
// What is short may be of any part of the basket: a tonne of a floor that
// is not for sale is not replaced by another.
func bruteForce(listings []listing, l terms, tonnes int64) best {
	in := book(listings...).boundsOf(l.limits().all, tonnes)
	found := best{0, 0}
	if in.reserved > in.tonnes {
		return found
	}
	type choice struct {
		entry
		project  int
		labelled bool
	}
	var all []choice
	for p, l := range listings {
		for i, e := range slices.Concat(l.orders, l.labelled) {
			if e.price <= in.maxPrice {
				all = append(all, choice{e, p, i >= len(l.orders)})
			}
		}
	}
	taken := make([]int64, len(all))
	var try func(i int)
	try = func(i int) {
		if i < len(all) {
			for n := range all[i].tonnes + 1 {
				taken[i] = n
				try(i + 1)
			}
			taken[i] = 0
			return
		}
		now, projects, types, countries, labelled := best{}, map[int]int64{}, map[string]int64{}, map[string]int64{}, int64(0)
		for i, n := range taken {
			of := listings[all[i].project]
			now.tonnes, now.cost = now.tonnes+n, now.cost+n*all[i].price
			projects[all[i].project] += n
			types[fold(of.kind)] += n
			countries[of.country] += n
			if all[i].labelled {
				labelled += n
			}
		}
		if now.tonnes < found.tonnes || now.tonnes == found.tonnes && now.cost >= found.cost {
			return
		}
		free := now.tonnes
		for i, f := range l.Floors {
			free -= min(types[fold(f.Name)], in.least[i+1])
		}
		if l.Label.Share > 0 {
			free -= min(labelled, in.least[1])
		}
		groups := types
		if l.byCountry {
			groups = countries
		}
		perProject, perGroup := l.caps(tonnes)
		if free <= in.tonnes-in.reserved && within(projects, perProject) && within(groups, perGroup) {
			found = now
		}
	}
	found.cost = math.MaxInt64
	try(0)
	return found
}

func (l terms) caps(tonnes int64) (perProject, perGroup int64) {
	perProject, perGroup = math.MaxInt64, math.MaxInt64
	if l.PerProject > 0 {
		perProject = tonnes * int64(l.PerProject) / int64(whole)
	}
	if l.PerGroup > 0 {
		perGroup = tonnes * int64(l.PerGroup) / int64(whole)
	}
	return perProject, perGroup
}

func within[K comparable](sums map[K]int64, most int64) bool {
	for _, n := range sums {
		if n > most {
			return false
		}
	}
	return true
}
