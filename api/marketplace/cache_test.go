package marketplace

import (
	"compress/gzip"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/klauspost/compress/zstd"
	"pgregory.net/rapid"

	"tonne/api/marketplace/exchange"
	"tonne/model"
	must "tonne/model/musttest"
)

func TestPreferredEncoding(t *testing.T) {
	t.Parallel()
	for accepts, want := range map[string]coding{
		"": identity, "identity": identity, "br": identity, "gzip;q=0": identity, "zstd;q=0, gzip;q=0": identity,
		"gzip;q=x": identity,
		"gzip":     gzipped, "deflate, gzip;q=1.0": gzipped, "gzip, br": gzipped, "zstd;q=0.5, gzip": gzipped,
		"zstd;q=0,gzip": gzipped, "gzip;q=NaN": identity,
		"zstd": zstandard, "gzip, deflate, br, zstd": zstandard, "zstd, gzip": zstandard, "gzip;q=0.5, zstd;q=0.5": zstandard,
		"gzip;q=0.2,zstd ;q=0.8": zstandard,
	} {
		r := httptest.NewRequest("GET", "/api/market", nil)
		r.Header.Set("Accept-Encoding", accepts)
		must.Equal(t, preferred(r), want, accepts)
	}
}

func TestListsTag(t *testing.T) {
	t.Parallel()
	const tag = `"ab"`
	for list, want := range map[string]bool{
		`"ab"`: true, `W/"ab"`: true, `"x", "ab"`: true, `"x","ab","y"`: true, `*`: true, " * ": true, `, "ab"`: true,
		``: false, `ab`: false, `"ab`: false, `"AB"`: false, `"a", "b"`: false, `"*"`: false,
		`"c\", "ab"`: true, `"ab-gzip"`: false,
	} {
		must.Equal(t, listsTag([]string{`"first"`, list}, tag), want, list)
	}
	must.Hold(t, !listsTag(nil, tag), "without the header")
}

// wantUnchanged checks the answer 304 to a client that has the page.
func wantUnchanged(t *testing.T, w *httptest.ResponseRecorder, tag, version string) {
	t.Helper()
	h := w.Header()
	must.Hold(t, w.Code == http.StatusNotModified && w.Body.Len() == 0 && h.Get("ETag") == tag &&
		h.Get(marketVersion) == version && h.Get("Vary") == "Accept-Encoding" && h.Get("Content-Type") == "", "answered",
		w.Code, h, w.Body.Len())
}

// plainBody is the body of an answer, decompressed.
func plainBody(t rapid.TB, w *httptest.ResponseRecorder) string {
	t.Helper()
	var r io.Reader = w.Body
	var err error
	switch w.Header().Get("Content-Encoding") {
	case "gzip":
		r, err = gzip.NewReader(w.Body)
	case "zstd":
		r, err = zstd.NewReader(w.Body, zstd.WithDecoderConcurrency(1))
	}
	must.Succeed(t, err)
	plain := must.Get(io.ReadAll(r))
	return string(plain)
}

func TestKnownPagesAreNotSentAgain(t *testing.T) {
	t.Parallel()
	d := openDemo(t)
	for _, target := range []string{"/api/market", "/api/market?page=2&per_page=7", "/api/market?page=99",
		"/api/inventory"} {
		plain := d.Get(target)
		for _, encoding := range []string{"", "gzip", "zstd"} {
			first := d.Get(target, "Accept-Encoding", encoding)
			tag, version := first.Header().Get("ETag"), first.Header().Get(marketVersion)
			must.Need(t, first.Code == http.StatusOK && tag != "" &&
				(version == "") == (target == "/api/inventory") && plainBody(t, first) == plain.Body.String(), target,
				first.Code, first.Header())
			// Each encoding has its own tag; a page too small to be compressed has only one.
			want := plain.Header().Get("ETag")
			if encoding != "" && target != "/api/market?page=99" {
				want = want[:len(want)-1] + "-" + encoding + `"`
			}
			must.Equal(t, tag, want, target, encoding)
			for _, known := range []string{tag, "W/" + tag, `"x", ` + tag, "*"} {
				wantUnchanged(t, d.Get(target, "Accept-Encoding", encoding, ifNoneMatch, known), tag, version)
			}
			for _, other := range []string{`"x"`, tag[1:], `"` + version + `"`, tag[:len(tag)-1] + `-br"`} {
				w := d.Get(target, "Accept-Encoding", encoding, ifNoneMatch, other)
				must.Hold(t, w.Code == http.StatusOK && plainBody(t, w) == plain.Body.String(), target, other, w.Code)
			}
		}
	}
}

