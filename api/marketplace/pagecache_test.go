package marketplace

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"runtime"
	"testing"

	"pgregory.net/rapid"

	"tonne/api/marketplace/exchange"
)

// liveHeap is how many bytes are in use once what is garbage has gone.
func liveHeap() int {
	runtime.GC()
	var memory runtime.MemStats
	runtime.ReadMemStats(&memory)
	return int(memory.HeapAlloc)
}

// It measures the memory of the process, so it does not run in parallel.
func TestPagesBeyondTheLastAreNotKept(t *testing.T) {
	d := newFixture(t)
	d.sell(d.vintages[0], 1, 620)
	before := liveHeap()
	for page := range 500 {
		if w := d.get(fmt.Sprintf("/api/market?per_page=100&page=%d", page+2)); w.Code != http.StatusOK {
			t.Fatal(w.Body)
		}
	}
	if grown := liveHeap() - before; grown > 4<<20 {
		t.Errorf("500 pages beyond the last hold %d bytes", grown)
	}
	if kept := len(d.pages.values); kept != 0 {
		t.Errorf("%d of them are kept", kept)
	}
	runtime.KeepAlive(d)
}

func TestAPageThatChangedTakesThePlaceOfTheOldOne(t *testing.T) {
	t.Parallel()
	d := newFixture(t)
	d.sell(d.vintages[0], 1, 620)
	readAll := func() {
		for perPage := range 50 {
			d.get(fmt.Sprintf("/api/market?per_page=%d", perPage+1))
		}
		held := 0
		for _, page := range d.pages.values {
			held += cap(page.value.body) + entryCost
		}
		if kept := len(d.pages.values); kept != 50 || held != d.pages.bytes {
			t.Errorf("%d of 50 pages are kept, they hold %d bytes and %d are counted", kept, held, d.pages.bytes)
		}
	}
	readAll()
	before := d.pages.bytes
	d.sell(d.vintages[0], 1, 630)
	readAll()
	if d.pages.bytes <= before {
		t.Error("the pages are still the old ones")
	}
}

// A change of an order makes only those pages old that show its project.
func TestAnotherProcessMakesOnlyItsPagesOld(t *testing.T) {
	t.Parallel()
	d, _ := openDemo(t)
	text := func(page int) *byte {
		d.get(fmt.Sprint("/api/market?page=", page))
		kept, _ := d.pages.get(pageKey{page, defaultPerPage, identity})
		return &kept.body[0]
	}
	before := [...]*byte{text(1), text(2), text(3), text(4)}
	operator := open(t, d.path, Options{Now: d.clock.Now})
	alter(t, operator, func(c *change) error {
		exchange.BumpProject(c, d.query("SELECT number FROM projects ORDER BY number LIMIT 1 OFFSET 30"), false)
		return nil
	})
	for i, was := range before {
		if same := text(i+1) == was; same != (i != 1) {
			t.Errorf("page %d was written again: %v", i+1, !same)
		}
	}
}

func TestPagesAreCountedAsTheyAreHeld(t *testing.T) {
	t.Parallel()
	d, _ := openDemo(t)
	held := func() (bytes [codings]int) {
		sum := 0
		for c := range codings {
			if page, kept := d.pages.get(pageKey{1, defaultPerPage, c}); kept {
				bytes[c], sum = len(page.body), sum+cap(page.body)+entryCost
				if slack := cap(page.body) - bytes[c]; slack > bytes[c]/4 {
					t.Errorf("a page of %d bytes holds %d more", bytes[c], slack)
				}
			}
		}
		if d.pages.bytes != sum {
			t.Errorf("%d bytes are counted, %d are held", d.pages.bytes, sum)
		}
		return bytes
	}
	d.getWith("/api/market", "Accept-Encoding", "gzip")
	if bytes := held(); bytes[identity] != 0 || bytes[gzipped] == 0 {
		t.Errorf("%d bytes are cached of an encoding that was not requested", bytes[identity])
	}
	d.get("/api/market")
	if bytes := held(); bytes[identity] == 0 || bytes[gzipped] == 0 {
		t.Error("a form that was asked for is not held")
	}
}

// The whole market is read page by page, in order, again and again: most of
// what there is room for is found.
func TestAMarketLargerThanTheCacheIsReadInOrder(t *testing.T) {
	t.Parallel()
	const pages, room = 960, 320
	c := pageCache{limit: room * (entryCost + 1000), oneIn: onePageIn}
	found := 0
	for n := range 30 * pages {
		key := pageKey{n % pages, defaultPerPage, identity}
		if _, kept := c.get(key); !kept {
			c.put(key, &marketPage{}, 1000)
		} else if n >= pages {
			found++
		}
	}
	if share := float64(found) / (29 * room); share < 0.8 {
		t.Errorf("%.0f%% of what there is room for was found", 100*share)
	}
}

func TestACacheNeverHoldsMoreThanItsLimit(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		c := boundedCache[int, int]{limit: rapid.IntRange(0, 20*entryCost).Draw(t, "limit"), oneIn: rapid.IntRange(0, 3).Draw(t, "one in")}
		last := make(map[int]int)
		for n := range rapid.IntRange(1, 100).Draw(t, "puts") {
			key := rapid.IntRange(0, 20).Draw(t, "key")
			c.put(key, n, rapid.IntRange(0, 3*entryCost).Draw(t, "bytes"))
			last[key] = n
			sum := 0
			for key, v := range c.values {
				sum += v.bytes
				if v.value != last[key] {
					t.Fatalf("key %d has value %d, put was %d", key, v.value, last[key])
				}
			}
			if sum != c.bytes || sum > c.limit {
				t.Fatalf("%d bytes are held, %d counted, %d allowed", sum, c.bytes, c.limit)
			}
		}
	})
}

// BenchmarkWalkOfManyPages asks for a different page each time, in the market
// and beyond its end, as an attacker would to fill the memory. Run it
// with -benchtime=1000000x. It fails where the live heap passes the bound.
func BenchmarkWalkOfManyPages(b *testing.B) {
	const bound, look = maxCachedPages + 16<<20, 50_000
	d := largeMarket(b, tempDatabase(b), 100_000)
	h := d.Handler()
	before, most := liveHeap(), 0
	n := 0
	for b.Loop() {
		r := httptest.NewRequest(http.MethodGet, fmt.Sprintf("/api/market?per_page=%d&page=%d", n%maxPerPage+1, n/maxPerPage+1), nil)
		r.Header.Set("Authorization", "Bearer "+d.key)
		h.ServeHTTP(httptest.NewRecorder(), r)
		if n++; n%look == 0 {
			most = max(most, liveHeap()-before)
		}
	}
	most = max(most, liveHeap()-before)
	if most > bound {
		b.Fatalf("the live heap grew by %d bytes in %d pages, %d are allowed", most, n, bound)
	}
	b.ReportMetric(float64(most)/(1<<20), "live-MiB")
	runtime.KeepAlive(d)
}
