package cli

import (
	"errors"

	"tonne/api"
)

// refusalAdvice says what to do about each way in which the service refuses to
// retire (interface section 7.1). A refusal has had no effect.
var refusalAdvice = map[string]string{
	"FRAC_QUANT_INVALID_NUMBER":                "give the quantity in whole grams, such as --grams 20",
	"FRAC_QUANT_LESS_THAN_EQ_ZERO":             "give a quantity above zero",
	"SELL_ORDER_MISSING_EXP_PRICE":             "run it again: the new plan names the price of each sell order",
	"SELL_ORDER_EXP_PRICE_INVALID_NUMBER":      "look at the sell order with `tonne market`: its price cannot be paid as it stands there",
	"SELL_ORDER_EXP_PRICE_LESS_THAN_EQ_ZERO":   "choose another sell order with --order: this one has no price above zero",
	"VINTAGE_ID_NOT_EXISTS":                    "check the id: `tonne market` lists the vintages that are for sale",
	"MISSING_SELL_ORDER_ID":                    "run it again: the wallet holds less than was planned with, and the new plan buys what is missing",
	"PRICE_SUPPLIED_DIFF_CURRENT_PRICE":        "the price has moved: run it again to see the new one",
	"QUANT_TONNES_INVALID_NUMBER":              "a customer's retirement is in whole tonnes: give --tonnes",
	"QUANT_TONNES_TOO_LOW":                     "a customer's retirement is of one tonne at least: give --tonnes 1 or more",
	"SELL_ORDER_NOT_EXISTS":                    "the sell order is gone: run it again without --order, or name one that `tonne market` lists",
	"SELL_ORDER_NOT_LIVE":                      "the sell order was sold or withdrawn: run it again to plan with another one",
	"SELL_ORDER_SUPPLY_TOO_LOW":                "somebody bought of the sell order: run it again to plan with what is left",
	"VINTAGE_SUPPLIED_DIFF_SELL_ORDER_VINTAGE": "the sell order is of another vintage: name one of this vintage with --order, or none",
	"PURCHASE_OWN_CREDITS":                     "the sell order is your own: name another one with --order",
	"INVOICE_NOT_LIVE":                         "this month's invoice is settled and takes no purchases: run it again next month, or ask the service's operator",
}

// otherRefusal is what to do about a refusal that the interface does not name.
const otherRefusal = "nothing was retired by it: run it again for a new plan, or ask the service's operator"

// adviceFor says what to do about a call that was refused.
func adviceFor(err error) string {
	if e, ok := errors.AsType[*api.Error](err); ok {
		if advice := refusalAdvice[e.Code]; advice != "" {
			return advice
		}
	}
	return otherRefusal
}
