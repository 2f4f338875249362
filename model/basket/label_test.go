package basket

import (
	"context"
	"fmt"
	"math"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"tonne/model"
	"tonne/model/market"
)

// lot is a sell order of a test: that of the vintage of its project which has the
// label, or of the other.
type lot struct {
	project  int
	labelled bool
	entry
}

// labelledBook is a book of three projects of two types, each with a vintage that
// is CCP-labelled and one that is not.
func labelledBook(lots []lot) *Book {
	page, details := &market.Page{}, make(model.Projects)
	for p := range 3 {
		id := fmt.Sprint("p", p)
		details[id] = model.Project{ID: id, Type: []string{"Wind", "Solar"}[p%2], Country: "KE"}
		page.AddProject(id)
		for year, has := range []bool{false, true} {
			page.AddVintage(fmt.Sprint(id, "-", has), 2020+year)
			for n, l := range lots {
				if l.project == p && l.labelled == has {
					page.AddOrder(fmt.Sprint("o", n), model.Grams(l.tonnes*model.GramsPerTonne), model.PriceCents(l.price))
				}
			}
		}
	}
	b := NewBook(market.New(page), details, nil)
	b.Labels = func(key model.VintageKey) []string {
		if strings.HasSuffix(key.VintageID, "true") {
			return []string{"removal", "ccp"}
		}
		return nil
	}
	return b
}

// bestLabelled tries every way to buy.
func bestLabelled(lots []lot, l terms, tonnes int64) best {
	least, perProject, perType := Limit{Kind: LabelFloor, Share: l.Label.Share}.of(tonnes), int64(math.MaxInt64), int64(math.MaxInt64)
	if l.PerProject > 0 {
		perProject = Limit{Kind: ProjectCap, Share: l.PerProject}.of(tonnes)
	}
	if l.PerGroup > 0 {
		perType = Limit{Kind: TypeCap, Share: l.PerGroup}.of(tonnes)
	}
	found, taken := best{0, math.MaxInt64}, make([]int64, len(lots))
	var try func(i int)
	try = func(i int) {
		if i < len(lots) {
			for n := range lots[i].tonnes + 1 {
				taken[i] = n
				try(i + 1)
			}
			taken[i] = 0
			return
		}
		now, has, projects, types := best{}, int64(0), map[int]int64{}, map[int]int64{}
		for i, n := range taken {
			now.tonnes, now.cost = now.tonnes+n, now.cost+n*lots[i].price
			projects[lots[i].project] += n
			types[lots[i].project%2] += n
			if lots[i].labelled {
				has += n
			}
		}
		if now.tonnes-min(has, least) > tonnes-least || !within(projects, perProject) || !within(types, perType) {
			return
		}
		if now.tonnes > found.tonnes || now.tonnes == found.tonnes && now.cost < found.cost {
			found = now
		}
	}
	try(0)
	return found
}

func TestABasketWithAFloorByLabelIsTheCheapestOfAll(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		lots := rapid.SliceOfN(rapid.Custom(func(t *rapid.T) lot {
			return lot{rapid.IntRange(0, 2).Draw(t, "project"), rapid.Bool().Draw(t, "labelled"), entry{rapid.Int64Range(1, 3).Draw(t, "tonnes"), rapid.Int64Range(1, 9).Draw(t, "price")}}
		}), 0, 6).Draw(t, "lots")
		share := rapid.SampledFrom([]model.PerMille{200, 333, 500, 750, 1000})
		l := terms{Label: floor{"CCP", share.Draw(t, "floor")}}
		switch rapid.IntRange(0, 2).Draw(t, "cap") {
		case 1:
			l.PerProject = share.Draw(t, "per project")
		case 2:
			l.PerGroup = share.Draw(t, "per type")
		}
		if rapid.Bool().Draw(t, "price limit") {
			l.MaxPrice = model.PriceCents(rapid.IntRange(1, 9).Draw(t, "max price"))
		}
		tonnes := rapid.Int64Range(1, 12).Draw(t, "tonnes")
		b := labelledBook(lots)
		got, err := b.Buy(context.Background(), Request{Tonnes: tonnes, Limits: l.limits()})
		if err != nil {
			t.Fatal(err)
		}
		var cheap []lot
		for _, one := range lots {
			if l.MaxPrice == 0 || one.price <= int64(l.MaxPrice) {
				cheap = append(cheap, one)
			}
		}
		want := bestLabelled(cheap, l, tonnes)
		if got.Tonnes != want.tonnes || got.Tonnes > 0 && int64(got.Cost) != want.cost {
			t.Fatalf("%d t for %d, and %d t for %d can be had", got.Tonnes, got.Cost, want.tonnes, want.cost)
		}
	})
}

func TestAFloorByLabelBelongsToUnitsAndSaysWhatItCosts(t *testing.T) {
	t.Parallel()
	b := labelledBook([]lot{{0, false, entry{100, 500}}, {0, true, entry{100, 800}}})
	r := Request{Tonnes: 10, Limits: limits(t, nil, "LABEL:ccp=50%")}
	found := buy(t, b, r)
	if found.Cost != 6_500 || len(found.Limits) != 1 || found.Limits[0].String() != "floor label:ccp=50%" || found.Limits[0].Costs != 1_500 {
		t.Errorf("%d cents, %+v", found.Cost, found.Limits)
	}
	b.Labels = nil
	what, todo := b.NotFilled(r, buy(t, b, r), Wording{Tonnes: func(n int64) string { return fmt.Sprint(n, " t") }, Limit: Limit.String})
	if !strings.Contains(what, "5 t of 10 t cannot be filled: without floor label:ccp=50% there would be 5 t more") || !strings.Contains(todo, "known to have the label ccp") {
		t.Errorf("where no label is known: %s, %s", what, todo)
	}
}

func TestAFloorByLabelGoesWithOneCapAndNoOtherFloor(t *testing.T) {
	t.Parallel()
	l := limits(t, []string{"project=40%"}, "label:ccp=50%")
	for why, err := range map[string]error{
		"floor label:ccp=50% and floor type:Wind=10% do not go together":     l.AddFloor("type:Wind=10%"),
		"floor label:ccp=50% and floor label:removal=10% do not go together": l.AddFloor("label:removal=10%"),
		"goes with one cap": l.AddCap("type=40%"), "names no type or label": l.AddFloor("label:=10%"),
	} {
		if err == nil || !strings.Contains(err.Error(), why) {
			t.Errorf("%v, want %s", err, why)
		}
	}
}
