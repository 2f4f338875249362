package marketplace

import (
	"bytes"
	"sync"

	"tonne/api/marketplace/storage"
)

// maxCachedPages bounds the memory of the page cache, in bytes as they are
// held.
const maxCachedPages = 32 << 20

// pageCache keeps pages of one version of the market. When a sell order has
// changed they all leave, so that every answer is current (interface section
// 1.5) and nothing is held that nobody can be answered with.
type pageCache struct {
	kept boundedCache[pageKey, *marketPage]

	mu      sync.Mutex
	version int64
}

type pageKey struct{ page, perPage int }

// marketPage is one page of the market in the two forms that clients accept.
// The compressed one is made when the first client asks for it.
type marketPage struct {
	plain      []byte
	compressed func() []byte
}

func newPageCache() *pageCache {
	return &pageCache{kept: boundedCache[pageKey, *marketPage]{limit: maxCachedPages}}
}

// get returns the page as the transaction tx sees it, and calls write
// where it is not kept. What write returns is kept where it says so.
func (c *pageCache) get(tx storage.Tx, key pageKey, write func() (body []byte, keep bool, err error)) (*marketPage, error) {
	version, err := storage.MarketVersion(tx)
	if err != nil {
		return nil, err
	}
	current := c.moveTo(version)
	if current {
		if page, kept := c.kept.get(key); kept {
			return page, nil
		}
	}
	body, keep, err := write()
	if err != nil {
		return nil, err
	}
	made := &marketPage{plain: fitted(body)}
	made.compressed = sync.OnceValue(func() []byte {
		small := fitted(compress(made.plain))
		if keep && current {
			c.keep(version, key, made, cap(made.plain)+cap(small))
		}
		return small
	})
	if keep && current {
		c.keep(version, key, made, cap(made.plain))
	}
	return made, nil
}

// moveTo forgets the pages of an older version and reports whether the version
// is the newest that was seen.
func (c *pageCache) moveTo(version int64) bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	if version > c.version {
		c.version = version
		c.kept.clear()
	}
	return version == c.version
}

// keep keeps a page that holds so many bytes, unless the market has moved on.
func (c *pageCache) keep(version int64, key pageKey, page *marketPage, bytes int) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if version == c.version {
		c.kept.put(key, page, bytes)
	}
}

// fitted returns a body that holds little more memory than its bytes.
func fitted(body []byte) []byte {
	if cap(body)-len(body) > len(body)/4 {
		return bytes.Clone(body)
	}
	return body
}
