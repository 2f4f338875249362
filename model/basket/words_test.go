package basket

import (
	"fmt"
	"strings"
	"testing"

	"tonne/model"
	must "tonne/model/musttest"
)

// A cap of 40 % must not read 60 % because less was found than asked for.
func TestAShareIsOfTheTonnesThatTheLimitsCount(t *testing.T) {
	b := book(listing{"P", "Wind", "DE", []entry{{100, 500}}, nil}, listing{"Q", "Wind", "DE", []entry{{20, 600}}, nil})
	found := buy(t, b, Request{Tonnes: 100, Limits: limits(t, "cap project=40%")})
	if shares := found.Shares(); found.Tonnes != 60 || ShareText(shares[0]) != "40.0%" || ShareText(shares[1]) != "20.0%" || found.Projects() != 2 {
		t.Errorf("%d t, shares %v of %d projects", found.Tonnes, shares, found.Projects())
	}
	shares := (Basket{Lines: []Line{{}}}).Shares()
	must.Hold(t, len(shares) == 1 && shares[0] == 0, "nothing has a share of nothing")
}

func TestSharesAreRoundedSoThatTheyAddUp(t *testing.T) {
	for _, c := range []struct {
		asked  int64
		tonnes []int64
		want   string
	}{
		{3, []int64{1, 1, 1}, "[+33.4% +33.3% +33.3%]"}, {700, []int64{400, 200, 100}, "[+57.1% +28.6% +14.3%]"}, {6, []int64{4, 1, 1}, "[+66.7% +16.7% +16.6%]"},
		{6, []int64{4}, "[+66.7%]"}, {100_000, []int64{99_999, 1}, "[+100.0% 0.0%]"}, {1 << 42, []int64{1 << 41, 1 << 41}, "[+50.0% +50.0%]"},
	} {
		b := Basket{Asked: c.asked}
		for _, n := range c.tonnes {
			b.Lines, b.Tonnes = append(b.Lines, Line{Tonnes: n}), b.Tonnes+n
		}
		must.Equal(t, fmt.Sprint(b.Shares()), c.want, c.tonnes, c.asked)
	}
}

func TestALimitOfABudgetSaysHowManyTonnesItCosts(t *testing.T) {
	b := book(listing{"P", "Wind", "DE", []entry{{100, 500}}, nil}, listing{"Q", "Solar", "DE", []entry{{100, 1000}}, nil})
	r := Request{Budget: 30_000, Limits: limits(t, "cap project=50%")}
	found := buy(t, b, r)
	l := found.Limits[0]
	// 20 t of each for $300, or 60 t of the one.
	must.Hold(t, found.Tonnes == 40 && l.Binds && l.Fills == 20 && l.Costs == 0, found.Tonnes, l)
	words := Wording{Tonnes: func(n int64) string { return model.FormatNumber(n) + " t" }}
	must.Equal(t, words.Does(l), "binds, 20 t more without it")
	what, _ := b.NotFilled(r, found, words)
	must.Hold(t, what == "", "not filled", what)
}

func TestABasketOfNothingSaysThatTheFilterLeavesNothing(t *testing.T) {
	words := Wording{Tonnes: func(n int64) string { return model.FormatNumber(n) + " t" }, Filtered: true}
	none := book()
	for _, r := range []Request{{Tonnes: 5}, {Budget: 100}, {Tonnes: 5, Limits: limits(t, "cap project=40%", "floor type:Wind=10%")}} {
		what, todo := none.NotFilled(r, buy(t, none, r), words)
		must.Hold(t, what == "no vintage is left by the filter" && todo == "let the filter pass more", r, what, todo)
	}
	empty := book(listing{"P", "Wind", "DE", nil, nil})
	what, _ := empty.NotFilled(Request{Budget: 100}, buy(t, empty, Request{Budget: 100}), words)
	must.Hold(t, what == "no whole tonne is for sale", "nothing for sale", what)
	words.Partial = true
	for _, r := range []Request{{Budget: 100}, {Tonnes: 5}} {
		what, _ := empty.NotFilled(r, buy(t, empty, r), words)
		must.Hold(t, !strings.Contains(what, "for sale") && strings.Contains(what, "in what could be read"), "of a part of the market", what)
	}
}

