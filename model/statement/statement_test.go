package statement_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"tonne/model"
	"tonne/model/advice"
	"tonne/model/attribute"
	"tonne/model/modeltest"
	must "tonne/model/musttest"
	"tonne/model/portfolio"
	"tonne/model/retirement"
	"tonne/model/statement"
	"tonne/model/texttest"
)

func newStatement(t *testing.T, source statement.Source) statement.Statement {
	t.Helper()
	return must.Get(statement.New(source))
}

// row writes a row as "key: bought at cost, retired".
func rowText(t *testing.T, r statement.Row) string {
	t.Helper()
	cents := must.Get(r.Cost.Cents())
	return fmt.Sprintf("%s: %s at %s, %s", r.Key, r.Bought.FormatTonnes(), cents.FormatDollars(), r.Retired.FormatTonnes())
}

// A statement of a beneficiary has no purchases.
func TestAStatementSumsWhatWasBoughtAndRetired(t *testing.T) {
	texttest.Table(t, "statements", func(text string) string {
		source := modeltest.YearOfTwo()
		by, who, _ := strings.Cut(text, " of ")
		source.By, source.Beneficiary = statement.Grouping(by), who
		s := newStatement(t, source)
		var rows []string
		for _, r := range s.Rows {
			rows = append(rows, rowText(t, r))
		}
		total, left := rowText(t, s.Total), s.Balance.FormatTonnes()
		return fmt.Sprintf("%s; in all%s by %d, %s left", strings.Join(rows, "; "), total, len(s.Retired), left)
	})
}

func TestWhatWasSoldIsNotBought(t *testing.T) {
	source := modeltest.YearOfTwo()
	wallet := &source.Inventory.Projects[1].Vintages[0].Wallets[0]
	sold := modeltest.Buy("2026-01-16", 5, 700)
	sold.Type = portfolio.Sell
	wallet.Trades, wallet.Quantity = append(wallet.Trades, sold), 35e6
	s := newStatement(t, source)
	must.Hold(t, s.Balance == 42e6 && s.Total.Bought == 90e6 && len(s.Notes) == 2, s.Balance, s.Total, s.Notes)
	source.To = time.Date(2026, 1, 16, 0, 0, 0, 0, time.UTC)
	must.Equal(t, newStatement(t, source).Balance, 70e6, "before the sale")
	source.To = time.Date(2026, 2, 1, 0, 0, 0, 0, time.UTC)
	must.Equal(t, newStatement(t, source).Balance, 55e6, "after it")
}

func TestTheBalanceOfThePastIsReckonedBack(t *testing.T) {
	source := modeltest.YearOfTwo()
	source.To = time.Date(2026, 2, 1, 0, 0, 0, 0, time.UTC)
	// Bought until then were 80 t; 20 t were in requests.
	must.Equal(t, newStatement(t, source).Balance, 60e6)
	source.Requests = source.Requests[1:]
	s := newStatement(t, source)
	if s.Balance.Known() || len(s.Notes) != 2 ||
		!strings.HasPrefix(s.Notes[0].String(),
			"20 t were bought that are neither in a wallet nor in a request of the ledger") {
		t.Errorf("balance %s, %q", s.Balance.FormatTonnes(), s.Notes)
	}
	source.To = source.Now
	if s := newStatement(t, source); s.Balance != 47e6 || len(s.Notes) != 3 {
		t.Errorf("balance %s, %q", s.Balance.FormatTonnes(), s.Notes)
	}
}

func TestWhatIsMissingOfLaterPurchasesIsNothingToAStatement(t *testing.T) {
	day := func(month time.Month, day int) time.Time { return time.Date(2026, month, day, 0, 0, 0, 0, time.UTC) }
	for _, c := range []struct {
		to      time.Time
		note    string
		balance model.Grams
	}{
		// The wind was bought on 31 January and on 1 February, 10 and 20 t; 20 t of
		// it are not accounted for.
		{day(1, 31), "", 50e6},
		{day(2, 1), "Up to 10 t that were bought by the end of this time are neither in a wallet", model.UnknownGrams},
		{day(2, 2), "20 t were bought that are neither in a wallet", model.UnknownGrams},
		{day(3, 1), "20 t were bought that are neither in a wallet", 47e6},
	} {
		source := modeltest.YearOfTwo()
		source.Requests = slices.DeleteFunc(source.Requests, func(r *retirement.Request) bool { return r.ID == "r3" })
		source.To = c.to
		s := newStatement(t, source)
		if notes := strings.Join(advice.Strings(s.Notes), " "); s.Balance != c.balance || !strings.HasPrefix(notes, c.note) ||
			c.note == "" && notes != "" {
			t.Errorf("until %s: balance %s, %q", c.to, s.Balance.FormatTonnes(), s.Notes)
		}
	}
}

