package audit

import (
	"testing"

	"tonne/model"
)

func TestShareIsRoundedToOneDecimal(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		part, whole model.Grams
		want        string
	}{
		{4312e6, 132691e6, "3.2 %"}, {128379e6, 132691e6, "96.8 %"}, {100000e6, 132691e6, "75.4 %"},
		{1, 2000, "0.1 %"}, {1, 2001, "< 0.1 %"}, {1999, 2000, "> 99.9 %"}, {2000, 2000, "100.0 %"}, {0, 5, "0.0 %"}, {1, 3, "33.3 %"}, {2, 3, "66.7 %"},
		{1, 0, ""}, {3, 2, ""}, {-1, 2, ""},
	} {
		if got := partOf(c.part, c.whole); got != c.want {
			t.Errorf("%d of %d is %q, want %q", c.part, c.whole, got, c.want)
		}
	}
}
