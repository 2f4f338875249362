package market

import (
	"strings"
	"testing"

	"pgregory.net/rapid"
)

func TestABasketIsReadAsItIsSaid(t *testing.T) {
	t.Parallel()
	for said, want := range map[string][3]string{
		basketExample:                            {"5,000", "", "cookstoves ask<$7"},
		"5000 cookstoves ask<7":                  {"5000", "", "cookstoves ask<7"},
		"5kt clean cooking BELOW 7.50 !wind":     {"5k", "", "clean cooking ask<7.50 !wind"},
		"$25k of wind vintage>=2022":             {"", "$25k", "wind vintage>=2022"},
		"100 tonnes":                             {"100", "", ""},
		"1 T of over 5 kenya|uganda":             {"1", "", "ask>5 kenya|uganda"},
		"5,000 under canopy":                     {"5,000", "", "under canopy"},
		"5000 cookstoves < 7":                    {"5000", "", "cookstoves ask<7"},
		"5000 cookstoves <=7":                    {"5000", "", "cookstoves ask<=7"},
		"5000 vintage >= 2022 ask < 7":           {"5000", "", "vintage >= 2022 ask < 7"},
		" 5,000   t   of  type:\"landfill gas\"": {"5,000", "", "type:\"landfill gas\""},
	} {
		typed, query, err := readBasket(said)
		if err != nil || typed != (basketTexts{fieldTonnes: want[0], fieldBudget: want[1]}) || query != want[2] {
			t.Errorf("%q is read as %q and %q, %v; want %q", said, typed, query, err, want)
		}
	}
	for said, want := range map[string]string{
		"": "Type how many tonnes", "cookstoves": "Tonnes are written like", "$": "Dollars are written like", "0": "Tonnes are written like", "1.5 t": "Only whole tonnes",
		"5000 ask<": `"ask<" has no value`, "5000 under 7 foo:1": "compares what is not there", "5000 wind or solar": `"or" is not understood here: write wind|solar`,
		"5000 t of kenya cookstoves below 7.50 max 40% per project": `"max" is not understood here: e sets caps`, "5000 wind from 2022": `"from" is not understood here: write a year like vintage>=2022`,
		"5000 cookstoves under 7 cents": `"cents" is not understood here: a price is in dollars`, "5000 wind 40%": `"40%" is not understood here`, "-5": "Tonnes are written like",
	} {
		if typed, query, err := readBasket(said); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%q is read as %q and %q, %v; want %q", said, typed, query, err, want)
		}
	}
}

func TestABasketThatIsTypedAsAFilterLeadsToTheListOfCommands(t *testing.T) {
	t.Parallel()
	r := settled(t)
	r.Press("/")
	r.Type("5,000 t cookstoves under $7")
	r.Frame()
	r.Sees("No vintage matches", "For a basket, type : and basket 5,000 t cookstoves under $7")
	r.Press("esc", "/")
	r.Type("nothing like it")
	r.Frame()
	r.SeesNot("For a basket")
}

func TestWhateverIsSaidForABasketIsReadOrRefused(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		said := strings.Join(rapid.SliceOf(rapid.OneOf(rapid.String(), rapid.SampledFrom([]string{"5k", "$7", "t", "of", "under", "\"", "ask<"}))).Draw(t, "said"), " ")
		typed, _, err := readBasket(said)
		if _, wrong := typed.request(); err == nil && wrong != nil {
			t.Fatalf("%q is read as %q: %v", said, typed, wrong)
		}
	})
}

func TestABasketOfNothingKeepsTheFilterAndQuotesTheWord(t *testing.T) {
	t.Parallel()
	r := settled(t)
	sentence := r.tab.basketSentence()
	for said, want := range map[string]string{
		"5000 t of cookstoves qqqq under 7": `"qqqq" leaves no vintage`, "5000 cookstoves under 0.01": `"ask<0.01" leaves no vintage`, "5000 qqqq": `"qqqq" leaves no vintage`,
	} {
		if do, what, why := sentence.Read(said); do != nil || what != "" || !strings.Contains(why, want) {
			t.Errorf("%q: %q, %q", said, what, why)
		}
	}
	for _, said := range []string{"5000 cookstoves", "5000", "5000 cookstoves under", "5000 project:\"improved cook"} {
		if do, _, why := sentence.Read(said); do == nil {
			t.Errorf("%q: %q", said, why)
		}
	}
}
