package store

import (
	"maps"
	"testing"
)

func TestChoicesAreKeptForEachService(t *testing.T) {
	t.Parallel()
	s, path := fresh(t)
	ctx := t.Context()
	must(t, s.Of(production).Cache.SetChoice(ctx, "market.desk", "on"))
	must(t, s.Of(production).Cache.SetChoice(ctx, "market.desk", "off"))
	must(t, s.Of(production).Cache.SetChoice(ctx, "other", "1"))
	must(t, s.Close())
	again := opened(t, path)
	choices, err := again.Of(production).Cache.Choices(ctx)
	if must(t, err); !maps.Equal(choices, map[string]string{"market.desk": "off", "other": "1"}) {
		t.Errorf("%v", choices)
	}
	if none, err := again.Of("https://other.example").Cache.Choices(ctx); err != nil || len(none) != 0 {
		t.Errorf("of another service: %v, %v", none, err)
	}
}
