package filter

import (
	"errors"
	"slices"
	"strings"
	"testing"
	"unicode/utf8"

	"pgregory.net/rapid"

	"tonne/model"
	"tonne/model/attribute"
	"tonne/model/fold"
	must "tonne/model/musttest"
)

// bale is bought and for sale, wind neither.
var (
	bale = Row{
		Name: "Bale Mountains", ProjectID: "003bale00000000001", VintageID: "004bale2019000001", Type: "REDD+", Country: "ET",
		Registry: "VERRA", RegistryID: "VCS-1340", Year: 2019, BestAsk: 620, LastPaid: 595, Available: 12_400_000_000, Held: 999_980,
	}
	wind = Row{
		Name: "Ordu Landfill", ProjectID: "003wind", VintageID: "004wind", Type: "Landfill Gas", Country: "TR", Registry: "Gold Standard",
		BestAsk: model.UnknownPrice, LastPaid: model.UnknownPrice, Available: 0, Held: model.UnknownGrams,
	}
)

func parse(t interface {
	Helper()
	Fatalf(format string, values ...any)
}, text string) Filter {
	t.Helper()
	f, err := Parse(text)
	if err != nil {
		t.Fatalf("%s: %v", text, err)
	}
	return f
}

func TestFiltersLetPassWhatTheySay(t *testing.T) {
	for text, want := range map[string]string{
		"": "bale wind", "   ": "bale wind", "!": "bale wind",
		"bale": "bale", "MOUNT": "bale", "bm": "bale", "bmt": "", "redd+": "bale", "et": "bale", "ethiopia": "bale", "turkey": "wind", "türkiye": "wind",
		"2019": "bale", "19": "bale", "gold": "wind", "vcs-1340": "bale", "004": "", "004bale2": "bale",
		"bale mountains": "bale", "mountains bale": "bale", `"bale mountains"`: "bale", `"mountains bale"`: "", `"bm"`: "", `"bale   mountains`: "bale",
		"!bale": "wind", "!gas": "bale", "! gas": "wind", `!"bale mountains"`: "wind", "bale !2019": "",
		"ask<10": "bale", "ask < 6.20": "", "ask<=$6.20": "bale", "ask≤6.2": "bale", "ask =< 6.2": "bale", "ask>6": "bale", "ask>=1,000": "", "price<7": "bale",
		"ask=6.20": "bale", "ask:6.20": "bale", "ask!=6.20": "wind", "!ask<10": "wind", "ask==6.2": "bale",
		"vintage>=2019": "bale", "vintage:2019": "bale", "year<2019": "", "!vintage:2019": "wind",
		"paid": "bale", "!paid": "wind", "PAID": "bale", "paid<6": "bale", "paid>6": "",
		"available>=500": "bale", "available>=500t": "bale", "available >= 500 t": "bale", "available>=500 tonnes": "bale", "available<1": "wind",
		"available>=12,400.000001": "", "available >= 500 t wind": "", "held<1": "bale", "held>=0.99998": "bale", "balance>1": "",
		"type:redd": "bale", "type:landfill": "wind", `type:"landfill gas"`: "wind", "type: landfill": "wind", "type=REDD+": "bale", "!type:redd": "wind", "type!=redd": "wind",
		"country:ET": "bale", "country:et": "bale", "country:Ethiopia": "bale", "cc:tr": "wind", "country:turkey": "wind", "country:kenya": "", `country:"united states"`: "",
		"registry:verra": "bale", "registry:1340": "bale", "project:bale": "bale", "name:ordu": "wind", "id:004wind": "wind", "id:vcs": "bale",
		"ask<10 vintage>=2019 paid type:redd country:ET": "bale", "ask<10 country:TR": "",
		"country:ethiopia,turkey": "bale wind", "country:kenya,ET": "bale", "country:kenya, turkey ": "wind", "country:kenya|turkey": "wind", "!country:ET,kenya": "wind",
		"country!=ET,TR": "", "country:ET,": "bale", "type:landfill,redd": "bale wind", `type:"landfill gas",wind`: "wind", `type:wind,"landfill gas"`: "wind",
		"name:ordu,x": "wind", "registry:1340,x": "bale", "id:x,004wind": "wind", `project:"bale,ordu"`: "",
		"bale|ordu": "bale wind", "kenya|ethiopia": "bale", "kenya | turkey": "wind", "kenya|uganda": "", "bale|ordu ask<10": "bale", "bale|ordu gas": "wind",
		"gas bale|ordu": "wind", "bale|ordu redd|kenya": "bale", "!bale|ordu": "", "!kenya|ordu": "bale", `"landfill gas"|mountains`: "bale wind", `x|"bale mountains"`: "bale",
		"bale|": "bale", "bale||ordu": "bale wind", "|": "bale wind", "|bale": "bale", `"paid"|bale`: "bale",
	} {
		f := parse(t, text)
		var passed []string
		for name, row := range map[string]*Row{"bale": &bale, "wind": &wind} {
			if f.Match(row) {
				passed = append(passed, name)
			}
		}
		slices.Sort(passed)
		must.Equal(t, strings.Join(passed, " "), want, text)
	}
}

