package wire

import (
	"strings"

	"tonne/model/retirement"
)

// AppendRetireCall appends the body of POST /api/caas/request-retirement (interface
// section 4.5).
func AppendRetireCall(dst []byte, externalID string, c retirement.Call) []byte {
	dst = appendText(append(dst, `{"vintage_id":`...), c.VintageID)
	dst = appendDigits(append(dst, `,"quantity_grams":`...), int64(c.Quantity))
	dst = appendText(append(dst, `,"external_id":`...), externalID)
	if c.SellOrderID != "" {
		dst = appendText(append(dst, `,"sell_order_id":`...), c.SellOrderID)
		dst = appendDigits(append(dst, `,"expected_price_cents":`...), int64(c.Price))
	}
	dst = appendOptional(dst, "external_retiree_id", c.Retiree.ID)
	if c.Retiree.External() {
		dst = append(dst, `,"should_retire_external_customer":true`...)
		dst = appendText(append(dst, `,"external_retiree_name":`...), c.Retiree.Name)
		dst = appendText(append(dst, `,"external_retiree_tax_id":`...), c.Retiree.TaxID)
		dst = appendText(append(dst, `,"external_retiree_location":`...), c.Retiree.Country)
	}
	return append(dst, '}')
}

// RetireAccepted is the answer to a call of the retirement-request operation
// that has had its effect.
type RetireAccepted struct {
	// RequestID is the retirement request that the credits went into.
	RequestID string
	// Replayed says that an earlier call with the same external id had the effect.
	Replayed bool
}

// DecodeRetireAccepted reads the answer of POST /api/caas/request-retirement.
func DecodeRetireAccepted(body []byte) (RetireAccepted, error) {
	var answer RetireAccepted
	r := newReader(body)
	for range r.object("retirement_request_id") {
		switch string(r.name) {
		case "retirement_request_id":
			if answer.RequestID = r.text(); answer.RequestID == "" {
				r.fail("is empty")
			}
		case "external_id_already_processed":
			// A replay that is taken for a first call may be counted twice.
			switch flag := strings.Trim(string(r.value()), `"`); flag {
			case "true", "1":
				answer.Replayed = true
			case "false", "0", "null":
			default:
				r.fail("is neither true nor false")
			}
		default:
			r.skip()
		}
	}
	return answer, r.finish()
}
