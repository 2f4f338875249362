package api_test

import (
	"context"
	"strconv"
	"testing"

	"tonne/api"
	"tonne/api/apitest"
	must "tonne/model/musttest"
	"tonne/model/portfolio"
)

func TestAnyStatusOfSuccessIsOne(t *testing.T) {
	for _, code := range []int{200, 201, 202, 203} {
		bubble(t, strconv.Itoa(code), func(t *testing.T) {
			for _, c := range []struct {
				answer string
				call   func(s *service) []string
				reads  string
			}{
				{marketPage(1, 1, 1, "p"), func(s *service) []string { return s.market(0) }, "market p"},
				{retirement, func(s *service) []string { return s.lookUp("r1") }, "request r1"},
				{
					`{"projects":[{"project_id":12345,"sdgs":null,"vintages":null}]}`,
					func(s *service) []string { return s.projectsOf("12345") }, "projects 12345",
				},
				{`{"retirement_request_id":12345}`, (*service).retire, "accepted 12345"},
			} {
				s := newService(t)
				s.on("", apitest.Status(code, c.answer))
				must.Equal(t, c.call(s), []string{c.reads, "1 requests"})
			}
		})
	}
}

func TestRequests(t *testing.T) {
	for _, c := range []struct {
		call func(c *api.Client, ctx context.Context) error
		asks string
	}{
		{
			call: func(c *api.Client, ctx context.Context) error { return second(c.MarketPage(ctx, api.MarketQuery{})) },
			asks: "GET /prefix/api/market",
		},
		{
			call: func(c *api.Client, ctx context.Context) error {
				return second(c.MarketPage(ctx, api.MarketQuery{Page: 2, PerPage: 3}))
			},
			asks: "GET /prefix/api/market?page=2&per_page=3",
		},
		{
			call: func(c *api.Client, ctx context.Context) error {
				return second(c.InventoryPage(ctx, api.InventoryQuery{}))
			},
			asks: "GET /prefix/api/inventory?wallet_min_quantity=0",
		},
		{
			call: func(c *api.Client, ctx context.Context) error {
				return second(c.InventoryPage(ctx, api.InventoryQuery{
					Page: 4, PerPage: 5, TradesPerWallet: 6, TradeType: portfolio.Sell, WalletMinQuantity: 7,
				}))
			},
			asks: "GET /prefix/api/inventory?page=4&per_page=5&trade_type=SELL&trades_per_wallet=6&wallet_min_quantity=7",
		},
		{
			call: func(c *api.Client, ctx context.Context) error { return second(c.Holdings(ctx)) },
			asks: "GET /prefix/api/inventory?page=1&per_page=100&trade_type=BUY&trades_per_wallet=1&wallet_min_quantity=0",
		},
		{
			call: func(c *api.Client, ctx context.Context) error { return must.Err(c.Retirement(ctx, "r&1")) },
			asks: "GET /prefix/api/retirement?id=r&1",
		},
		{
			call: func(c *api.Client, ctx context.Context) error { return must.Err(c.Projects(ctx)) },
			asks: "GET /prefix/api/projects",
		},
		{
			call: func(c *api.Client, ctx context.Context) error { return must.Err(c.Projects(ctx, "a", "b")) },
			asks: "GET /prefix/api/projects?project_ids[]=a&project_ids[]=b",
		},
	} {
		bubble(t, c.asks, func(t *testing.T) {
			s := newService(t, base("https://market.example/prefix/"))
			s.on("", apitest.Status(500, ""))
			err := c.call(s.client, t.Context())
			must.Equal(t, api.KindOf(err), api.ServerError)
			must.Equal(t, s.asked(), []string{c.asks})
		})
	}
}

// second returns the error of a call with two results.
func second[A, B any](_ A, _ B, err error) error { return err }
