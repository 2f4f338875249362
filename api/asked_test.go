package api_test

import (
	"slices"
	"testing"
	"testing/synctest"
	"time"

	"tonne/api"
	"tonne/api/apitest"
)

func TestRequestedWaitIsReported(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		var asked []time.Duration
		answers := apitest.Sequence(apitest.RateLimited("60"), apitest.Status(502, ""), apitest.JSON(marketPage(1, 1, 1, "p")))
		c := newClient(t, answers, retries(2), func(o *api.Options) {
			o.Asked = func(wait time.Duration) { asked = append(asked, wait) }
		})
		if _, _, err := c.MarketPage(t.Context(), api.MarketQuery{}); err != nil {
			t.Fatal(err)
		}
		if want := []time.Duration{time.Minute}; !slices.Equal(asked, want) {
			t.Errorf("told of %v, want %v", asked, want)
		}
	})
}