func TestWhatIsNotUnderstoodIsQuotedWithWhatToWrite(t *testing.T) {
	for text, want := range map[string]string{
		"bale asc<10":                `"asc<10" compares what is not there: did you mean ask?`,
		"vintge >= 2020 x":           `"vintge >= 2020" compares what is not there: did you mean vintage?`,
		"colour:red":                 `"colour:red" compares what is not there: there are ask, paid, available, held, vintage, project, type, country, registry, id, label; a word with such a sign goes in quotation marks`,
		"<10":                        `"<10" compares nothing: put one of these in front: ask, paid, available, held, vintage, project, type, country, registry, id, label`,
		"bale ask<":                  `"ask<" has no value: write it like ask<10`,
		"ask<ten":                    `"ask<ten" is no price: write it like ask<10`,
		"!ask < -1":                  `"!ask < -1" is no price: write it like ask<10`,
		"ask<99999999999999999999":   `"ask<99999999999999999999" is beyond any number`,
		"vintage>20x":                `"vintage>20x" is no year: write it like vintage>=2022`,
		"available>500kg":            `"available>500kg" is no quantity in tonnes: write it like available>=500`,
		"type<redd":                  `"type<redd" compares a text: write it like type:cookstoves`,
		"type: ":                     `"type:" has no value: write it like type:cookstoves`,
		`type:""`:                    `"type:""" has no value: write it like type:cookstoves`,
		"country:kenia ask<10":       `"country:kenia" is no country: did you mean Kenya?`,
		"country:kenya, ugnda ask<1": `"country:kenya, ugnda" is no country: did you mean Uganda?`,
		`country:KE,"no  such"`:      `"country:KE,"no  such"" is no country: write a name, or a code of two letters like KE`,
		"country:,":                  `"country:," has no value: write it like country:KE`,
		"bale kenya|ask<10":          `"kenya|ask<10" combines a condition with a word: a bar separates words, and a comma separates values as in country:kenya,uganda`,
		"!paid|kenya":                `"!paid|kenya" combines a condition with a word: a bar separates words, and a comma separates values as in country:kenya,uganda`,
		"country:atlantis":           `"country:atlantis" is no country: write a name, or a code of two letters like KE`,
		`"bale mountains"x`:          `""bale mountains"x" continues after the quotation mark: add a space`,
		`type:"landfill gas"ask<10`:  `""landfill gas"ask<10" continues after the quotation mark: add a space`,
		strings.Repeat("bale ", 201): `"bale bale bale bale " begins a filter that is too long: 1,000 letters at most`,
	} {
		f, err := Parse(text)
		var refused *Error
		if !errors.As(err, &refused) || err.Error() != want || !f.Empty() {
			t.Errorf("%q: %v\nwant %s", text, err, want)
		} else if !strings.Contains(text, refused.Part) {
			t.Errorf("%q does not have %q", text, refused.Part)
		}
	}
}

func TestAWordWithADigitIsLookedForInIDsIfItIsNoYear(t *testing.T) {
	row := Row{Name: "Ordu Landfill", ProjectID: "003abefacade", VintageID: "004abe02019", RegistryID: "VCS-1340"}
	for text, want := range map[string]bool{
		"003abefacade": true, "4abe0": true, "1340": true, "ordu 003ab": true, "facade": false, "abe": false, "2019": false, "0201": false, "!003abefacade": false, "!facade": true,
		"wind|003abef": true, "wind|facade": false, "wind|ordu 4abe0": true, "e0": true, "02019": true, "id:abe": true,
	} {
		must.Equal(t, parse(t, text).Match(&row), want, text)
	}
}

