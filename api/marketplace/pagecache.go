package marketplace

import (
	"sync"

	"zombiezen.com/go/sqlite"
)

// maxCachedPages bounds the memory of the page cache, in bytes of JSON.
const maxCachedPages = 32 << 20

// pageCache keeps pages of the market as they were last written. A page is
// used again only while no sell order has changed since, so that every answer
// is current (interface section 1, convention 6). The zero value is empty.
type pageCache struct {
	mu    sync.Mutex
	bytes int
	pages map[pageKey]*marketPage
}

type pageKey struct{ page, perPage int }

// marketPage is one page of the market at one version of it.
type marketPage struct {
	version    int64
	plain      []byte
	compressed func() []byte
}

// get returns the page as the transaction of conn sees it, and calls write
// where the one that is kept is older or newer.
func (c *pageCache) get(conn *sqlite.Conn, key pageKey, write func() ([]byte, error)) (*marketPage, error) {
	var version int64
	if _, err := find(conn, "SELECT version FROM market_state", func(stmt *sqlite.Stmt) {
		version = stmt.ColumnInt64(0)
	}); err != nil {
		return nil, err
	}
	c.mu.Lock()
	kept := c.pages[key]
	c.mu.Unlock()
	if kept != nil && kept.version == version {
		return kept, nil
	}
	body, err := write()
	if err != nil {
		return nil, err
	}
	made := &marketPage{version, body, sync.OnceValue(func() []byte { return compress(body) })}
	c.keep(key, made)
	return made, nil
}

// keep stores a page unless a newer one is there. When the cache is full it
// starts again: what is asked for often is soon back.
func (c *pageCache) keep(key pageKey, made *marketPage) {
	c.mu.Lock()
	defer c.mu.Unlock()
	old := c.pages[key]
	if old != nil && old.version > made.version {
		return
	}
	if old != nil {
		c.bytes -= len(old.plain)
	}
	if c.pages == nil || c.bytes+len(made.plain) > maxCachedPages {
		c.pages, c.bytes = make(map[pageKey]*marketPage), 0
	}
	c.pages[key] = made
	c.bytes += len(made.plain)
}
