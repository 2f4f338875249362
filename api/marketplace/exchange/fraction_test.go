package exchange

import (
	"testing"

	"pgregory.net/rapid"

	"tonne/model"
)

// What stays and what moves on are the items as they were, to the gram: the
// first grams stay, in order, and at most one item is split.
func TestFractionMovesToTheGram(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		var items []item
		total := model.Grams(0)
		for i, grams := range rapid.SliceOf(rapid.Int64Range(1, 3*model.GramsPerTonne)).Draw(t, "items") {
			items = append(items, item{number: int64(i), quantity: model.Grams(grams)})
			total += model.Grams(grams)
		}
		whole := total - total%model.GramsPerTonne
		over := beyond(items, whole)
		stays, moves := model.Grams(0), model.Grams(0)
		for _, i := range items[:len(items)-len(over)] {
			stays += i.quantity
		}
		for n, o := range over {
			was := items[len(items)-len(over)+n]
			if o.number != was.number || o.quantity != was.quantity || o.keep < 0 || o.keep >= o.quantity || n > 0 && o.keep > 0 {
				t.Fatalf("item %d of %v keeps %d: %+v", n, items, o.keep, o)
			}
			stays, moves = stays+o.keep, moves+o.quantity-o.keep
		}
		if stays != whole || moves != total-whole {
			t.Fatalf("of %d g %d stay and %d move on, want %d to stay", total, stays, moves, whole)
		}
	})
}
