package model_test

import (
	"errors"
	"fmt"
	"strings"
	"testing"

	"tonne/model"
	must "tonne/model/musttest"
	"tonne/model/texttest"
)

func TestAmountsOfMoneyInCommands(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		text  string
		cents model.Cents
		err   error
		twice string
	}{
		{text: "$7", cents: 700},
		{text: "7.00", cents: 700},
		{text: "7.5", cents: 750},
		{text: " $1,234.50 ", cents: 123450},
		{text: "$25000", cents: 2500000},
		{text: "620c", cents: 620},
		{text: "620 c", cents: 620},
		{text: "620C", cents: 620},
		{text: "620¢", cents: 620},
		{text: "1,000c", cents: 1000},
		{text: "0", cents: 0},
		{text: "0c", cents: 0},
		{text: "00", cents: 0},
		{text: "25000", twice: "25000: $25000.00 or 25000c, which is $250.00?"},
		{text: "7", twice: "7: $7.00 or 7c, which is $0.07?"},
		{text: "1,000", twice: "1,000: $1000.00 or 1000c, which is $10.00?"},
		{text: "007", twice: "007: $7.00 or 7c, which is $0.07?"},
		{text: "92233720368547758",
			twice: "92233720368547758: $92233720368547758.00 or 92233720368547758c, which is $922,337,203,685,477.58?"},
		{text: "7.001", err: model.ErrNotDigits},
		{text: "1.000", err: model.ErrNotDigits},
		{text: "6,20", err: model.ErrNotDigits},
		{text: "$7c", err: model.ErrNotDigits},
		{text: "6.20c", err: model.ErrNotDigits},
		{text: "25k", err: model.ErrNotDigits},
		{text: "-7.00", err: model.ErrNotDigits},
		{text: "$", err: model.ErrNotDigits},
		{text: "c", err: model.ErrNotDigits},
		{text: "", err: model.ErrNotDigits},
		{text: "7 USD", err: model.ErrNotDigits},
		{text: "€7", err: model.ErrNotDigits},
		{text: "99999999999999999999c", err: model.ErrOutOfRange},
		{text: "$99999999999999999999", err: model.ErrOutOfRange},
	} {
		got, err := model.ParseAmount(tt.text)
		if tt.twice != "" {
			must.Hold(t, model.IsAmbiguous(err) && err.Error() == tt.twice, tt.text, err)
			continue
		}
		must.Hold(t, got == tt.cents && errors.Is(err, tt.err), tt.text, got, err)
	}
}

func TestTonnesThatLookLikeThousandsAreRefused(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		text  string
		grams model.Grams
		twice string
	}{
		{"1.000", 0, "1.000: 1 t or 1,000 t?"},
		{" 250.000 ", 0, "250.000: 250 t or 250,000 t?"},
		{"1.00", 1_000_000, ""},
		{"1.0000", 1_000_000, ""},
		{"1.500", 1_500_000, ""},
		{"0.000001", 1, ""},
		{"0.000", 0, ""},
		{"1234.000", 1_234_000_000, ""},
		{"1,234.000", 1_234_000_000, ""},
		{"1,000", 1_000_000_000, ""},
	} {
		got, err := model.ParseTonnes(tt.text)
		if tt.twice != "" {
			must.Hold(t, model.IsAmbiguous(err) && err.Error() == tt.twice, tt.text, err)
			continue
		}
		must.Hold(t, err == nil && got == tt.grams, tt.text, got, err)
	}
}

// TestReadingsOfAnAmbiguousNumberAreNotAmbiguous reads both readings again.
func TestReadingsOfAnAmbiguousNumberAreNotAmbiguous(t *testing.T) {
	t.Parallel()
	for _, text := range []string{"7", "25000", "1,000"} {
		_, err := model.ParseAmount(text)
		readings, _, _ := strings.Cut(strings.TrimPrefix(err.Error(), text+": "), ", which")
		for i, reading := range strings.Split(readings, " or ") {
			cents := must.Get(model.ParseAmount(reading))
			digits := must.Get(model.ParseNumber(text))
			must.Equal(t, int64(cents), digits*[]int64{100, 1}[i], reading)
		}
	}
}

func TestQuantitiesThatUsersType(t *testing.T) {
	texttest.Table(t, "quantities", func(text string) string {
		g, err := model.ParseQuantity(text, 12_500_000)
		if err != nil {
			return err.Error()
		}
		return fmt.Sprintf("%d.%06d t", g/model.GramsPerTonne, g%model.GramsPerTonne)
	})
	_, err := model.ParseQuantity("all", model.UnknownGrams)
	must.Hold(t, errors.Is(err, model.ErrNotDigits), err)
}
