package api_test

import (
	"net/http"
	"strings"
	"testing"

	"tonne/api"
	"tonne/api/apitest"
)

const mebibyte = 1 << 20

// large is an answer of some MiB: blanks before it.
func large(answer string) string { return strings.Repeat(" ", 5*mebibyte) + answer }

func TestLargeAnswersFollowOneAnother(t *testing.T) {
	t.Parallel()
	ctx := t.Context()
	answers := map[string]http.Handler{
		"/api/market":     apitest.JSON(large(marketPage(1, 1, 1, "p"))),
		"/api/inventory":  apitest.JSON(large(inventoryPage(1, 1, 1, "p"))),
		"/api/projects":   apitest.JSON(large(`{"projects":[]}`)),
		"/api/retirement": apitest.JSON(large(retirement)),
	}
	c := newClient(t, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Query().Get("project_ids[]") == "refused" {
			apitest.Status(http.StatusUnprocessableEntity, large(`{}`)).ServeHTTP(w, r)
			return
		}
		answers[r.URL.Path].ServeHTTP(w, r)
	}))
	for range 2 {
		_, _, market := c.MarketPage(ctx, api.MarketQuery{})
		_, whole := c.Market(ctx, 0, nil)
		_, _, inventory := c.InventoryPage(ctx, api.InventoryQuery{})
		_, projects := c.Projects(ctx, "p")
		_, one := c.Retirement(ctx, "r1")
		for _, err := range []error{market, whole, inventory, projects, one} {
			if err != nil {
				t.Error(err)
			}
		}
		if _, err := c.Projects(ctx, "refused"); failure(t, err).Kind != api.Invalid {
			t.Error(err)
		}
		if _, other := c.Retirement(ctx, "r2"); failure(t, other).Kind != api.NotTheAPI {
			t.Error(other)
		}
	}
}
