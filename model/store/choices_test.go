package store

import (
	"maps"
	"testing"
)

func TestChoicesAreKeptForEachService(t *testing.T) {
	t.Parallel()
	s, path := fresh(t)
	ctx := t.Context()
	must(t, s.SetChoice(ctx, production, "market.desk", "on"))
	must(t, s.SetChoice(ctx, production, "market.desk", "off"))
	must(t, s.SetChoice(ctx, production, "other", "1"))
	must(t, s.Close())
	again := opened(t, path)
	choices, err := again.Choices(ctx, production)
	if must(t, err); !maps.Equal(choices, map[string]string{"market.desk": "off", "other": "1"}) {
		t.Errorf("%v", choices)
	}
	if none, err := again.Choices(ctx, "https://other.example"); err != nil || len(none) != 0 {
		t.Errorf("of another service: %v, %v", none, err)
	}
}