// A client needs one conditional request to learn that nothing changed. After a change only the
// affected page has a new tag, and the tags of one instance are valid at another.
func TestChangeOfAPriceAffectsOnePage(t *testing.T) {
	t.Parallel()
	d := openDemo(t)
	other := d.at(t, d.path)
	const pages = 7
	sweep := func(d *fixture) (tags [pages]string, version string) {
		for i := range pages {
			h := d.Get(fmt.Sprint("/api/market?per_page=10&page=", i+1)).Header()
			tags[i] = h.Get("ETag")
			must.Hold(t, i <= 0 || h.Get(marketVersion) == version, "page", i+1, h.Get(marketVersion), version)
			version = h.Get(marketVersion)
		}
		return tags, version
	}
	tags, version := sweep(d)
	t2, v2 := sweep(other)
	must.Hold(t, t2 == tags && v2 == version, "another instance has", t2, v2, tags, version)
	d.Do(func(c *exchange.Change) {
		s := exchange.FindOrder(c, d.Text(`SELECT id FROM sell_orders WHERE state = 'LIVE' AND project =
			(SELECT number FROM projects WHERE live_orders > 0 ORDER BY number LIMIT 1 OFFSET 25)`))
		exchange.SetPrice(c, s, s.Price+1)
	})
	for _, d := range []*fixture{other, d} {
		later, v := sweep(d)
		for i := range pages {
			must.Equal(t, later[i] == tags[i], i != 2, "page", i+1)
		}
		must.Hold(t, v != version, "the version of the market is the same")
		wantUnchanged(t, d.Get("/api/market?per_page=10", ifNoneMatch, tags[0]), tags[0], v)
	}
}

// A restored copy of the file changes in another way than the file: their versions differ, also
// if the numbers of their changes are equal.
func TestRestoredCopyHasOtherVersions(t *testing.T) {
	t.Parallel()
	d := openDemo(t)
	restored := openDemo(t)
	version := func(d *fixture) string { return d.Get("/api/market").Header().Get(marketVersion) }
	bump := func(c *exchange.Change) { exchange.BumpProject(c, 1, false) }
	must.Need(t, version(d) == version(restored), "a copy has another version than the original")
	d.Do(bump)
	restored.Do(bump)
	n := "SELECT version FROM market_state"
	must.Hold(t, d.Number(n) == restored.Number(n) && version(d) != version(restored), version(d), version(restored))
}

// clientPage is a page that a client keeps, with the version of its market.
type clientPage struct{ tag, body, version string }

func (p clientPage) poll(t *rapid.T, d *fixture, target string, in coding) clientPage {
	w := d.Get(target, ifNoneMatch, p.tag, "Accept-Encoding", in.String())
	if p.version = w.Header().Get(marketVersion); w.Code == http.StatusNotModified {
		return p
	}
	p.tag, p.body = w.Header().Get("ETag"), plainBody(t, w)
	return p
}

