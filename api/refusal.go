package api

import (
	"errors"
	"net/http"
	"slices"
)

// IsRefusal reports whether err is the service's refusal of a retirement call: a
// 422 whose body is whole JSON with a code that the interface names (section 7.1).
// A 422 with any other body may come from a gateway, after the call took effect.
func IsRefusal(err error) bool {
	e, ok := errors.AsType[*Error](err)
	return ok && e.Status == http.StatusUnprocessableEntity && !e.damaged && refusalAt(e.Code) >= 0
}

func refusalAt(code string) int {
	return slices.IndexFunc(Refusals(), func(r Refusal) bool { return r.Code == code })
}

// Refusal is a code with which the service refuses to retire (interface section
// 7.1): what happened, and what to do before the next plan. A refused call had no
// effect.
type Refusal struct {
	Code, What, Todo string
	// OtherOrder says that no call can buy from the sell order.
	OtherOrder bool
}

const otherOrder = "a new plan takes another sell order"

// Refusals returns every code that the interface names.
func Refusals() []Refusal {
	return []Refusal{
		{"FRAC_QUANT_INVALID_NUMBER", "the quantity is not a whole number of grams", "give the quantity in tonnes or whole grams", false},
		{"FRAC_QUANT_LESS_THAN_EQ_ZERO", "the quantity is not above zero", "give a quantity above zero", false},
		{"SELL_ORDER_MISSING_EXP_PRICE", "the call named no price for the sell order", "a new plan names the price of each sell order", false},
		{"SELL_ORDER_EXP_PRICE_INVALID_NUMBER", "the price of the sell order cannot be read", otherOrder, true},
		{"SELL_ORDER_EXP_PRICE_LESS_THAN_EQ_ZERO", "the price of the sell order is not above zero", otherOrder, true},
		{"VINTAGE_ID_NOT_EXISTS", "the service does not know the vintage", "check the id in the market", false},
		{"MISSING_SELL_ORDER_ID", "the wallet has less than was planned with", "a new plan buys what is missing", false},
		{"PRICE_SUPPLIED_DIFF_CURRENT_PRICE", "the price moved", "a new plan shows the new price", false},
		{"QUANT_TONNES_INVALID_NUMBER", "a customer's retirement is in whole tonnes", "give whole tonnes", false},
		{"QUANT_TONNES_TOO_LOW", "a customer's retirement is at least one tonne", "give one tonne or more", false},
		{"SELL_ORDER_NOT_EXISTS", "the sell order is gone", otherOrder, true},
		{"SELL_ORDER_NOT_LIVE", "the sell order was sold or withdrawn", otherOrder, true},
		{"SELL_ORDER_SUPPLY_TOO_LOW", "another buyer bought from the sell order", "a new plan uses what is left", false},
		{"VINTAGE_SUPPLIED_DIFF_SELL_ORDER_VINTAGE", "the sell order is of another vintage", otherOrder, true},
		{"PURCHASE_OWN_CREDITS", "the sell order is your own", otherOrder, true},
		{"INVOICE_NOT_LIVE", "this month's invoice is settled and takes no purchases", "wait for next month, or ask the service's operator", false},
	}
}

// RefusalOf returns why a call was refused. A code that the interface does not
// name is returned with the message of the service.
func RefusalOf(err error) Refusal {
	other := Refusal{What: "the service refused it", Todo: "a new plan may be accepted; otherwise ask the service's operator"}
	e, ok := errors.AsType[*Error](err)
	if !ok {
		return other
	}
	if at := refusalAt(e.Code); at >= 0 {
		return Refusals()[at]
	}
	if other.Code = e.Code; e.Message != "" {
		other.What += ": " + e.Message
	}
	return other
}
