package marketplace

import (
	"errors"
	"fmt"
	"strings"
	"unicode"
	"unicode/utf8"

	"tonne/api/wire"
	"tonne/model"
)

// maxText is the longest text of a request, in bytes.
const maxText = 255

// order is a valid call of POST /api/caas/request-retirement.
type order struct {
	vintageID  string
	quantity   model.Grams
	externalID string
	// sellOrderID and expectedPrice name the purchase that covers what the
	// inventory does not; empty where there is none.
	sellOrderID   string
	expectedPrice model.PriceCents
	// external says that the retirement is in the name of the tenant's
	// customer: then the retiree is theirs, otherwise the tenant itself.
	external  bool
	retiree   retiree
	retireeID string
}

type retiree struct{ name, taxID, country string }

// orderReader reads the members of a request and collects what is wrong.
type orderReader struct {
	body   wire.Request
	broken []string
}

func (o *orderReader) text(name string) string {
	text, err := o.body.Text(name)
	switch {
	case err != nil:
		o.broken = append(o.broken, name+" "+err.Error())
		return ""
	case len(text) > maxText:
		o.broken = append(o.broken, fmt.Sprintf("%s must be at most %d bytes long", name, maxText))
	case !utf8.ValidString(text) || strings.ContainsFunc(text, unicode.IsControl):
		o.broken = append(o.broken, name+" must not hold control characters")
	}
	return text
}

func (o *orderReader) required(name string) string {
	before := len(o.broken)
	text := o.text(name)
	if len(o.broken) == before && strings.TrimSpace(text) == "" {
		o.broken = append(o.broken, name+" must not be empty")
	}
	return text
}

// readOrder checks everything about a request that does not depend on the
// market: first that its members are of the right kind, then each number with
// its own error code.
func readOrder(body wire.Request) (order, error) {
	in := orderReader{body: body}
	var o order
	o.vintageID = in.required("vintage_id")
	o.externalID = in.required("external_id")
	o.sellOrderID = in.text("sell_order_id")
	o.retireeID = in.text("external_retiree_id")
	in.readRetiree(&o)
	if len(in.broken) > 0 {
		return order{}, invalid(in.broken...)
	}
	var err error
	if o.quantity, err = quantityOf(body, o.external); err != nil {
		return order{}, err
	}
	if o.expectedPrice, err = expectedPriceOf(body, o.sellOrderID); err != nil {
		return order{}, err
	}
	return o, nil
}

// readRetiree reads in whose name the credits are retired. The details of a
// customer are needed where the flag is set.
func (in *orderReader) readRetiree(o *order) {
	var err error
	if o.external, err = in.body.Flag("should_retire_external_customer"); err != nil {
		in.broken = append(in.broken, "should_retire_external_customer "+err.Error())
	}
	read := in.text
	if o.external {
		read = in.required
	}
	o.retiree = retiree{
		name:    read("external_retiree_name"),
		taxID:   read("external_retiree_tax_id"),
		country: read("external_retiree_location"),
	}
	if c := o.retiree.country; c != "" && !isCountry(c) {
		in.broken = append(in.broken, "external_retiree_location must be a two-letter country code such as GB")
	}
}

func isCountry(s string) bool {
	return len(s) == 2 && 'A' <= s[0] && s[0] <= 'Z' && 'A' <= s[1] && s[1] <= 'Z'
}

// quantityOf reads quantity_grams. A customer's retirement is of whole tonnes.
func quantityOf(body wire.Request, external bool) (model.Grams, error) {
	n, err := positive(body, "quantity_grams")
	switch {
	case errors.Is(err, errNotPositive):
		return 0, refuse("FRAC_QUANT_LESS_THAN_EQ_ZERO", "quantity_grams must be more than 0")
	case err != nil:
		return 0, refuse("FRAC_QUANT_INVALID_NUMBER", "quantity_grams must be a string of digits up to 9223372036854775807")
	case external && n < model.GramsPerTonne:
		return 0, refuse("QUANT_TONNES_TOO_LOW", "quantity_grams must be at least one tonne, 1000000, for an external customer")
	case external && n%model.GramsPerTonne != 0:
		return 0, refuse("QUANT_TONNES_INVALID_NUMBER", "quantity_grams must be whole tonnes, a multiple of 1000000, for an external customer")
	}
	return model.Grams(n), nil
}

// expectedPriceOf reads expected_price_cents, which comes with a sell order.
func expectedPriceOf(body wire.Request, sellOrder string) (model.PriceCents, error) {
	if kind := body["expected_price_cents"].Kind(); kind == 0 || kind == 'n' {
		if sellOrder != "" {
			return 0, refuse("SELL_ORDER_MISSING_EXP_PRICE", "expected_price_cents is needed with sell_order_id")
		}
		return 0, nil
	}
	n, err := positive(body, "expected_price_cents")
	switch {
	case errors.Is(err, errNotPositive):
		return 0, refuse("SELL_ORDER_EXP_PRICE_LESS_THAN_EQ_ZERO", "expected_price_cents must be more than 0")
	case err != nil:
		return 0, refuse("SELL_ORDER_EXP_PRICE_INVALID_NUMBER", "expected_price_cents must be a string of digits up to 9223372036854775807")
	}
	return model.PriceCents(n), nil
}

var errNotPositive = errors.New("must be more than 0")

// positive reads a member that holds an integer as a string. The error is
// errNotPositive for zero and for negative integers.
func positive(body wire.Request, name string) (int64, error) {
	text, err := body.Text(name)
	if err != nil {
		return 0, err
	}
	digits, negative := strings.CutPrefix(text, "-")
	n, err := model.ParseGrams(digits)
	if negative && (err == nil || errors.Is(err, model.ErrOutOfRange)) || err == nil && n == 0 {
		return 0, errNotPositive
	}
	return int64(n), err
}
