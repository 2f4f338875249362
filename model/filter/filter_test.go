package filter

import (
	"errors"
	"strconv"
	"strings"
	"testing"
	"unicode/utf8"

	"pgregory.net/rapid"

	"tonne/model"
	"tonne/model/attribute"
	"tonne/model/fold"
	must "tonne/model/musttest"
	"tonne/model/texttest"
)

// bale is bought and for sale, wind neither.
var (
	bale = Row{
		Name: "Bale Mountains", ProjectID: "003bale00000000001", VintageID: "004bale2019000001", Type: "REDD+", Country: "ET",
		Registry: "VERRA", RegistryID: "VCS-1340", Year: 2019, BestAsk: 620, LastPaid: 595, Available: 12_400_000_000,
		Held: 999_980,
	}
	wind = Row{
		Name: "Ordu Landfill", ProjectID: "003wind", VintageID: "004wind", Type: "Landfill Gas", Country: "TR",
		Registry: "Gold Standard",
		BestAsk:  model.UnknownPrice, LastPaid: model.UnknownPrice, Available: 0, Held: model.UnknownGrams,
	}
)

func parse(text string) Filter { return must.Get(Parse(text)) }

func TestFiltersLetPassWhatTheySay(t *testing.T) {
	pass := func(text string) string {
		f, err := Parse(text)
		if err != nil {
			var refused *Error
			must.Hold(t, errors.As(err, &refused) && strings.Contains(text, refused.Part) && f.Empty(), text, err)
			return err.Error()
		}
		var passed []string
		for _, row := range []*Row{&bale, &wind} {
			if f.Match(row) {
				passed = append(passed, row.ProjectID[3:7])
			}
		}
		return strings.Join(passed, " ")
	}
	texttest.Table(t, "filters", pass)
	must.Equal(t, pass(strings.Repeat("bale ", 201)),
		`"bale bale bale bale " begins a filter that is too long: 1,000 letters at most`)
}

func TestAWordWithADigitIsLookedForInIDsIfItIsNoYear(t *testing.T) {
	row := Row{Name: "Ordu Landfill", ProjectID: "003abefacade", VintageID: "004abe02019", RegistryID: "VCS-1340"}
	texttest.Table(t, "words_with_digits", func(text string) string { return strconv.FormatBool(parse(text).Match(&row)) })
}

func TestMatchesAreMarked(t *testing.T) {
	texttest.Table(t, "marks", func(input string) string {
		typed, text, _ := strings.Cut(input, " : ")
		f, marked, at := parse(typed), "", 0
		for _, s := range f.Spans(text) {
			marked += text[at:s.From] + "[" + text[s.From:s.To] + "]"
			at = s.To
		}
		must.Hold(t, at == 0 || f.Match(&Row{Name: text, Type: text}), input)
		return marked + text[at:]
	})
}

func TestLabelsAreWhatTheBuyerKnows(t *testing.T) {
	key := model.VintageKey{ProjectID: "003bale", VintageID: "004bale"}
	fact := func(scope attribute.Scope, id string, a attribute.Attribute, value string) attribute.Fact {
		return attribute.Fact{Scope: scope, ID: id, Attribute: a, Value: value}
	}
	facts := attribute.NewFacts([]attribute.Fact{
		fact(attribute.OfProject, "003bale", attribute.CCP, attribute.NotLabelled),
		fact(attribute.OfVintage, "004bale", attribute.CCP, attribute.Labelled),
		fact(attribute.OfProject, "003bale", attribute.Removal, attribute.RemovesCarbon),
		fact(attribute.OfProject, "003bale", attribute.Methodology, "VM0007"),
		fact(attribute.OfProject, "003bale", attribute.CORSIA, "First Phase"),
		fact(attribute.OfProject, "003wind", attribute.CCP, attribute.Labelled),
	})
	row := bale
	for text, want := range map[string]bool{
		"label:ccp": true, "LABEL:CCP": true, "!label:ccp": false, "label:removal": true, "label:reduction": false,
		"label:vm0007": true,
		"label:corsia": true, `label:"corsia first phase"`: true, "label:verifier": false, "label:ccp ask<1": false,
	} {
		f := parse(text)
		row.Labels = func() []string { return facts.Labels(key) }
		got := f.Match(&row)
		must.Hold(t, got == want && f.Needs().Labels, text, got, want, facts.Labels(key))
		row.Labels = func() []string { return facts.Labels(model.VintageKey{ProjectID: "003bale", VintageID: "other"}) }
		must.Equal(t, f.Match(&row), (want && text != "label:ccp" && text != "LABEL:CCP" || text == "!label:ccp"), text)
		must.Equal(t, f.Match(&bale), (text == "!label:ccp"), text)
	}
	must.Hold(t, !parse("ask<10 bale").Needs().Labels, "a filter without labels looks at them")
	spans := parse("label:bale").Spans("Bale")
	must.Hold(t, spans == nil, "a label is marked in a name", spans)
}

func TestAFilterSaysWhatItLooksAt(t *testing.T) {
	texttest.Table(t, "needs", func(text string) string {
		f, said := parse(text), ""
		for _, it := range []struct {
			looks bool
			at    string
		}{
			{f.Empty(), "nothing "}, {f.Words(), "words "}, {f.Market(), "the market "},
			{f.Needs().Details, "details "}, {f.Needs().Paid, "paid "}, {f.Needs().Held, "held "}, {f.Needs().Labels, "labels "},
		} {
			if it.looks {
				said += it.at
			}
		}
		if price, ok := f.MaxAsk(); ok {
			said += price.String()
		}
		return said
	})
	f := parse("bale ask<10").Without()
	must.Hold(t, !f.Words() && f.Match(&bale) && !f.Match(&wind), "without its words, the filter is not what is left")
}