func TestWhatIsMissingOfOneVintageIsNotMadeUpForByAnother(t *testing.T) {
	source := modeltest.YearOfTwo()
	source.Requests[0].VintageID = "f18"
	s := newStatement(t, source)
	if len(s.Notes) != 3 || !strings.HasPrefix(s.Notes[0].String(), "20 t were bought") ||
		s.Notes[1].String() != "20 t are in wallets and requests that no trade has bought." {
		t.Errorf("%q", s.Notes)
	}
}

func TestWhatCannotBeReadIsNotedAndNeverGuessed(t *testing.T) {
	source := modeltest.YearOfTwo()
	wallet := &source.Inventory.Projects[0].Vintages[0].Wallets[0]
	wallet.Trades = append(wallet.Trades,
		portfolio.Trade{ExecutionDate: modeltest.OnDay("2026-01-01"), Quantity: model.UnknownGrams, Price: 1,
			Type: portfolio.Buy},
		portfolio.Trade{ExecutionDate: modeltest.OnDay("2026-01-01"), Quantity: 1e6, Price: 1, Type: portfolio.Sell})
	source.Requests[0].RetiredAt = model.ParseTimestamp("soon")
	s := newStatement(t, source)
	if s.Balance.Known() || s.Total.Retired != 30e6 || len(s.Notes) != 5 {
		t.Errorf("balance %s, retired %s, %q", s.Balance.FormatTonnes(), s.Total.Retired.FormatTonnes(), s.Notes)
	}
}

// The table was made by hand: 30 t of Guyana's forest, of which 20 t are
// labelled and 5 t of those adjusted, and 20 t of wind in Croatia.
func TestDisclosureSharesAgreeWithATableMadeByHand(t *testing.T) {
	source := modeltest.YearOfTwo()
	source.Facts = attribute.NewFacts([]attribute.Fact{
		factOf(attribute.OfProject, "wind", attribute.Removal, attribute.ReducesEmissions),
		factOf(attribute.OfSerial, "ART-GY-102-2019-3-1 to 20", attribute.CCP, attribute.Labelled),
		factOf(attribute.OfSerial, "ART-GY-102-2019-3-16 to 20", attribute.Article6, "adjusted"),
		factOf(attribute.OfVintage, "w20", attribute.CCP, attribute.NotLabelled),
	})
	want := []statement.DisclosureShare{
		{Name: "standard", Parts: []statement.SharePart{{Value: "ART", Grams: 30e6}, {Value: "Gold Standard", Grams: 20e6}}},
		{Name: "country_group",
			Parts: []statement.SharePart{{Value: "European Union", Grams: 20e6}, {Value: "elsewhere", Grams: 30e6}}},
		{Name: "removal", Parts: []statement.SharePart{{Value: "reduction", Grams: 20e6}}, Unclassified: 30e6},
		{Name: "ccp", Parts: []statement.SharePart{{Value: "no", Grams: 20e6}, {Value: "yes", Grams: 20e6}},
			Unclassified: 10e6},
		{Name: "article6", Parts: []statement.SharePart{{Value: "adjusted", Grams: 5e6}}, Unclassified: 45e6},
	}
	must.Equal(t, newStatement(t, source).Shares, want)
	source.Projects = nil
	got := newStatement(t, source).Shares[1]
	must.Hold(t, got.Unclassified == 50e6 && got.Parts == nil, "countries of projects that are not known", got)
}

func TestAStatementThatDoesNotFitIsAnError(t *testing.T) {
	source := modeltest.YearOfTwo()
	huge := modeltest.Buy("2026-01-01", 9_223_372_036_854, 1)
	source.Inventory.Projects[0].Vintages[0].Wallets[0].Trades = []portfolio.Trade{huge, huge}
	must.Equal(t, must.Err(statement.New(source)), model.ErrOverflow)
}

func TestProjectsStandInTheOrderOfTheirNames(t *testing.T) {
	source := modeltest.YearOfTwo()
	source.By = statement.PerProject
	for wind, want := range map[string][]string{"": {"forest", "wind"}, "An old wind farm": {"wind", "forest"},
		"an older one": {"wind", "forest"}} {
		source.Projects["forest"] = model.Project{ID: "forest", Name: "Bale Mountains"}
		source.Projects["wind"] = model.Project{ID: "wind", Name: wind}
		var keys []string
		for _, row := range newStatement(t, source).Rows {
			keys = append(keys, row.Key)
		}
		must.Equal(t, keys, want, wind)
	}
}

