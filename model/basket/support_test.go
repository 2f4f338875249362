package basket

import (
	"fmt"
	"slices"
	"strings"

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

// limits reads limits as String formats them.
func limits(t must.Test, texts ...string) (l Limits) {
	t.Helper()
	for _, text := range texts {
		must.Succeed(t, add(&l, text))
	}
	return l
}

func add(l *Limits, text string) error {
	switch kind, rest, _ := strings.Cut(text, " "); kind {
	case "cap":
		return l.AddCap(rest)
	case "floor":
		return l.AddFloor(rest)
	default:
		price, err := model.ParseDigits(rest)
		l.SetMaxPrice(model.PriceCents(price))
		return err
	}
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

func drawLimits(t *rapid.T) (l Limits) {
	share := rapid.OneOf(rapid.SampledFrom([]model.PerMille{200, 250, 400, 500, 600, 750, 1000}),
		rapid.Custom(func(t *rapid.T) model.PerMille { return model.PerMille(rapid.IntRange(1, 1000).Draw(t, "share")) }))
	may := func(what string) bool { return rapid.Bool().Draw(t, what) }
	if may("price limit") {
		l.SetMaxPrice(model.PriceCents(rapid.IntRange(1, 9).Draw(t, "max price")))
	}
	label, group := may("floor of a label"), may("cap per group")
	if may("cap per project") && !(label && group) {
		must.Succeed(t, l.add(Limit{Kind: ProjectCap, Share: share.Draw(t, "per project")}))
	}
	if group {
		kind := rapid.SampledFrom([]LimitKind{TypeCap, CountryCap}).Draw(t, "group")
		must.Succeed(t, l.add(Limit{Kind: kind, Share: share.Draw(t, "per group")}))
	}
	if label {
		must.Succeed(t, l.add(Limit{Kind: LabelFloor, Name: "CCP", Share: share.Draw(t, "floor")}))
		return l
	}
	left := whole
	for _, kind := range []string{"wind", "BIOCHAR", "Solar"} {
		if may("floor of "+kind) && left > 0 {
			floor := Limit{Kind: TypeFloor, Name: kind, Share: min(share.Draw(t, "floor"), left)}
			left -= floor.Share
			must.Succeed(t, l.add(floor))
		}
	}
	return l
}

// part is a number of tonnes of one order.
type part struct {
	entry
	of       listing
	labelled bool
	taken    int64
}

// keeps reports whether parts of orders keep every limit of so many tonnes, by the words of Limits. What is short may
// be of any part of the basket: a tonne of a floor that is not for sale is not replaced by another.
func keeps(l Limits, tonnes int64, parts []part) bool {
	free, reserved := int64(0), int64(0)
	for _, p := range parts {
		free += p.taken
	}
	if free == 0 {
		return true
	}
	for _, limit := range l.all {
		share := tonnes * int64(limit.Share)
		sums := make(map[string]int64)
		for _, p := range parts {
			group := map[LimitKind]string{
				ProjectCap: p.of.id, TypeCap: fold(p.of.kind), CountryCap: p.of.country, TypeFloor: fold(p.of.kind),
				LabelFloor: "ccp",
			}[limit.Kind]
			if limit.Kind != LabelFloor || p.labelled {
				sums[group] += p.taken
			}
			tooDear := limit.Kind == MaxPrice && p.taken > 0 && p.price > int64(limit.Price)
			if tooDear || limit.isCap() && sums[group] > share/1000 {
				return false
			}
		}
		if limit.isFloor() {
			least := (share + 999) / 1000
			free, reserved = free-min(sums[fold(limit.Name)], least), reserved+least
		}
	}
	return free <= tonnes-reserved
}

// bruteForce tries every way to buy up to so many tonnes. It returns the most that can be bought, and what that costs
// at least.
func bruteForce(listings []listing, l Limits, tonnes int64) (most, cost int64) {
	var all []part
	for _, of := range listings {
		for i, e := range slices.Concat(of.orders, of.labelled) {
			all = append(all, part{entry: e, of: of, labelled: i >= len(of.orders)})
		}
	}
	var try func(i int, sum, price int64)
	try = func(i int, sum, price int64) {
		if i == len(all) {
			if (sum > most || sum == most && price < cost) && keeps(l, tonnes, all) {
				most, cost = sum, price
			}
			return
		}
		for n := range min(all[i].tonnes, tonnes-sum) + 1 {
			all[i].taken = n
			try(i+1, sum+n, price+n*all[i].price)
		}
		all[i].taken = 0
	}
	try(0, 0, 0)
	return most, cost
}