func TestAWordIsMarkedWhereverItIsFound(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		text := rapid.StringMatching(`[abAB é-]{0,12}`).Draw(t, "text")
		typed := rapid.StringMatching(`[abé]{1,4}`).Draw(t, "word")
		f := must.Get(Parse(typed))
		spans := f.Spans(text)
		if found := f.Match(&Row{Name: text}); len(spans) > 0 && !found ||
			strings.Contains(fold.String(text), fold.String(typed)) != (len(spans) > 0) {
			t.Fatalf("%q in %q: %t, marked %v", typed, text, found, spans)
		}
		marked, last := "", -1
		for _, s := range spans {
			must.Need(t, s.From > last && s.To > s.From && s.To <= len(text), spans)
			last = s.To
			marked += text[s.From:s.To]
		}
		must.Hold(t, len(spans) == 0 || strings.Contains(strings.ToLower(marked), typed), marked, typed)
	})
}

func TestTheIndexHasNoSigns(t *testing.T) {
	x := NewIndex(1, func(int) Row { return Row{Name: "Salto Pilão", Country: "TR", ProjectID: "É"} })
	if text := string(x.text); !strings.Contains(text, "salto pilao\n") || !strings.Contains(text, "turkiye\n") ||
		!strings.HasSuffix(text, "\ne\n") {
		t.Errorf("looked through is %q", text)
	}
	must.Hold(t, parse("country:reunion").Match(&Row{Country: "RE"}), "a country is not found without its signs")
}

// Names are written by others: with signs that stack, on nothing, on keycaps.
func TestHostileNamesAreFoundAndMarkedWhole(t *testing.T) {
	alphabet := []rune("aAéÉãøı1 -\u0301\u0323\ufe0f\u20e3\u200d生한👩\ufffd")
	text := rapid.StringOfN(rapid.SampledFrom(alphabet), 0, 12, -1)
	rapid.Check(t, func(t *rapid.T) {
		name, typed := text.Draw(t, "name"), text.Draw(t, "typed")
		f, err := Parse(typed)
		if err != nil || f.Empty() {
			t.Skip(typed)
		}
		row := Row{Name: name}
		spans := f.Spans(name)
		must.Need(t, len(f.words) != 1 || f.Match(&row) || len(spans) == 0, typed, name, f.Match(&row), spans)
		whole := strings.Join(strings.Fields(name), " ")
		must.Need(t, whole != name || fold.String(name) == "" || parse(`"`+name+`"`).Match(&row), name)
		for _, s := range spans {
			rest, _ := utf8.DecodeRuneInString(name[s.To:])
			must.Hold(t, utf8.ValidString(name[s.From:s.To]) && !fold.IsSign(rest), typed, name, s)
		}
	})
}

func TestAConditionTurnedRoundLetsPassTheOthers(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		row := Row{
			BestAsk:   model.PriceCents(rapid.Int64Range(-1, 20).Draw(t, "ask")),
			LastPaid:  model.PriceCents(rapid.Int64Range(-1, 20).Draw(t, "paid")),
			Available: model.Grams(rapid.Int64Range(-1, 3e6).Draw(t, "available")),
			Year:      rapid.SampledFrom([]int{0, 2020, 2021, 2022}).Draw(t, "year"),
		}
		field, limits := rapid.SampledFrom([]string{"ask", "paid", "available", "year"}).Draw(t, "field"),
			[]string{"0", "1", "2"}
		if field == "year" {
			limits = []string{"2020", "2021", "2022"}
		}
		text := field + rapid.SampledFrom([]string{"<", "<=", ">", ">=", "=", "!="}).Draw(t, "sign") +
			rapid.SampledFrom(limits).Draw(t, "limit")
		is := must.Get(Parse(text))
		not, err := Parse("!" + text)
		must.Hold(t, err == nil && is.Match(&row) != not.Match(&row), text, is.Match(&row), not.Match(&row), err)
	})
}

func FuzzParse(f *testing.F) {
	for _, s := range []string{
		`bale "clean cooking" !wind ask<10 vintage>=2022 available>=500 t type:cookstoves country:kenya paid`, "!", `"`, "!=",
		"ask≤", `type:"x`, `x|"y z"|`, `country:KE,"uganda"|`, "a\x00\xff", "≥5", "pila\u0303o", "\u0301", "1\ufe0f\u20e3",
		`type:"\u0301"`,
	} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, text string) {
		filter, err := Parse(text)
		var refused *Error
		if err != nil &&
			(!errors.As(err, &refused) || len(text) <= longest && !strings.Contains(text, refused.Part) || refused.Why == "") {
			t.Fatalf("%q: %v", text, err)
		}
		filter.Match(&bale)
		for _, s := range filter.Spans(text) {
			must.Hold(t, s.From >= 0 && s.To > s.From && s.To <= len(text), text, s)
		}
	})
}

func TestNothingIsMarkedFurtherThanAColumnShows(t *testing.T) {
	f := parse("é")
	for _, before := range []string{"", "a"} {
		spans := f.Spans(before + strings.Repeat("é", 10_000))
		if len(spans) != 1 || spans[0].To > widest || spans[0].To < widest-1 || (spans[0].To-spans[0].From)%len("é") != 0 {
			t.Errorf("%q: %v", before, spans)
		}
	}
}
