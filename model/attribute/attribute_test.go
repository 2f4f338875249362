package attribute_test

import (
	"strings"
	"testing"
	"time"

	"pgregory.net/rapid"

	"tonne/model"
	"tonne/model/attribute"
	must "tonne/model/musttest"
	"tonne/model/retirement"
)

var factDay = time.Date(2026, 3, 1, 0, 0, 0, 0, time.UTC)

func fact(scope attribute.Scope, id string, a attribute.Attribute, value string) attribute.Fact {
	return attribute.Fact{Scope: scope, ID: id, Attribute: a, Value: value, Source: "https://icvcm.org/x",
		Checked: factDay}
}

func TestWhatIsNoFactIsRefusedInWords(t *testing.T) {
	sound := fact(attribute.OfVintage, "004a", attribute.CCP, "yes")
	must.Succeed(t, sound.Check(factDay))
	for want, change := range map[string]func(*attribute.Fact){
		"scope":                 func(f *attribute.Fact) { f.Scope = "planet" },
		"id is empty":           func(f *attribute.Fact) { f.ID = "" },
		"not a serial number":   func(f *attribute.Fact) { f.Scope = attribute.OfSerial },
		"no attribute":          func(f *attribute.Fact) { f.Attribute = "beauty" },
		"ccp is yes or no":      func(f *attribute.Fact) { f.Value = "perhaps" },
		"removal is removal or": func(f *attribute.Fact) { f.Attribute = attribute.Removal },
		"control characters":    func(f *attribute.Fact) { f.Attribute, f.Value = attribute.Verifier, "a\nb" },
		"longer than": func(f *attribute.Fact) {
			f.Attribute, f.Value = attribute.Verifier, strings.Repeat("a", 501)
		},
		"lies ahead":             func(f *attribute.Fact) { f.Checked = factDay.Add(24 * time.Hour) },
		"not an https address":   func(f *attribute.Fact) { f.Source = "http://icvcm.org" },
		"is not an https addres": func(f *attribute.Fact) { f.Source = "javascript:alert(1)" },
	} {
		f := sound
		change(&f)
		err := f.Check(factDay)
		must.Hold(t, err != nil && strings.Contains(err.Error(), want), f, err, want)
	}
}

func TestTheNarrowestFactCounts(t *testing.T) {
	facts := attribute.NewFacts([]attribute.Fact{
		fact(attribute.OfProject, "003a", attribute.Removal, attribute.RemovesCarbon),
		fact(attribute.OfVintage, "004a", attribute.Removal, attribute.ReducesEmissions),
		fact(attribute.OfSerial, "ART-GY-102-2019-3-11 to 20", attribute.CCP, "yes"),
		fact(attribute.OfSerial, "ART-GY-102-2019-3-31 to 40", attribute.CCP, "no"),
		fact(attribute.OfVintage, "004a", attribute.CCP, ""),
	})
	serial, _ := retirement.ParseSerial("ART-GY-102-2019-3-1 to 35")
	old, young := model.VintageKey{ProjectID: "003a", VintageID: "004a"},
		model.VintageKey{ProjectID: "003a", VintageID: "004b"}
	f, ok := facts.Vintage(attribute.Removal, old)
	must.Hold(t, ok && f.Value == attribute.ReducesEmissions, "of the vintage", f)
	f, ok = facts.Vintage(attribute.Removal, young)
	must.Hold(t, ok && f.Value == attribute.RemovesCarbon, "of the project", f)
	f, ok = facts.Vintage(attribute.CCP, old)
	must.Hold(t, !ok, "a label of serial numbers was taken for the vintage's", f)
	got := ""
	for _, part := range facts.Serial(attribute.CCP, old, serial) {
		got += strings.Repeat(string(append([]byte(part.Fact.Value), '?')[0]), int(part.Tonnes))
	}
	must.Equal(t, got, "??????????yyyyyyyyyy??????????nnnnn")
	var none *attribute.Facts
	parts := none.Serial(attribute.CCP, old, serial)
	must.Hold(t, len(parts) == 1 && parts[0].Tonnes == 35 && parts[0].Fact.Value == "", "without facts", parts)
}

func TestPartsAddUpToTheSerialNumber(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		var facts []attribute.Fact
		for range rapid.IntRange(0, 5).Draw(t, "facts") {
			start := rapid.IntRange(1, 50).Draw(t, "start")
			id := "ART-GY-102-2019-3-" + model.FormatNumber(int64(start)) + " to " +
				model.FormatNumber(int64(start+rapid.IntRange(0, 20).Draw(t, "more")))
			facts = append(facts,
				fact(attribute.OfSerial, id, attribute.CCP, rapid.SampledFrom([]string{"yes", "no", ""}).Draw(t, "value")))
		}
		serial, _ := retirement.ParseSerial("ART-GY-102-2019-3-10 to 40")
		var sum int64
		for _, part := range attribute.NewFacts(facts).Serial(attribute.CCP, model.VintageKey{}, serial) {
			must.Need(t, part.Tonnes >= 1, "a part of", part.Tonnes)
			sum += part.Tonnes
		}
		must.Equal(t, sum, serial.Tonnes)
	})
}

func TestFactsThatContradictEachOtherAreFound(t *testing.T) {
	a := fact(attribute.OfSerial, "ART-GY-102-2019-3-1 to 20", attribute.CCP, "yes")
	b := fact(attribute.OfSerial, "ART-GY-102-2019-3-20 to 30", attribute.CCP, "no")
	c := fact(attribute.OfSerial, "ART-GY-102-2019-3-15 to 19", attribute.CCP, "yes")
	got := attribute.Contradictions([]attribute.Fact{a, b, c})
	must.Hold(t, len(got) == 1 && got[0] == [2]attribute.Fact{a, b}, got)
	b.Attribute, b.Value = attribute.CORSIA, "first phase"
	got = attribute.Contradictions([]attribute.Fact{a, b, c})
	must.Hold(t, got == nil, got)
}
