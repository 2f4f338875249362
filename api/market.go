package api

import (
	"context"
	"net/url"
	"strconv"

	"tonne/api/wire"
	"tonne/model"
)

const marketPath = "api/market"

// listingPageSize is the page size for reading a whole listing. A service that
// caps it sends smaller pages, one that refuses it may choose its own.
const listingPageSize = 100

// MarketQuery selects a page of the market (interface section 4.1). Zero values
// leave the service's defaults.
type MarketQuery struct {
	Page int
	// PerPage is the number of projects per page.
	PerPage int
}

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
func (c *Client) MarketPage(ctx context.Context, q MarketQuery) (*model.MarketPage, model.Page, error) {
	body, err := c.get(ctx, request{path: marketPath, query: q.values()})
	if err != nil {
		return nil, model.Page{}, err
	}
	defer c.release(body)
	part, page, err := wire.DecodeMarket(body)
	return part, page, notTheAPI(err)
}

// Market reads the whole market, whole or not at all. perPage is the page
// size, 0 for one that suits. each, which may be nil, is told of every page as
// it arrives, in order and one at a time; page 1 comes again if the listing
// moved and is read from its start. The error is an *Error.
func (c *Client) Market(ctx context.Context, perPage int, each func(part *model.MarketPage, page model.Page)) (*model.Market, error) {
	parts, err := listing[*model.MarketPage]{
		client: c,
		fetch: func(ctx context.Context, page int) ([]byte, error) {
			return c.getPage(perPage, func(perPage int) ([]byte, error) {
				return c.get(ctx, request{path: marketPath, query: MarketQuery{Page: page, PerPage: perPage}.values(), bulk: c.isBulk(page)})
			})
		},
		decode: wire.DecodeMarket,
		ids:    (*model.MarketPage).ProjectIDs,
		each:   each,
	}.read(ctx)
	if err != nil {
		return nil, err
	}
	return model.NewMarket(parts...), nil
}

// getPage gets a page with the size that was asked for. If none was, it asks for
// listingPageSize, and lets a service that refuses that choose its own size.
func (c *Client) getPage(asked int, get func(perPage int) ([]byte, error)) ([]byte, error) {
	if asked > 0 {
		return get(asked)
	}
	if c.cappedPages.Load() {
		return get(0)
	}
	body, err := get(listingPageSize)
	if KindOf(err) == Invalid {
		if body, err = get(0); err == nil {
			c.cappedPages.Store(true)
		}
	}
	return body, err
}

// isBulk reports whether a page of a listing is waited for where the service
// asks for fewer requests. Whoever polls is told where that begins, and would
// never see the end of a listing that breaks off.
func (c *Client) isBulk(page int) bool { return page > 1 || c.retries > 0 }

// notTheAPI wraps an error of decoding an answer.
func notTheAPI(err error) error {
	if err == nil {
		return nil
	}
	return &Error{Kind: NotTheAPI, Status: 200, Message: "what answers is not the marketplace: " + err.Error(), Err: err}
}
