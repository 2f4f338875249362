package api

import (
	"context"
	"net/url"
	"strconv"

	"tonne/api/wire"
	"tonne/model"
)

// sweepPerPage is the page size for reading a whole listing. A service that
// caps it answers with smaller pages, one that refuses it gets its default.
const sweepPerPage = 100

func (q MarketQuery) values() url.Values {
	v := make(url.Values)
	setCount(v, "page", q.Page)
	setCount(v, "per_page", q.PerPage)
	return v
}

func setCount(v url.Values, name string, n int) {
	if n > 0 {
		v.Set(name, strconv.Itoa(n))
	}
}

// MarketPage reads one page of the market. The error is an *Error.
func (c *Client) MarketPage(ctx context.Context, q MarketQuery) (*model.MarketPart, model.Page, error) {
	body, err := c.get(ctx, "api/market", q.values())
	if err != nil {
		return nil, model.Page{}, err
	}
	part, page, err := wire.DecodeMarket(body)
	return part, page, notTheAPI(err)
}

// Market reads the whole market, whole or not at all. perPage is the page
// size, 0 for one that suits. each, which may be nil, is told of every page as
// it arrives, in order and one at a time; page 1 comes again where the listing
// moved and is read from its start. The error is an *Error.
func (c *Client) Market(ctx context.Context, perPage int, each func(part *model.MarketPart, page model.Page)) (*model.Market, error) {
	parts, err := listing[*model.MarketPart]{
		fetch: func(ctx context.Context, page int) (*model.MarketPart, model.Page, error) {
			return withPerPage(c, perPage, func(perPage int) (*model.MarketPart, model.Page, error) {
				return c.MarketPage(ctx, MarketQuery{Page: page, PerPage: perPage})
			})
		},
		ids:  (*model.MarketPart).ProjectIDs,
		each: each,
	}.read(ctx)
	if err != nil {
		return nil, err
	}
	return model.NewMarket(parts...), nil
}

// withPerPage fetches a page with the size that was asked for, or one that
// suits. Where the service does not accept the latter, it is left to it.
func withPerPage[T any](c *Client, asked int, fetch func(perPage int) (T, model.Page, error)) (T, model.Page, error) {
	if asked > 0 {
		return fetch(asked)
	}
	if c.cappedPages.Load() {
		return fetch(0)
	}
	value, page, err := fetch(sweepPerPage)
	if KindOf(err) == Invalid {
		if value, page, err = fetch(0); err == nil {
			c.cappedPages.Store(true)
		}
	}
	return value, page, err
}

// notTheAPI wraps an error of decoding an answer.
func notTheAPI(err error) error {
	if err == nil {
		return nil
	}
	return &Error{Kind: NotTheAPI, Status: 200, Message: "what answers is not the marketplace: " + err.Error(), Err: err}
}
