package marketplace

import "bytes"

const (
	// maxCachedPages bounds the memory of the page cache, in bytes as they are
	// held.
	maxCachedPages = 32 << 20
	// onePageIn so many is kept of those that find no room: a market larger than
	// the cache is read page by page, again and again.
	onePageIn = 16
)

// pageCache keeps pages of the market by what is in them: a change of a sell
// order makes those old that show its project, and no others. What is kept is
// answered with only after the transaction of the request has said that it is
// current (interface section 1.5).
type pageCache struct {
	kept boundedCache[pageKey, *marketPage]
}

type pageKey struct{ page, perPage int }

func newPageCache(limit int) *pageCache {
	return &pageCache{boundedCache[pageKey, *marketPage]{limit: limit, oneIn: onePageIn}}
}

// keep keeps a page, with the forms that it is held in. There is no end to the
// pages beyond the last, so they are not kept.
func (c *pageCache) keep(key pageKey, page *marketPage) {
	if !page.empty() {
		c.kept.put(key, page, page.heldBytes())
	}
}

// fitted returns a body that holds little more memory than its bytes.
func fitted(body []byte) []byte {
	if cap(body)-len(body) > len(body)/4 {
		return bytes.Clone(body)
	}
	return body
}
