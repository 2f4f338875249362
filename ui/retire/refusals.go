package retire

import (
	"errors"

	"tonne/api"
)

// refusal is what a code of the service says, and what to do.
type refusal struct{ what, todo string }

// useless are the codes that speak against the sell order itself: the next plan
// takes another one.
var useless = map[string]bool{
	"SELL_ORDER_EXP_PRICE_INVALID_NUMBER": true, "SELL_ORDER_EXP_PRICE_LESS_THAN_EQ_ZERO": true, "SELL_ORDER_NOT_EXISTS": true,
	"SELL_ORDER_NOT_LIVE": true, "VINTAGE_SUPPLIED_DIFF_SELL_ORDER_VINTAGE": true, "PURCHASE_OWN_CREDITS": true,
}

// refusals are the codes with which the service refuses to retire (interface
// section 7.1). None of them has had an effect. docs/retire.md has the same
// words.
var refusals = map[string]refusal{
	"FRAC_QUANT_INVALID_NUMBER":                {"the quantity is no whole number of grams", "plan again with a quantity in tonnes or whole grams"},
	"FRAC_QUANT_LESS_THAN_EQ_ZERO":             {"the quantity is not above zero", "plan again with a quantity above zero"},
	"SELL_ORDER_MISSING_EXP_PRICE":             {"no price was named for the sell order", "plan again: the new plan names the price of each order"},
	"SELL_ORDER_EXP_PRICE_INVALID_NUMBER":      {"the price of the sell order cannot be read", "plan again: the new plan takes another order"},
	"SELL_ORDER_EXP_PRICE_LESS_THAN_EQ_ZERO":   {"the price of the sell order is not above zero", "plan again: the new plan takes another order"},
	"VINTAGE_ID_NOT_EXISTS":                    {"the service does not know the vintage", "look for it on the Market tab: it may be listed under another id"},
	"MISSING_SELL_ORDER_ID":                    {"the wallet holds less than was planned with", "plan again: the new plan buys what is missing"},
	"PRICE_SUPPLIED_DIFF_CURRENT_PRICE":        {"the price moved", "plan again to see the new one"},
	"QUANT_TONNES_INVALID_NUMBER":              {"a customer's retirement is in whole tonnes", "plan again with whole tonnes"},
	"QUANT_TONNES_TOO_LOW":                     {"a customer's retirement is of one tonne at least", "plan again with one tonne or more"},
	"SELL_ORDER_NOT_EXISTS":                    {"the sell order is gone", "plan again: the new plan takes another order"},
	"SELL_ORDER_NOT_LIVE":                      {"the sell order was sold or withdrawn", "plan again: the new plan takes another order"},
	"SELL_ORDER_SUPPLY_TOO_LOW":                {"somebody bought of the sell order", "plan again with what is left"},
	"VINTAGE_SUPPLIED_DIFF_SELL_ORDER_VINTAGE": {"the sell order is of another vintage", "plan again: the new plan takes another order"},
	"PURCHASE_OWN_CREDITS":                     {"the sell order is your own", "plan again: the new plan takes another order"},
	"INVOICE_NOT_LIVE":                         {"this month's invoice is settled and takes no purchases", "retire again next month, or ask the service's operator"},
}

// otherRefusal is a refusal that the interface does not name.
var otherRefusal = refusal{"the service refused it", "plan again, or ask the service's operator"}

// refusalOf is why a call was refused.
func refusalOf(err error) refusal {
	var e *api.Error
	if !errors.As(err, &e) {
		return otherRefusal
	}
	if known, ok := refusals[e.Code]; ok {
		return known
	}
	r := otherRefusal
	if e.Message != "" {
		r.what += ": " + e.Message
	}
	return r
}

// codeOf is the code of the service in an error, or "".
func codeOf(err error) string {
	if e, ok := errors.AsType[*api.Error](err); ok {
		return e.Code
	}
	return ""
}