func TestMatchesAreMarked(t *testing.T) {
	for _, c := range []struct{ filter, text, want string }{
		{"mount", "Bale Mountains", "Bale [Mount]ains"},
		{"bm", "Bale Mountains", "Bale Mountains"},
		{"bale mountains", "Bale Mountains", "[Bale] [Mountains]"},
		{"a", "Bale Mountains", "B[a]le Mount[a]ins"},
		{`"e m"`, "Bale Mountains", "Bal[e M]ountains"},
		{"bale|tains", "Bale Mountains", "[Bale] Moun[tains]"},
		{"type:red,d+", "REDD+", "[REDD+]"},
		{"!mount", "Bale Mountains", "Bale Mountains"},
		{"type:red", "REDD+", "[RED]D+"},
		{"ção", "Salto Pilção", "Salto Pil[ção]"},
		{"äu", "Äußere Berge", "[Äu]ßere Berge"},
		{"ask<10 paid", "Bale 10", "Bale 10"},
	} {
		var got strings.Builder
		at := 0
		for _, s := range parse(t, c.filter).Spans(c.text) {
			got.WriteString(c.text[at:s.From] + "[" + c.text[s.From:s.To] + "]")
			at = s.To
		}
		got.WriteString(c.text[at:])
		must.Equal(t, got.String(), c.want, c.filter, c.text)
	}
}

func TestLabelsAreWhatTheBuyerKnows(t *testing.T) {
	key := model.VintageKey{ProjectID: "003bale", VintageID: "004bale"}
	fact := func(scope attribute.Scope, id string, a attribute.Attribute, value string) attribute.Fact {
		return attribute.Fact{Scope: scope, ID: id, Attribute: a, Value: value}
	}
	facts := attribute.NewFacts([]attribute.Fact{
		fact(attribute.OfProject, "003bale", attribute.CCP, attribute.NotLabelled), fact(attribute.OfVintage, "004bale", attribute.CCP, attribute.Labelled),
		fact(attribute.OfProject, "003bale", attribute.Removal, attribute.RemovesCarbon), fact(attribute.OfProject, "003bale", attribute.Methodology, "VM0007"),
		fact(attribute.OfProject, "003bale", attribute.CORSIA, "First Phase"), fact(attribute.OfProject, "003wind", attribute.CCP, attribute.Labelled),
	})
	row := bale
	for text, want := range map[string]bool{
		"label:ccp": true, "LABEL:CCP": true, "!label:ccp": false, "label:removal": true, "label:reduction": false, "label:vm0007": true,
		"label:corsia": true, `label:"corsia first phase"`: true, "label:verifier": false, "label:ccp ask<1": false,
	} {
		f := parse(t, text)
		row.Labels = func() []string { return facts.Labels(key) }
		got := f.Match(&row)
		must.Hold(t, got == want && f.Needs().Labels, text, got, want, facts.Labels(key))
		row.Labels = func() []string { return facts.Labels(model.VintageKey{ProjectID: "003bale", VintageID: "other"}) }
		must.Equal(t, f.Match(&row), (want && text != "label:ccp" && text != "LABEL:CCP" || text == "!label:ccp"), text)
		must.Equal(t, f.Match(&bale), (text == "!label:ccp"), text)
	}
	must.Hold(t, !parse(t, "ask<10 bale").Needs().Labels, "a filter without labels looks at them")
	spans := parse(t, "label:bale").Spans("Bale")
	must.Hold(t, spans == nil, "a label is marked in a name", spans)
}

func TestAFilterSaysTheHighestAskThatItLetsPass(t *testing.T) {
	for text, want := range map[string]model.PriceCents{
		"": -1, "ask>7": -1, "ask>=7": -1, "paid<7": -1, "!ask<7": -1, "ask!=7": -1, "ask<0": -1,
		"ask<7": 699, "ask<=7": 700, "ask=7": 700, "ask<7 ask<=8 wind": 699, "ask<8 ask<=7": 700,
	} {
		price, ok := parse(t, text).MaxAsk()
		must.Hold(t, ok == (want >= 0) && (!ok || price == want), text, price, ok, want)
	}
}

func TestAFilterSaysWhatItLooksAt(t *testing.T) {
	for text, want := range map[string]struct {
		needs                Needs
		empty, words, market bool
	}{
		"":            {empty: true},
		"bale":        {needs: Needs{Details: true}, words: true},
		"type:redd":   {needs: Needs{Details: true}},
		"country:et":  {needs: Needs{Details: true}},
		"id:1":        {needs: Needs{Details: true}},
		"paid":        {needs: Needs{Paid: true}},
		"!held>1":     {needs: Needs{Held: true}},
		"label:ccp":   {needs: Needs{Labels: true}},
		"ask<10":      {market: true},
		"available>1": {market: true},
	} {
		f := parse(t, text)
		must.Hold(t, f.Needs() == want.needs && f.Empty() == want.empty && f.Words() == want.words && f.Market() == want.market, text, f)
	}
	f := parse(t, "bale ask<10").Without()
	must.Hold(t, !f.Words() && f.Match(&bale) && !f.Match(&wind), "without its words, the filter is not what is left")
}

