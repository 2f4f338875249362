package basket

import (
	"context"
	"math"
	"strings"
	"testing"

	"tonne/model"
	must "tonne/model/musttest"
	"tonne/model/texttest"
)

func TestLimitsAsPeopleTypeThem(t *testing.T) {
	texttest.Table(t, "limits", func(texts string) string {
		var l Limits
		for text := range strings.SplitSeq(texts, "; ") {
			before := l.all
			if err := add(&l, text); err != nil {
				must.Equal(t, l.all, before)
				return err.Error()
			}
		}
		var read []string
		for _, limit := range l.all {
			read = append(read, limit.String())
		}
		return strings.Join(read, "; ")
	})
}

func TestARequestThatCannotBeMeantIsRefused(t *testing.T) {
	b := book(listing{"a", "Wind", "KE", []entry{{5, 100}}, nil})
	for name, r := range map[string]Request{
		"nothing": {}, "tonnes and money": {Tonnes: 1, Budget: 1}, "less than nothing": {Tonnes: -1}, "a debt": {Budget: -1},
		"too much": {Tonnes: math.MaxInt64},
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
	}{{5, 400, 2, 2}, {4, 400, 1, 2}, {1, 1, 0, 1}, {3, 1000, 3, 3},
		{9_223_372_036_854, 333, 3_071_382_888_272, 3_071_382_888_273}} {
		down, up := (Limit{Kind: ProjectCap, Share: c.share}).of(c.tonnes),
			(Limit{Kind: TypeFloor, Share: c.share}).of(c.tonnes)
		must.Hold(t, down == c.cap && up == c.floor, c.share, c.tonnes, down, up)
	}
}