func TestWhatCannotBeFilledIsSaidInTheWordsOfTheScreen(t *testing.T) {
	words := Wording{
		Tonnes: func(n int64) string { return model.FormatNumber(n) + " t" },
		Limit:  func(l Limit) string { return "<" + l.String() + ">" },
	}
	b := book(listing{"P", "Wind", "DE", []entry{{5000, 500}}, nil}, listing{"Q", "", "", []entry{{20, 900}}, nil})
	for _, c := range []struct {
		r          Request
		filtered   bool
		what, todo string
	}{
		{Request{Tonnes: 10}, false, "", ""},
		{Request{Tonnes: 9000}, false, "3,980 t of 9,000 t cannot be filled: only 5,020 t are for sale", "ask for less"},
		{Request{Tonnes: 9000}, true, "of what the filter lets pass only 5,020 t", "let the filter pass more"},
		{Request{Tonnes: 5010, Limits: limits(t, "max-price 600")}, false, "10 t of 5,010 t cannot be filled: without <max-price 600> there would be 10 t more", "loosen the limit"},
		{Request{Tonnes: 100, Limits: limits(t, "floor type:Biochar=10%")}, false, "without <floor type:Biochar=10%>", "not for sale: the type Biochar; there are: Wind"},
		{Request{Budget: 100}, false, "$1.00 pay for no basket within the limits", "give more money"},
		{Request{Tonnes: 100, Limits: limits(t, "cap project=10%", "cap country=10%")}, false, "none of them alone is to blame", "more than one"},
	} {
		words.Filtered = c.filtered
		what, todo := b.NotFilled(c.r, buy(t, b, c.r), words)
		if !strings.Contains(what, c.what) || !strings.Contains(todo, c.todo) || (what == "") != (c.what == "") {
			t.Errorf("%+v: %q, %q", c.r, what, todo)
		}
	}
	capped := Request{Tonnes: 5020, Limits: limits(t, "cap type=100%")}
	doubts := b.Doubts(buy(t, b, capped))
	must.Hold(t, len(doubts) == 1 && doubts[0] == "projects in the basket whose type is not known, which count as one: 1", "doubts", doubts)
}

func TestFloorsTellOfProjectsWhoseTypeIsNotKnown(t *testing.T) {
	b := book(listing{"P", "Wind", "DE", []entry{{5000, 500}}, nil}, listing{"Q", "", "DE", []entry{{20, 900}, {10, 950}}, nil},
		listing{"R", "", "DE", []entry{{20, 2000}}, nil}, listing{"S", "", "DE", nil, nil})
	for _, c := range []struct {
		limits Limits
		want   string
	}{
		{limits(t, "floor type:Wind=10%"), "projects for sale whose type is not known, which count for no floor: 2"},
		{limits(t, "max-price 1000", "floor type:Wind=10%"), "projects for sale whose type is not known, which count for no floor: 1"},
		{limits(t, "max-price 800", "floor type:Wind=10%"), ""}, {limits(t, "cap country=100%"), ""},
	} {
		r := Request{Tonnes: 100, Limits: c.limits}
		must.Equal(t, strings.Join(b.Doubts(buy(t, b, r)), "\n"), c.want, c.limits)
	}
}

func TestALimitOfAShortBasketIsNotSaidToDoNothing(t *testing.T) {
	words := Wording{Tonnes: func(n int64) string { return model.FormatNumber(n) + " t" }}
	b := book(listing{"P", "Wind", "DE", []entry{{60, 500}}, nil}, listing{"Q", "Wind", "DE", []entry{{20, 600}}, nil})
	r := Request{Tonnes: 1000, Limits: limits(t, "cap project=10%")}
	words.Of = buy(t, b, r)
	must.Equal(t, words.Does(words.Of.Limits[0]), "leaves each 100 t of the 1,000 t asked for, and does not bind")
	r.Tonnes, r.Limits = 50, limits(t, "cap project=100%")
	words.Of = buy(t, b, r)
	must.Equal(t, words.Does(words.Of.Limits[0]), NotBinding)
	words.Of = buy(t, book(), r)
	must.Equal(t, words.Does(words.Of.Limits[0]), "")
}
