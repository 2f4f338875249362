package marketplacetest_test

import (
	"context"
	"testing"
	"time"

	"tonne/api/marketplace"
	"tonne/api/marketplace/demo"
	"tonne/api/marketplace/exchange"
	"tonne/api/marketplace/marketplacetest"
	must "tonne/model/musttest"
)

// failures counts the rules that a market breaks.
type failures struct {
	testing.TB
	n int
}

func (f *failures) Errorf(string, ...any) { f.n++ }

func TestBooksSeeAGramFromNowhere(t *testing.T) {
	t.Parallel()
	m := must.Get(marketplace.Open(t.Context(), "", marketplace.Options{}))
	defer m.Close()
	made := must.Get(demo.Load(t.Context(), m, demo.Options{Seed: 1}))
	seen := &failures{TB: t}
	client := marketplacetest.Client{TB: seen, Service: m, Key: made.Key}
	client.CheckBooks()
	must.Equal(t, seen.n, 0)
	add := func(c *exchange.Change) {
		c.Exec("UPDATE retirement_items SET quantity_grams = quantity_grams + 1 WHERE number = 1")
	}
	must.Succeed(t, m.Change(context.Background(), time.Now(), "test", add))
	client.CheckBooks()
	must.Hold(t, seen.n > 0, "a gram more breaks no rule")
}
