package basket

import (
	"context"
	"errors"
	"strings"
	"testing"

	"tonne/model"
)

func TestLimitsAsPeopleTypeThem(t *testing.T) {
	t.Parallel()
	l := limits(t, []string{"project=40%", " Country = 12.5 %"}, "type:Landfill Gas=10%", "TYPE: Biochar =100.0%")
	want := Limits{PerProject: 400, PerGroup: 125, Group: ByCountry, Floors: []Floor{{"Landfill Gas", 100}, {"Biochar", 1000}}}
	if l.PerProject != want.PerProject || l.PerGroup != want.PerGroup || l.Group != want.Group ||
		len(l.Floors) != 2 || l.Floors[0] != want.Floors[0] || l.Floors[1] != want.Floors[1] {
		t.Errorf("%+v", l)
	}
}

func TestALimitThatIsNotUnderstoodIsQuoted(t *testing.T) {
	t.Parallel()
	for text, quotes := range map[string]string{
		"project": `"project"`, "project=forty%": `"forty%"`, "project=40": `"40"`, "project=0%": `"0%"`, "project=101%": `"101%"`,
		"vintage=10%": `"vintage"`, "=10%": `""`, "type=1.25%": `"1.25%"`, "country=-1%": `"-1%"`,
	} {
		var l Limits
		if err := l.SetCap(text); !isRequest(err) || !strings.Contains(err.Error(), quotes) || l.PerProject != 0 || l.PerGroup != 0 {
			t.Errorf("cap %q: %v", text, err)
		}
	}
	for text, quotes := range map[string]string{
		"Biochar=10%": `"Biochar=10%"`, "type:=10%": `"type:=10%"`, "country:KE=10%": `"country:KE=10%"`, "type:Wind": `"type:Wind"`,
	} {
		var l Limits
		if err := l.AddFloor(text); !isRequest(err) || !strings.Contains(err.Error(), quotes) || l.Floors != nil {
			t.Errorf("floor %q: %v", text, err)
		}
	}
	l := limits(t, []string{"project=40%", "type=50%"})
	for _, text := range []string{"project=50%", "country=50%", "type=60%"} {
		if err := l.SetCap(text); !isRequest(err) {
			t.Errorf("a second %s: %v", text, err)
		}
	}
}

func isRequest(err error) bool {
	var refused *RequestError
	return errors.As(err, &refused)
}

func TestARequestThatCannotBeMeantIsRefused(t *testing.T) {
	t.Parallel()
	b := book(listing{"a", "Wind", "KE", []entry{{5, 100}}})
	for name, r := range map[string]Request{
		"nothing": {}, "tonnes and money": {Tonnes: 1, Budget: 1}, "less than nothing": {Tonnes: -1}, "a debt": {Budget: -1},
		"a price below 0": {Tonnes: 1, Limits: Limits{MaxPrice: -1}}, "more than all": {Tonnes: 1, Limits: Limits{PerProject: 1001}},
		"less than nothing of a group": {Tonnes: 1, Limits: Limits{PerGroup: -1}}, "a floor of nothing": {Tonnes: 1, Limits: Limits{Floors: []Floor{{"", 10}}}},
		"a floor of 0":                   {Tonnes: 1, Limits: Limits{Floors: []Floor{{"Wind", 0}}}},
		"two floors":                     {Tonnes: 1, Limits: Limits{Floors: []Floor{{"Wind", 10}, {"WIND ", 10}}}},
		"floors of more than the basket": {Tonnes: 1, Limits: Limits{Floors: []Floor{{"Wind", 600}, {"Hydro", 401}}}},
	} {
		if got, err := b.Buy(context.Background(), r); !isRequest(err) {
			t.Errorf("%s: %+v, %v", name, got, err)
		}
	}
}

func TestASharesTonnesAreRoundedDownForACapAndUpForAFloor(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		tonnes int64
		share  model.PerMille
		cap    int64
		floor  int64
	}{{5, 400, 2, 2}, {4, 400, 1, 2}, {1, 1, 0, 1}, {3, 1000, 3, 3}, {9_223_372_036_854, 333, 3_071_382_888_272, 3_071_382_888_273}} {
		if down, up := shareOf(c.tonnes, c.share, false), shareOf(c.tonnes, c.share, true); down != c.cap || up != c.floor {
			t.Errorf("%s of %d t: %d, %d", c.share, c.tonnes, down, up)
		}
	}
}
