package marketplace

import (
	"errors"

	"tonne/api/wire"
	"tonne/model"
)

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

// readOrder checks everything about a request that does not depend on the
// market: first that its members are of the right kind, then each number with
// its own error code.
func readOrder(body wire.Request) (order, error) {
	in := bodyReader{body: body}
	var o order
	o.vintageID = in.required("vintage_id")
	o.externalID = in.required("external_id")
	o.sellOrderID = in.text("sell_order_id")
	o.retireeID = in.text("external_retiree_id")
	o.external = in.flag("should_retire_external_customer")
	o.retiree = readRetiree(&in, o.external)
	err := in.err()
	if err != nil {
		return order{}, err
	}
	if o.quantity, err = quantityOf(body, o.external); err != nil {
		return order{}, err
	}
	if o.expectedPrice, err = expectedPriceOf(body, o.sellOrderID); err != nil {
		return order{}, err
	}
	return o, nil
}

// readRetiree reads in whose name the credits are retired. It must be there
// where that is the tenant's customer.
func readRetiree(in *bodyReader, external bool) retiree {
	read := in.text
	if external {
		read = in.required
	}
	who := retiree{
		name:    read("external_retiree_name"),
		taxID:   read("external_retiree_tax_id"),
		country: read("external_retiree_location"),
	}
	if who.country != "" && !isCountry(who.country) {
		in.broken = append(in.broken, "external_retiree_location must be a two-letter country code such as GB")
	}
	return who
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
