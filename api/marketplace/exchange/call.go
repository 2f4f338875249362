package exchange

import (
	"errors"
	"strings"

	"tonne/model"
	"tonne/model/country"
)

// Refusal is an error for the client: a rule does not permit the request.
type Refusal struct {
	// Code is an error code of the interface, such as SELL_ORDER_NOT_LIVE.
	Code string
	// Message is a sentence for the client, without a full stop.
	Message string
}

// Error returns the code and the message.
func (r *Refusal) Error() string { return r.Code + " " + r.Message }

func refuse(code, message string) *Refusal { return &Refusal{code, message} }

// RetirementCall is a call to retire credits, and to buy those that the wallet lacks.
type RetirementCall struct {
	VintageID string
	Quantity  model.Grams
	// ExternalID is the tenant's own id of the call. Calls with the same id take effect once.
	ExternalID string
	// SellOrderID and ExpectedPrice define the purchase of the credits that the wallet lacks.
	SellOrderID   string
	ExpectedPrice model.PriceCents
	// External reports that the retiree is a customer of the tenant.
	External  bool
	Retiree   Retiree
	RetireeID string
}

// Retiree is the beneficiary of a retirement.
type Retiree struct{ Name, TaxID, Country string }

func retiree(row Row) Retiree { return Retiree{row.Text(0), row.Text(1), row.Text(2)} }

// IsCountry reports whether code is a two-letter code of ISO 3166-1 in capitals. EU and UK are
// not in that standard.
func IsCountry(code string) bool { return code == strings.ToUpper(code) && country.Name(code) != "" }

// ParseQuantity reads the quantity of a call, in grams. The error is a *Refusal.
func ParseQuantity(text string, external bool) (model.Grams, error) {
	n, err := parsePositive(text)
	switch {
	case errors.Is(err, errNotPositive):
		return 0, refuse("FRAC_QUANT_LESS_THAN_EQ_ZERO", "quantity_grams must be more than 0")
	case err != nil:
		return 0, refuse("FRAC_QUANT_INVALID_NUMBER", "quantity_grams must be a string of digits up to 9223372036854775807")
	case external && n < model.GramsPerTonne:
		return 0, refuse("QUANT_TONNES_TOO_LOW",
			"quantity_grams must be at least one tonne, 1000000, for an external customer")
	case external && n%model.GramsPerTonne != 0:
		return 0, refuse("QUANT_TONNES_INVALID_NUMBER",
			"quantity_grams must be whole tonnes, a multiple of 1000000, for an external customer")
	}
	return model.Grams(n), nil
}

// ParseExpectedPrice reads the expected price of a call, in cents per tonne. The error is a
// *Refusal.
func ParseExpectedPrice(text string) (model.PriceCents, error) {
	n, err := parsePositive(text)
	switch {
	case errors.Is(err, errNotPositive):
		return 0, refuse("SELL_ORDER_EXP_PRICE_LESS_THAN_EQ_ZERO", "expected_price_cents must be more than 0")
	case err != nil:
		return 0, refuse("SELL_ORDER_EXP_PRICE_INVALID_NUMBER",
			"expected_price_cents must be a string of digits up to 9223372036854775807")
	}
	return model.PriceCents(n), nil
}

// ErrNoExpectedPrice is returned for a call with a sell order and without a price.
var ErrNoExpectedPrice = refuse("SELL_ORDER_MISSING_EXP_PRICE", "expected_price_cents is needed with sell_order_id")

var errNotPositive = errors.New("must be more than 0")

func parsePositive(text string) (int64, error) {
	digits, negative := strings.CutPrefix(text, "-")
	n, err := model.ParseDigits(digits)
	if negative && (err == nil || errors.Is(err, model.ErrOutOfRange)) || err == nil && n == 0 {
		return 0, errNotPositive
	}
	return n, err
}
