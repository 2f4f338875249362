package retire

import (
	"errors"
	"fmt"
	"strings"

	"tonne/api/wire"
	"tonne/model"
	"tonne/model/country"
	"tonne/model/retirement"
)

// Check returns an error for an invalid request or reference. It does not read the market.
func Check(reference string, r retirement.RetireRequest) error {
	for _, text := range []string{reference, r.VintageID, r.SellOrderID, r.Retiree.ID, r.Retiree.Name, r.Retiree.TaxID, r.Retiree.Country} {
		if len(text) > 500 || text != strings.TrimSpace(text) || wire.Clean(text) != text {
			return errors.New("a text is longer than 500 bytes or holds characters that do not show")
		}
	}
	switch c := r.Retiree; {
	case r.VintageID == "":
		return errors.New("the vintage is missing")
	case r.Quantity <= 0:
		return retirement.ErrNothingToRetire
	case !c.External() && c.ID != "":
		return errors.New("a customer's id needs the customer's name, tax id and country")
	case !c.External():
		return nil
	case c.Name == "" || c.TaxID == "" || c.Country == "":
		return errors.New("a customer has a name, a tax id and a country")
	case country.Name(c.Country) == "" || c.Country != strings.ToUpper(c.Country):
		return errors.New("the country is none that is known; give its code, such as GB")
	case !r.Quantity.IsWhole():
		return retirement.ErrCustomerFraction
	}
	return nil
}

// RequestText is a request as the journal keeps it.
func RequestText(r retirement.RetireRequest) string {
	return fmt.Sprintf("%d g of %q from %q for %q", r.Quantity, r.VintageID, r.SellOrderID, []string{r.Retiree.ID, r.Retiree.Name, r.Retiree.TaxID, r.Retiree.Country})
}

// SameRequest reports whether two RequestTexts are of one retirement. Another sell order
// does not make another one: it is chosen after the first was refused.
func SameRequest(a, b string) bool { return withoutOrder(a) == withoutOrder(b) }

func withoutOrder(text string) string {
	before, order, from := strings.Cut(text, "\" from \"")
	_, after, to := strings.Cut(order, "\" for [")
	if !from || !to {
		return text
	}
	return before + "\" for [" + after
}

// RequestQuantity returns the quantity of a RequestText; ok is false for another text.
func RequestQuantity(text string) (quantity model.Grams, ok bool) {
	digits, _, ok := strings.Cut(text, " g of ")
	if !ok {
		return 0, false
	}
	quantity, err := model.ParseGrams(digits)
	return quantity, err == nil
}

// SaidDearer says what a plan that buys from one order, because it has enough,
// costs above the cheapest orders together, and what to do.
func SaidDearer(by model.Cents) string {
	return "The cheapest orders together cost " + by.FormatDollars() + " less: retire in parts, each no more than the cheapest order has"
}

// ParseQuantity reads a quantity as a person types it: "2.5", "2.5 t" or "20 g".
func ParseQuantity(text string) (model.Grams, error) {
	text = strings.TrimSpace(strings.ToLower(text))
	if grams, ok := strings.CutSuffix(text, "g"); ok {
		n, err := model.ParseNumber(strings.TrimSpace(grams))
		return model.Grams(n), err
	}
	return model.ParseTonnes(strings.TrimSpace(strings.TrimSuffix(text, "t")))
}

// FormatQuantity is a quantity as ParseQuantity reads it, in as few characters as
// show it: "2.5 t", and "20 g" where tonnes are zeros for the most part.
func FormatQuantity(g model.Grams) string {
	const kilogram = 1000
	if 0 < g && g < kilogram {
		return g.FormatGrams()
	}
	text := strings.TrimSuffix(g.FormatTonnes(), " t")
	if strings.Contains(text, ".") {
		text = strings.TrimRight(text, "0")
	}
	return text + " t"
}
