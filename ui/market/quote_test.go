package market

import (
	"testing"

	must "tonne/model/musttest"
)

func TestParseQuoteOrder(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		typed string
		want  quoteOrder
	}{
		{"500", quoteOrder{false, 500_000_000}},
		{" 1,500 t ", quoteOrder{false, 1_500_000_000}},
		{"buy 3t", quoteOrder{false, 3_000_000}},
		{"Retire 0.02", quoteOrder{true, 20_000}},
		{"retire 15 t", quoteOrder{true, 15_000_000}},
	} {
		got, problem := parseQuoteOrder(c.typed)
		must.Hold(t, problem == "" && got == c.want, c.typed, got, problem)
		again, _ := parseQuoteOrder(got.String())
		must.Equal(t, again, got, c.typed)
	}
	for _, typed := range []string{"", "0", "retire", "-5", "1e3", "0.02", "five", "1.0000001", "99999999999999999999"} {
		got, problem := parseQuoteOrder(typed)
		must.Hold(t, problem != "", typed, got)
	}
}