func factOf(scope attribute.Scope, id string, a attribute.Attribute, value string) attribute.Fact {
	return attribute.Fact{Scope: scope, ID: id, Attribute: a, Value: value, Source: "https://icvcm.org/x",
		Checked: time.Date(2026, 3, 1, 0, 0, 0, 0, time.UTC)}
}

func TestRetiredIsUnknownWithoutARequest(t *testing.T) {
	source := modeltest.YearOfTwo()
	open := source.Requests[slices.IndexFunc(source.Requests,
		func(r *retirement.Request) bool { return r.Status == retirement.Open })]
	later := modeltest.RetirementOf("r9", "wind", "w20", "2026-02-20", "", "Ann", 3e6)
	later.RetiredAt = modeltest.OnDay("2026-03-20")
	for name, c := range map[string]struct {
		requests []*retirement.Request
		want     model.Grams
	}{
		"empty ledger":             {nil, model.UnknownGrams},
		"pending request":          {[]*retirement.Request{open}, 0},
		"retired after the period": {[]*retirement.Request{later}, 0},
	} {
		t.Run(name, func(t *testing.T) {
			source := source
			source.Requests = c.requests
			s := newStatement(t, source)
			if february := s.Rows[1]; february.Key != "2026-02" || february.Retired != c.want || s.Total.Retired != c.want {
				t.Errorf("retired %s in %s, %s in all, want %s", february.Retired, february.Key, s.Total.Retired, c.want)
			}
			must.Equal(t, s.AtLeast, c.want.Known(), s.Total.Retired)
			january := s.Rows[0]
			must.Hold(t, !january.Retired.Known(), "retired", january.Retired)
		})
	}
}

func TestSharesOfABeneficiaryAreOfItsPartAlone(t *testing.T) {
	source := modeltest.YearOfTwo()
	source.Beneficiary = "bo"
	for _, share := range newStatement(t, source).Shares {
		sum := share.Unclassified
		for _, part := range share.Parts {
			sum += part.Grams
		}
		must.Equal(t, sum, 5e6, share.Name, sum.FormatTonnes())
	}
}

func TestAStatementNotesWhatSpeaksAgainstTheRequestsItCounts(t *testing.T) {
	const twice = "Credits counted as retired are claimed by more than one request: ART 16 to 20 by r1 and r2."
	const short = "Of 3 requests counted as retired 1 has doubts in the answers of the service: r2 (serials_sum_to_whole_tonnes). No certificate was looked at for this: their evidence may say more."
	source := modeltest.YearOfTwo()
	must.Equal(t, advice.Strings(newStatement(t, source).Notes), []string{}, "sound requests")
	source.Requests[1].SerialNumbers = []string{"ART-GY-102-2019-3-16 to 25"}
	must.Equal(t, advice.Strings(newStatement(t, source).Notes), []string{twice}, "credits of two requests")
	source.Requests[2].SerialNumbers = []string{"ART-GY-102-2019-3-16 to 20"}
	if notes := advice.Strings(newStatement(t, source).Notes); len(notes) == 0 ||
		!strings.HasPrefix(notes[0], "Credits counted as retired are claimed by more than one request: ") {
		t.Errorf("credits of three requests: %q", notes)
	}
	source.Requests[2].SerialNumbers = modeltest.YearOfTwo().Requests[2].SerialNumbers
	source.Requests[1].SerialNumbers = []string{"ART-GY-102-2019-3-16 to 24"}
	must.Equal(t, advice.Strings(newStatement(t, source).Notes), []string{twice, short}, "and a range that is too short")
	// Only one of the two is in the time, and the failed check is not.
	source.To = time.Date(2026, 2, 1, 0, 0, 0, 0, time.UTC)
	notes := advice.Strings(newStatement(t, source).Notes)
	must.Hold(t, len(notes) != 0 && notes[0] == twice && !slices.Contains(notes, short), "of January alone", notes)
	source.Requests[0].RetiredAt = model.Timestamp{}
	notes = advice.Strings(newStatement(t, source).Notes)
	must.Hold(t, !slices.Contains(notes, twice), "of none of the two", notes)
}

func TestEqualUnreadSerialsAreNotRetiredTwice(t *testing.T) {
	source := modeltest.YearOfTwo()
	source.Requests = append(source.Requests,
		modeltest.RetirementOf("r8", "wind", "w20", "2026-02-11", "FOO-BAR-1", "Ann", 1e6),
		modeltest.RetirementOf("r9", "wind", "w20", "2026-02-11", "FOO-BAR-1", "Ann", 1e6))
	s, err := statement.New(source)
	notes := strings.Join(advice.Strings(s.Notes), "\n")
	must.Hold(t, err == nil && !strings.Contains(notes, "claimed by more than one") && !strings.Contains(notes, "doubts"),
		notes, err)
}
