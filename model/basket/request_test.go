package basket

import (
	"context"
	"fmt"
	"strings"
	"testing"

	"tonne/model"
	must "tonne/model/musttest"
)

func TestLimitsAsPeopleTypeThem(t *testing.T) {
	l := limits(t, []string{" Country = 12.5 %", "project=40%"}, "type:Landfill Gas=10%", "TYPE: Biochar =90.0%")
	l.SetMaxPrice(700)
	var got []string
	for _, limit := range l.all {
		got = append(got, limit.String())
	}
	must.Equal(t, got, []string{"max-price 700", "cap project=40%", "cap country=12.5%", "floor type:Landfill Gas=10%", "floor type:Biochar=90%"})
}

func TestALimitThatIsNotUnderstoodIsQuoted(t *testing.T) {
	for text, quotes := range map[string]string{
		"project": `"project"`, "project=forty%": `"forty%"`, "project=40": `"40"`, "project=0%": `"0%"`, "project=101%": `"101%"`,
		"vintage=10%": `"vintage"`, "=10%": `""`, "type=1.25%": `"1.25%"`, "country=-1%": `"-1%"`,
	} {
		var l Limits
		err := l.AddCap(text)
		must.Hold(t, err != nil && strings.Contains(err.Error(), quotes) && l.all == nil, "cap", text, err)
	}
	for text, quotes := range map[string]string{
		"Biochar=10%": `"Biochar=10%"`, "type:=10%": `"type:=10%"`, "country:KE=10%": `"country:KE=10%"`, "type:Wind": `"type:Wind"`,
	} {
		var l Limits
		err := l.AddFloor(text)
		must.Hold(t, err != nil && strings.Contains(err.Error(), quotes) && l.all == nil, "floor", text, err)
	}
}

func TestLimitsThatDoNotGoTogetherAreNamed(t *testing.T) {
	l := limits(t, []string{"project=40%", "type=50%"}, "type:Wind=60%")
	for why, err := range map[string]error{
		"cap project=40% and cap project=50% do not go together": l.AddCap("project=50%"), "cap type=50% and cap type=60% do": l.AddCap("type=60%"),
		"cap type=50% and cap country=50% do not": l.AddCap("country=50%"), "floor type:Wind=60% and floor type:WIND=10%": l.AddFloor("type:WIND =10%"),
		"the floors add up to 100.1%": l.AddFloor("type:Hydro=40.1%"),
	} {
		must.Hold(t, err != nil && strings.Contains(err.Error(), why), err, why)
	}
	must.Equal(t, len(l.all), 3, l.all)
}

func TestARequestThatCannotBeMeantIsRefused(t *testing.T) {
	b := book(listing{"a", "Wind", "KE", []entry{{5, 100}}, nil})
	for name, r := range map[string]Request{
		"nothing": {}, "tonnes and money": {Tonnes: 1, Budget: 1}, "less than nothing": {Tonnes: -1}, "a debt": {Budget: -1},
	} {
		got, err := b.Buy(context.Background(), r)
		must.Hold(t, err != nil, name, got)
	}
}

func TestASharesTonnesAreRoundedDownForACapAndUpForAFloor(t *testing.T) {
	for _, c := range []struct {
		tonnes int64
		share  model.PerMille
		cap    int64
		floor  int64
	}{{5, 400, 2, 2}, {4, 400, 1, 2}, {1, 1, 0, 1}, {3, 1000, 3, 3}, {9_223_372_036_854, 333, 3_071_382_888_272, 3_071_382_888_273}} {
		down, up := (Limit{Kind: ProjectCap, Share: c.share}).of(c.tonnes), (Limit{Kind: TypeFloor, Share: c.share}).of(c.tonnes)
		must.Hold(t, down == c.cap && up == c.floor, c.share, c.tonnes, down, up)
	}
}

func TestAFloorByLabelBelongsToUnitsAndSaysWhatItCosts(t *testing.T) {
	b := book(listing{"p", "Wind", "KE", []entry{{100, 500}}, []entry{{100, 800}}})
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
	l := limits(t, []string{"project=40%"}, "label:ccp=50%")
	for why, err := range map[string]error{
		"floor label:ccp=50% and floor type:Wind=10% do not go together":     l.AddFloor("type:Wind=10%"),
		"floor label:ccp=50% and floor label:removal=10% do not go together": l.AddFloor("label:removal=10%"),
		"goes with one cap": l.AddCap("type=40%"), "names no type or label": l.AddFloor("label:=10%"),
	} {
		must.Hold(t, err != nil && strings.Contains(err.Error(), why), err, why)
	}
}