// For random changes, two instances and caches of any size: a client that keeps its page on 304
// has the current market, and two pages with the same version are of the same market.
func TestClientsAlwaysHaveTheCurrentMarket(t *testing.T) {
	t.Parallel()
	first := onSQLite(t)
	instances, uncached := []*fixture{first.at(t, first.path), first.at(t, first.path)}, first.at(t, first.path)
	uncached.pages = pageCache{oneIn: onePageIn}
	var vintages []vintage
	for i := range 5 {
		_, of := first.AddProject(fmt.Sprint(2000+i), "SE", "Wind", 2020)
		vintages = append(vintages, of[0])
		first.Do(func(c *exchange.Change) {
			for range 20 {
				exchange.Offer(c,
					exchange.SellOrder{Vintage: of[0].Vintage, Seller: first.Seller, Price: 620, Quantity: model.GramsPerTonne})
			}
		})
	}
	rapid.Check(t, func(rt *rapid.T) {
		for _, d := range instances {
			limit := rapid.SampledFrom([]int{entryCost, 3*entryCost + 5000, 1 << 20}).Draw(rt, "limit")
			d.pages = pageCache{limit: limit, oneIn: onePageIn}
		}
		kept, markets := make(map[string]clientPage), make(map[string]string)
		for range rapid.IntRange(1, 40).Draw(rt, "steps") {
			d := rapid.SampledFrom(instances).Draw(rt, "instance")
			if rapid.Bool().Draw(rt, "change") {
				d.Sell(rapid.SampledFrom(vintages).Draw(rt, "vintage"), 1, 620)
				continue
			}
			page, in := rapid.IntRange(1, 4).Draw(rt, "page"), coding(rapid.IntRange(0, int(codings)-1).Draw(rt, "coding"))
			target, name := fmt.Sprint("/api/market?per_page=2&page=", page), fmt.Sprint(page, in)
			if rapid.IntRange(0, 3).Draw(rt, "new client") == 0 {
				delete(kept, name)
			}
			kept[name] = kept[name].poll(rt, d, target, in)
			current := uncached.Get(target).Body.String()
			must.Need(rt, kept[name].body == current, "page", page, current, kept[name].body)
			market := fmt.Sprint(kept[name].version, " ", page)
			was, known := markets[market]
			must.Need(rt, !known || was == current, "version", kept[name].version, page)
			markets[market] = current
		}
	})
}

// All instances agree: none shows an older market than another did, or accepts a deactivated key.
func TestInstancesAgree(t *testing.T) {
	eachEngine(t, func(t *testing.T, d *fixture) {
		instances := []*fixture{d, d.at(t, d.path)}
		for n := range 20 {
			one, two := instances[n%2], instances[(n+1)%2]
			id := one.Sell(d.Vintages[n%2], 1, 620)
			first, second := one.Get("/api/market"), two.Get("/api/market")
			must.Need(t, first.Body.String() == second.Body.String() &&
				first.Header().Get(marketVersion) == second.Header().Get(marketVersion) &&
				strings.Contains(first.Body.String(), id), first.Body, id, second.Body)
		}
		key := d.NewKey("Third Ltd", exchange.RoleAPIUser)
		for _, want := range []int{http.StatusOK, http.StatusUnauthorized} {
			w := call(instances[1].Marketplace, key, http.MethodGet, "/api/market", "")
			must.Equal(t, w.Code, want, "a key is answered with")
			d.Exec("UPDATE api_keys SET is_active = 0 WHERE tenant = (SELECT number FROM tenants WHERE name = 'Third Ltd')")
		}
	})
}

