package market

import (
	"testing"
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
		if problem != "" || got != c.want {
			t.Errorf("%q: %+v, %q", c.typed, got, problem)
		}
		if again, _ := parseQuoteOrder(got.String()); again != got {
			t.Errorf("%q is shown as %q, which is %+v", c.typed, got, again)
		}
	}
	for _, typed := range []string{"", "0", "retire", "-5", "1e3", "0.02", "five", "1.0000001", "99999999999999999999"} {
		if got, problem := parseQuoteOrder(typed); problem == "" {
			t.Errorf("%q was parsed as %+v", typed, got)
		}
	}
}
