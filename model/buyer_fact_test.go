package model_test

import (
	"strings"
	"testing"
	"time"

	"pgregory.net/rapid"

	"tonne/model"
)

var factDay = time.Date(2026, 3, 1, 0, 0, 0, 0, time.UTC)

func fact(scope model.FactScope, id string, a model.Attribute, value string) model.BuyerFact {
	return model.BuyerFact{Scope: scope, ID: id, Attribute: a, Value: value, Source: "https://icvcm.org/x", Checked: factDay}
}

func TestWhatIsNoFactIsRefusedInWords(t *testing.T) {
	t.Parallel()
	sound := fact(model.OfVintage, "004a", model.CCP, "yes")
	if err := sound.Check(factDay); err != nil {
		t.Errorf("a sound fact: %v", err)
	}
	for want, change := range map[string]func(*model.BuyerFact){
		"scope":                  func(f *model.BuyerFact) { f.Scope = "planet" },
		"id is empty":            func(f *model.BuyerFact) { f.ID = "" },
		"not a serial number":    func(f *model.BuyerFact) { f.Scope = model.OfSerial },
		"no attribute":           func(f *model.BuyerFact) { f.Attribute = "beauty" },
		"ccp is yes or no":       func(f *model.BuyerFact) { f.Value = "perhaps" },
		"removal is removal or":  func(f *model.BuyerFact) { f.Attribute = model.Removal },
		"control characters":     func(f *model.BuyerFact) { f.Attribute, f.Value = model.Verifier, "a\nb" },
		"longer than":            func(f *model.BuyerFact) { f.Attribute, f.Value = model.Verifier, strings.Repeat("a", 501) },
		"lies ahead":             func(f *model.BuyerFact) { f.Checked = factDay.Add(24 * time.Hour) },
		"not an https address":   func(f *model.BuyerFact) { f.Source = "http://icvcm.org" },
		"is not an https addres": func(f *model.BuyerFact) { f.Source = "javascript:alert(1)" },
	} {
		f := sound
		change(&f)
		if err := f.Check(factDay); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%+v: %v, want %q", f, err, want)
		}
	}
}

func TestTheNarrowestFactCounts(t *testing.T) {
	t.Parallel()
	facts := model.NewBuyerFacts([]model.BuyerFact{
		fact(model.OfProject, "003a", model.Removal, model.RemovesCarbon),
		fact(model.OfVintage, "004a", model.Removal, model.ReducesEmissions),
		fact(model.OfSerial, "ART-GY-102-2019-3-11 to 20", model.CCP, "yes"),
		fact(model.OfSerial, "ART-GY-102-2019-3-31 to 40", model.CCP, "no"),
		fact(model.OfVintage, "004a", model.CCP, ""),
	})
	serial, _ := model.ParseSerial("ART-GY-102-2019-3-1 to 35")
	old, young := model.VintageKey{ProjectID: "003a", VintageID: "004a"}, model.VintageKey{ProjectID: "003a", VintageID: "004b"}
	if f, ok := facts.Vintage(model.Removal, old); !ok || f.Value != model.ReducesEmissions {
		t.Errorf("of the vintage: %+v", f)
	}
	if f, ok := facts.Vintage(model.Removal, young); !ok || f.Value != model.RemovesCarbon {
		t.Errorf("of the project: %+v", f)
	}
	if f, ok := facts.Vintage(model.CCP, old); ok {
		t.Errorf("a label of serial numbers was taken for the vintage's: %+v", f)
	}
	got := ""
	for _, part := range facts.Serial(model.CCP, old, serial) {
		got += strings.Repeat(string(append([]byte(part.Fact.Value), '?')[0]), int(part.Tonnes))
	}
	if want := "??????????yyyyyyyyyy??????????nnnnn"; got != want {
		t.Errorf("got  %s\nwant %s", got, want)
	}
	var none *model.BuyerFacts
	if parts := none.Serial(model.CCP, old, serial); len(parts) != 1 || parts[0].Tonnes != 35 || parts[0].Fact.Value != "" {
		t.Errorf("without facts: %+v", parts)
	}
}

func TestPartsAddUpToTheSerialNumber(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		var facts []model.BuyerFact
		for range rapid.IntRange(0, 5).Draw(t, "facts") {
			start := rapid.IntRange(1, 50).Draw(t, "start")
			id := "ART-GY-102-2019-3-" + model.FormatNumber(int64(start)) + " to " + model.FormatNumber(int64(start+rapid.IntRange(0, 20).Draw(t, "more")))
			facts = append(facts, fact(model.OfSerial, id, model.CCP, rapid.SampledFrom([]string{"yes", "no", ""}).Draw(t, "value")))
		}
		serial, _ := model.ParseSerial("ART-GY-102-2019-3-10 to 40")
		var sum int64
		for _, part := range model.NewBuyerFacts(facts).Serial(model.CCP, model.VintageKey{}, serial) {
			if part.Tonnes < 1 {
				t.Fatalf("a part of %d tonnes", part.Tonnes)
			}
			sum += part.Tonnes
		}
		if sum != serial.Tonnes {
			t.Fatalf("parts of %d tonnes of %d", sum, serial.Tonnes)
		}
	})
}

func TestFactsThatContradictEachOtherAreFound(t *testing.T) {
	t.Parallel()
	a := fact(model.OfSerial, "ART-GY-102-2019-3-1 to 20", model.CCP, "yes")
	b := fact(model.OfSerial, "ART-GY-102-2019-3-20 to 30", model.CCP, "no")
	c := fact(model.OfSerial, "ART-GY-102-2019-3-15 to 19", model.CCP, "yes")
	if got := model.Contradictions([]model.BuyerFact{a, b, c}); len(got) != 1 || got[0] != [2]model.BuyerFact{a, b} {
		t.Errorf("%+v", got)
	}
	b.Attribute, b.Value = model.CORSIA, "first phase"
	if got := model.Contradictions([]model.BuyerFact{a, b, c}); got != nil {
		t.Errorf("%+v", got)
	}
}