// A change makes exactly those pages new that show it, and the listing if a project enters or
// leaves it.
func TestVersionsFollowTheChangesOfTheOperator(t *testing.T) {
	eachEngine(t, func(t *testing.T, d *fixture) {
		catalogue := func(rows string) func() { return func() { d.importOne(rows) } }
		order := func(row string) func() { return func() { d.offer(row) } }
		renamed := strings.ReplaceAll(bale, "Bale Mountains", "Bale")
		for _, step := range []struct {
			name          string
			do            func()
			shows, listed bool
		}{
			{"a catalogue", catalogue(bale + "004b20,2020,\n"), false, false},
			{"an order of a new project", order("004b20,5000000,620,o1"), true, true},
			{"the same order", order("004b20,5000000,620,o1"), false, false},
			{"another price in a file", order("004b20,5000000,630,o1"), true, false},
			{"another quantity", order("004b20,6000000,630,o1"), true, false},
			{"another price", func() { must.Succeed(t, d.reprice("o1", 640)) }, true, false},
			{"the project's name", catalogue(renamed + "004b20,2020,\n"), false, false},
			{"the vintage's address", catalogue(renamed + "004b20,2020,https://registry.example/2020\n"), false, false},
			{"another vintage", catalogue(renamed + "004b21,2021,\n"), false, false},
			{"an order of a listed project", order("004b21,3400000,620,o2"), true, false},
			{"a withdrawn order", func() {
				_, err := d.withdraw("o1")
				must.Succeed(t, err)
			}, true, false},
			{"a purchase that leaves less than a tonne", func() {
				d.Retired(d.Purchase("a", 3_000_000, "o2").With(body{"vintage_id": "004b21"}))
			}, true, true},
		} {
			before := d.Get("/api/market")
			listing := d.Number("SELECT listing FROM market_state")
			step.do()
			again := d.Get("/api/market", ifNoneMatch, before.Header().Get("ETag"))
			changed := again.Header().Get(marketVersion) != before.Header().Get(marketVersion)
			listed := d.Number("SELECT listing FROM market_state") != listing
			sent := again.Code == http.StatusOK && again.Body.String() != before.Body.String()
			must.Hold(t, sent == step.shows && changed == step.shows && listed == step.listed, step.name, again.Code,
				changed, listed)
		}
	})
}

func TestCacheCountsTheBytesOfItsPages(t *testing.T) {
	t.Parallel()
	d := newFixture(t)
	for range 20 {
		d.Sell(d.Vintages[0], 1, 620)
	}
	read := func(kept int) {
		t.Helper()
		for perPage := range 25 {
			d.Get(fmt.Sprintf("/api/market?per_page=%d", perPage+1))
			d.Get(fmt.Sprintf("/api/market?per_page=%d", perPage+1), "Accept-Encoding", "gzip")
			// Pages beyond the last are not cached.
			d.Get(fmt.Sprintf("/api/market?per_page=%d&page=%d", perPage+1, perPage+2))
		}
		bytes := 0
		for _, page := range d.pages.values {
			bytes += cap(page.value.body) + entryCost
			slack := cap(page.value.body) - len(page.value.body)
			must.Hold(t, slack <= len(page.value.body)/4, "a page of", len(page.value.body), slack)
		}
		must.Hold(t, len(d.pages.values) == kept && bytes == d.pages.bytes, len(d.pages.values), kept, bytes,
			d.pages.bytes)
	}
	read(50)
	before := d.pages.bytes
	for range 20 {
		d.Sell(d.Vintages[0], 1, 630)
	}
	read(50)
	must.Hold(t, d.pages.bytes > before, "the pages are still the old ones")
}

// A client that reads more pages than fit, in order, still finds most of those that fit.
func TestMarketLargerThanTheCache(t *testing.T) {
	t.Parallel()
	const pages, fitting = 960, 320
	c := pageCache{limit: fitting * (entryCost + 1000), oneIn: onePageIn}
	found := 0
	for n := range 30 * pages {
		key := pageKey{n % pages, defaultPerPage, identity}
		if _, kept := c.get(key); !kept {
			c.put(key, &marketPage{}, 1000)
		} else if n >= pages {
			found++
		}
	}
	share := float64(found) / (29 * fitting)
	must.Hold(t, share >= 0.8, 100*share)
}

func TestCacheIsBounded(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		c := boundedCache[int, int]{limit: rapid.IntRange(0, 20*entryCost).Draw(t, "limit"),
			oneIn: rapid.IntRange(0, 3).Draw(t, "one in")}
		last := make(map[int]int)
		for n := range rapid.IntRange(1, 100).Draw(t, "puts") {
			key := rapid.IntRange(0, 20).Draw(t, "key")
			c.put(key, n, rapid.IntRange(0, 3*entryCost).Draw(t, "bytes"))
			last[key] = n
			sum := 0
			for key, v := range c.values {
				sum += v.bytes
				must.Need(t, v.value == last[key], "key", key, v.value, last[key])
			}
			must.Need(t, sum == c.bytes && sum <= c.limit, sum, c.bytes, c.limit)
		}
	})
}
