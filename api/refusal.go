package api

import (
	"errors"
	"net/http"
	"slices"
)

// IsRefusal reports whether err is a refusal of a retirement call by the service: a
// 422 with an intact JSON body and a code of section 7.1 of the interface. A 422 with
// any other body may come from a gateway after the call took effect.
func IsRefusal(err error) bool {
	e, ok := errors.AsType[*Error](err)
	return ok && e.Status == http.StatusUnprocessableEntity && !e.damaged && refusalAt(e.Code) >= 0
}

func refusalAt(code string) int {
	return slices.IndexFunc(Refusals(), func(r Refusal) bool { return r.Code == code })
}

// Refusal explains a code with which the service refuses to retire (interface section
// 7.1): what happened, and what to do. A refused call had no effect.
type Refusal struct {
	Code, What, Todo string
	// OtherOrder reports that no call can buy from the sell order.
	OtherOrder bool
	// quoted reports that only the message of the service says what is wrong.
	quoted bool
}

const otherOrder = "a new plan takes another sell order"

// Refusals returns all codes of section 7.1 of the interface.
func Refusals() []Refusal {
	return []Refusal{
		{Code: "FRAC_QUANT_INVALID_NUMBER", What: "the quantity is not a whole number of grams",
			Todo: "give the quantity in tonnes or whole grams"},
		{Code: "FRAC_QUANT_LESS_THAN_EQ_ZERO", What: "the quantity is not above zero", Todo: "give a quantity above zero"},
		{Code: "SELL_ORDER_MISSING_EXP_PRICE", What: "the call named no price for the sell order",
			Todo: "a new plan names the price of each sell order"},
		{Code: "SELL_ORDER_EXP_PRICE_INVALID_NUMBER", What: "the price of the sell order cannot be read", Todo: otherOrder,
			OtherOrder: true},
		{Code: "SELL_ORDER_EXP_PRICE_LESS_THAN_EQ_ZERO", What: "the price of the sell order is not above zero",
			Todo: otherOrder, OtherOrder: true},
		{Code: "VINTAGE_ID_NOT_EXISTS", What: "the service does not know the vintage", Todo: "check the id in the market"},
		{Code: "MISSING_SELL_ORDER_ID", What: "the wallet has less than was planned with",
			Todo: "a new plan buys what is missing"},
		{Code: "PRICE_SUPPLIED_DIFF_CURRENT_PRICE", What: "the price moved", Todo: "a new plan shows the new price"},
		{Code: "QUANT_TONNES_INVALID_NUMBER", What: "a customer's retirement is in whole tonnes", Todo: "give whole tonnes"},
		{Code: "QUANT_TONNES_TOO_LOW", What: "a customer's retirement is at least one tonne", Todo: "give one tonne or more"},
		{Code: "SELL_ORDER_NOT_EXISTS", What: "the sell order is gone", Todo: otherOrder, OtherOrder: true},
		{Code: "SELL_ORDER_NOT_LIVE", What: "the sell order was sold or withdrawn", Todo: otherOrder, OtherOrder: true},
		{Code: "SELL_ORDER_SUPPLY_TOO_LOW", What: "another buyer bought from the sell order",
			Todo: "a new plan uses what is left"},
		{Code: "VINTAGE_SUPPLIED_DIFF_SELL_ORDER_VINTAGE", What: "the sell order is of another vintage", Todo: otherOrder,
			OtherOrder: true},
		{Code: "PURCHASE_OWN_CREDITS", What: "the sell order is your own", Todo: otherOrder, OtherOrder: true},
		{Code: "VALIDATION_ERROR", What: "the service does not accept a text of the call",
			Todo: "correct the text that the message names", quoted: true},
		{Code: "INVOICE_NOT_LIVE", What: "this month's invoice is settled and takes no purchases",
			Todo: "wait for next month, or ask the service's operator"},
	}
}

// RefusalOf returns the reason of a refusal. For a code that the interface does not
// define, it has the message of the service.
func RefusalOf(err error) Refusal {
	other := Refusal{What: "the service refused it",
		Todo: "a new plan may be accepted; otherwise ask the service's operator"}
	e, ok := errors.AsType[*Error](err)
	if !ok {
		return other
	}
	if at := refusalAt(e.Code); at >= 0 {
		known := Refusals()[at]
		if known.quoted && e.Message != "" {
			known.What += ": " + e.Message
		}
		return known
	}
	if other.Code = e.Code; e.Message != "" {
		other.What += ": " + e.Message
	}
	return other
}