func TestAWordIsMarkedWhereverItIsFound(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		text := rapid.StringMatching(`[abAB é-]{0,12}`).Draw(t, "text")
		typed := rapid.StringMatching(`[abé]{1,4}`).Draw(t, "word")
		f := must.Get(Parse(typed))
		spans := f.Spans(text)
		if found := f.Match(&Row{Name: text}); len(spans) > 0 && !found || strings.Contains(fold.String(text), fold.String(typed)) != (len(spans) > 0) {
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

func TestLettersAreFoundWithoutTheirSigns(t *testing.T) {
	for _, c := range []struct{ typed, text, marked string }{
		{"pilao", "Salto Pilão", "Pilão"}, {"PILÃO", "Salto Pilao", "Pilao"}, {"pilao", "Salto Pila\u0303o!", "Pila\u0303o"},
		{"kirs", "Kırşehir", "Kırş"}, {"project:pilao", "Salto Pilão", "Pilão"}, {`"to pilao"`, "Salto Pilão", "to Pilão"},
	} {
		f := parse(t, c.typed)
		var marked []string
		for _, s := range f.Spans(c.text) {
			marked = append(marked, c.text[s.From:s.To])
		}
		if got := strings.Join(marked, "|"); got != c.marked || !f.Match(&Row{Name: c.text}) {
			t.Errorf("%q in %q: %t, marked %q, want %q", c.typed, c.text, f.Match(&Row{Name: c.text}), got, c.marked)
		}
	}
	x := NewIndex(1, func(int) Row { return Row{Name: "Salto Pilão", Country: "TR", ProjectID: "É"} })
	if text := string(x.text); !strings.Contains(text, "salto pilao\n") || !strings.Contains(text, "turkiye\n") || !strings.HasSuffix(text, "\ne\n") {
		t.Errorf("looked through is %q", text)
	}
	if f := parse(t, "country:reunion"); !f.Match(&Row{Country: "RE"}) {
		t.Error("a country is not found without its signs")
	}
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
		must.Need(t, whole != name || fold.String(name) == "" || parse(t, `"`+name+`"`).Match(&row), name)
		for _, s := range spans {
			rest, _ := utf8.DecodeRuneInString(name[s.To:])
			must.Hold(t, utf8.ValidString(name[s.From:s.To]) && !fold.IsSign(rest), typed, name, s)
		}
	})
}

func TestAConditionTurnedRoundLetsPassTheOthers(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		row := Row{
			BestAsk: model.PriceCents(rapid.Int64Range(-1, 20).Draw(t, "ask")), LastPaid: model.PriceCents(rapid.Int64Range(-1, 20).Draw(t, "paid")),
			Available: model.Grams(rapid.Int64Range(-1, 3e6).Draw(t, "available")), Year: rapid.IntRange(0, 3).Draw(t, "year"),
		}
		text := rapid.SampledFrom([]string{"ask", "paid", "available", "year"}).Draw(t, "field") +
			rapid.SampledFrom([]string{"<", "<=", ">", ">=", "=", "!="}).Draw(t, "sign") + rapid.SampledFrom([]string{"0", "1", "2"}).Draw(t, "limit")
		is := must.Get(Parse(text))
		not, err := Parse("!" + text)
		must.Hold(t, err == nil && is.Match(&row) != not.Match(&row), text, is.Match(&row), not.Match(&row), err)
	})
}

func FuzzParse(f *testing.F) {
	for _, s := range []string{
		`bale "clean cooking" !wind ask<10 vintage>=2022 available>=500 t type:cookstoves country:kenya paid`, "!", `"`, "!=", "ask≤", `type:"x`, `x|"y z"|`, `country:KE,"uganda"|`, "a\x00\xff", "≥5", "pila\u0303o", "\u0301", "1\ufe0f\u20e3", `type:"\u0301"`,
	} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, text string) {
		filter, err := Parse(text)
		var refused *Error
		if err != nil && (!errors.As(err, &refused) || len(text) <= longest && !strings.Contains(text, refused.Part) || refused.Why == "") {
			t.Fatalf("%q: %v", text, err)
		}
		filter.Match(&bale)
		for _, s := range filter.Spans(text) {
			must.Hold(t, s.From >= 0 && s.To > s.From && s.To <= len(text), text, s)
		}
	})
}

func TestNothingIsMarkedFurtherThanAColumnShows(t *testing.T) {
	f := parse(t, "é")
	for _, before := range []string{"", "a"} {
		spans := f.Spans(before + strings.Repeat("é", 10_000))
		if len(spans) != 1 || spans[0].To > widest || spans[0].To < widest-1 || (spans[0].To-spans[0].From)%len("é") != 0 {
			t.Errorf("%q: %v", before, spans)
		}
	}
}
