package exchange

import (
	"errors"
	"testing"

	"tonne/model"
)

func code(err error) string {
	var told *Refusal
	if errors.As(err, &told) {
		return told.Code
	}
	return ""
}

func TestParseQuantity(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		text     string
		external bool
		grams    model.Grams
		code     string
	}{
		{text: "20", grams: 20},
		{text: "9223372036854775807", grams: 9223372036854775807},
		{text: "3000000", external: true, grams: 3_000_000},
		{text: "0", code: "FRAC_QUANT_LESS_THAN_EQ_ZERO"},
		{text: "-5", code: "FRAC_QUANT_LESS_THAN_EQ_ZERO"},
		{text: "-99999999999999999999", code: "FRAC_QUANT_LESS_THAN_EQ_ZERO"},
		{text: "", code: "FRAC_QUANT_INVALID_NUMBER"},
		{text: "1.5", code: "FRAC_QUANT_INVALID_NUMBER"},
		{text: "-", code: "FRAC_QUANT_INVALID_NUMBER"},
		{text: "9223372036854775808", code: "FRAC_QUANT_INVALID_NUMBER"},
		{text: "999999", external: true, code: "QUANT_TONNES_TOO_LOW"},
		{text: "1000001", external: true, code: "QUANT_TONNES_INVALID_NUMBER"},
	} {
		if grams, err := ParseQuantity(test.text, test.external); grams != test.grams || code(err) != test.code {
			t.Errorf("%q, external %v: %d g, %v", test.text, test.external, grams, err)
		}
	}
}

func TestParseExpectedPrice(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		text  string
		cents model.PriceCents
		code  string
	}{
		{text: "620", cents: 620},
		{text: "0", code: "SELL_ORDER_EXP_PRICE_LESS_THAN_EQ_ZERO"},
		{text: "-1", code: "SELL_ORDER_EXP_PRICE_LESS_THAN_EQ_ZERO"},
		{text: "6.20", code: "SELL_ORDER_EXP_PRICE_INVALID_NUMBER"},
	} {
		if cents, err := ParseExpectedPrice(test.text); cents != test.cents || code(err) != test.code {
			t.Errorf("%q: %d, %v", test.text, cents, err)
		}
	}
}
