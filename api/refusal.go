package api

import (
	"errors"
	"net/http"
)

// IsRefusal reports whether err is the service's refusal of a retirement call: a
// 422 whose body is whole JSON with a code that the interface names (section 7.1).
// A 422 with any other body may come from a gateway, after the call took effect.
func IsRefusal(err error) bool {
	var e *Error
	return errors.As(err, &e) && e.Status == http.StatusUnprocessableEntity && !e.damaged && namedRefusal(e.Code)
}

func namedRefusal(code string) bool {
	switch code {
	case "FRAC_QUANT_INVALID_NUMBER", "FRAC_QUANT_LESS_THAN_EQ_ZERO", "QUANT_TONNES_INVALID_NUMBER", "QUANT_TONNES_TOO_LOW",
		"VINTAGE_ID_NOT_EXISTS", "MISSING_SELL_ORDER_ID", "SELL_ORDER_NOT_EXISTS", "SELL_ORDER_NOT_LIVE",
		"SELL_ORDER_SUPPLY_TOO_LOW", "VINTAGE_SUPPLIED_DIFF_SELL_ORDER_VINTAGE", "PURCHASE_OWN_CREDITS", "INVOICE_NOT_LIVE",
		"SELL_ORDER_MISSING_EXP_PRICE", "SELL_ORDER_EXP_PRICE_INVALID_NUMBER", "SELL_ORDER_EXP_PRICE_LESS_THAN_EQ_ZERO",
		"PRICE_SUPPLIED_DIFF_CURRENT_PRICE":
		return true
	}
	return false
}
