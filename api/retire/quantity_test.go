package retire

import (
	"testing"

	"pgregory.net/rapid"

	"tonne/model"
)

func TestAQuantityIsSaidAsItIsTyped(t *testing.T) {
	t.Parallel()
	for g, want := range map[model.Grams]string{
		20: "20 g", 999: "999 g", 1000: "0.001 t", 2_500_000: "2.5 t", 61_205_648: "61.205648 t", 1_234_000_000: "1,234 t",
	} {
		if got := FormatQuantity(g); got != want {
			t.Errorf("%d g are %q, want %q", g, got, want)
		}
	}
	for text, want := range map[string]model.Grams{"20g": 20, " 20 G": 20, "2.5": 2_500_000, "2.5 t": 2_500_000} {
		if got, err := ParseQuantity(text); err != nil || got != want {
			t.Errorf("%q is %d g, %v", text, got, err)
		}
	}
	if _, err := ParseQuantity("g"); err == nil {
		t.Error("no number is a quantity")
	}
	rapid.Check(t, func(t *rapid.T) {
		g := model.Grams(rapid.Int64Range(1, 1<<60).Draw(t, "grams"))
		if got, err := ParseQuantity(FormatQuantity(g)); err != nil || got != g {
			t.Errorf("%d g are %q, which is %d, %v", g, FormatQuantity(g), got, err)
		}
	})
}
