package retire

import (
	"strings"

	"tonne/model"
)

// ParseQuantity reads a quantity as a person types it: "2.5", "2.5 t" or "20 g".
func ParseQuantity(text string) (model.Grams, error) {
	text = strings.TrimSpace(strings.ToLower(text))
	if grams, ok := strings.CutSuffix(text, "g"); ok {
		n, err := model.ParseNumber(strings.TrimSpace(grams))
		return model.Grams(n), err
	}
	return model.ParseTonnes(strings.TrimSpace(strings.TrimSuffix(text, "t")))
}

// FormatQuantity is a quantity as ParseQuantity reads it, in as few characters as
// show it: "2.5 t", and "20 g" where tonnes are zeros for the most part.
func FormatQuantity(g model.Grams) string {
	const kilogram = 1000
	if 0 < g && g < kilogram {
		return g.FormatGrams()
	}
	text := strings.TrimSuffix(g.FormatTonnes(), " t")
	if strings.Contains(text, ".") {
		text = strings.TrimRight(text, "0")
	}
	return text + " t"
}
