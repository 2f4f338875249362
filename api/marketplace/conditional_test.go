package marketplace

import (
	"compress/gzip"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"testing"

	"github.com/klauspost/compress/zstd"
	"pgregory.net/rapid"

	"tonne/api/marketplace/exchange"
	"tonne/model"
)

func TestTagsAreFoundInLists(t *testing.T) {
	t.Parallel()
	const tag = `"ab"`
	for list, want := range map[string]bool{
		`"ab"`: true, `W/"ab"`: true, `"x", "ab"`: true, `"x","ab","y"`: true, `*`: true, " * ": true, `, "ab"`: true,
		``: false, `ab`: false, `"ab`: false, `"AB"`: false, `"a", "b"`: false, `"*"`: false,
		`"c\", "ab"`: true, `"ab-gzip"`: false,
	} {
		if got := listsTag([]string{`"first"`, list}, tag); got != want {
			t.Errorf("%s: %v", list, got)
		}
	}
	if listsTag(nil, tag) {
		t.Error("without the header")
	}
}

// unchanged checks that an answer says nothing but that nothing has changed.
func unchanged(t *testing.T, w *httptest.ResponseRecorder, tag, version string) {
	t.Helper()
	h := w.Header()
	if w.Code != http.StatusNotModified || w.Body.Len() != 0 || h.Get("ETag") != tag || h.Get(marketVersion) != version ||
		h.Get("Vary") != "Accept-Encoding" || h.Get("Content-Type") != "" {
		t.Errorf("answered %d %v with %d bytes", w.Code, h, w.Body.Len())
	}
}

func TestAPageThatIsKnownIsNotSentAgain(t *testing.T) {
	t.Parallel()
	d, _ := openDemo(t)
	for _, target := range []string{"/api/market", "/api/market?page=2&per_page=7", "/api/market?page=99", "/api/inventory"} {
		first := d.get(target)
		tag, version := first.Header().Get("ETag"), first.Header().Get(marketVersion)
		if first.Code != http.StatusOK || tag == "" || (version == "") != (target == "/api/inventory") {
			t.Fatalf("%s: %d %v", target, first.Code, first.Header())
		}
		for _, known := range []string{tag, "W/" + tag, `"x", ` + tag, "*"} {
			unchanged(t, d.getWith(target, ifNoneMatch, known), tag, version)
		}
		for _, other := range []string{`"x"`, tag[1:], `"` + version + `"`} {
			if w := d.getWith(target, ifNoneMatch, other); w.Code != http.StatusOK || w.Body.String() != first.Body.String() {
				t.Errorf("%s with %s: %d", target, other, w.Code)
			}
		}
	}
}

func TestACompressedPageHasATagOfItsOwn(t *testing.T) {
	t.Parallel()
	d, _ := openDemo(t)
	for _, target := range []string{"/api/market", "/api/inventory"} {
		for _, name := range []string{"gzip", "zstd"} {
			zipped := d.getWith(target, "Accept-Encoding", name)
			plain := d.get(target)
			tag := plain.Header().Get("ETag")
			if got := zipped.Header().Get("ETag"); got != tag[:len(tag)-1]+`-`+name+`"` || zipped.Header().Get("Content-Encoding") != name {
				t.Errorf("%s: %v and %s", target, zipped.Header(), tag)
			}
			if got := opened(t, zipped); got != plain.Body.String() {
				t.Errorf("%s in %s is %s", target, name, got)
			}
			if w := d.getWith(target, "Accept-Encoding", name, ifNoneMatch, tag); w.Code != http.StatusOK {
				t.Errorf("%s: the tag of other bytes is answered with %d", target, w.Code)
			}
			unchanged(t, d.getWith(target, "Accept-Encoding", name, ifNoneMatch, zipped.Header().Get("ETag")),
				zipped.Header().Get("ETag"), zipped.Header().Get(marketVersion))
		}
	}
	if tag := d.getWith("/api/market?page=99", "Accept-Encoding", "gzip").Header().Get("ETag"); len(tag) != 34 {
		t.Errorf("a page too small to be compressed has the tag %s", tag)
	}
}

// If the cache has the tag of a page and not its body, the body is written on request.
func TestAPageWhoseTagIsKeptIsSentToOthers(t *testing.T) {
	t.Parallel()
	d, _ := openDemo(t)
	want := d.get("/api/market")
	again, _ := openDemo(t)
	unchanged(t, again.getWith("/api/market", ifNoneMatch, want.Header().Get("ETag")), want.Header().Get("ETag"), want.Header().Get(marketVersion))
	if got := again.get("/api/market"); got.Code != http.StatusOK || got.Body.String() != want.Body.String() {
		t.Errorf("%d with %d bytes, want %d", got.Code, got.Body.Len(), want.Body.Len())
	}
}

// One conditional request covers all pages. After a change only the affected pages
// have a new tag. The tags of one instance are valid at another.
func TestAChangeShowsInTheVersionAndInItsPageAlone(t *testing.T) {
	t.Parallel()
	d, _ := openDemo(t)
	other := &fixture{t: t, clock: d.clock, key: d.key, Marketplace: open(t, d.path, Options{Now: d.clock.Now, RatePerSecond: -1})}
	const pages = 7
	sweep := func(d *fixture) (tags [pages]string, version string) {
		for i := range pages {
			h := d.get(fmt.Sprint("/api/market?per_page=10&page=", i+1)).Header()
			if tags[i] = h.Get("ETag"); i > 0 && h.Get(marketVersion) != version {
				t.Errorf("page %d has the version %s, page 1 has %s", i+1, h.Get(marketVersion), version)
			}
			version = h.Get(marketVersion)
		}
		return tags, version
	}
	tags, version := sweep(d)
	if t2, v2 := sweep(other); t2 != tags || v2 != version {
		t.Errorf("another instance has %v %s, want %v %s", t2, v2, tags, version)
	}
	d.do(func(c *change) error {
		s := exchange.FindOrder(c.Change, d.text(`SELECT id FROM sell_orders WHERE state = 'LIVE' AND project =
			(SELECT number FROM projects WHERE live_orders > 0 ORDER BY number LIMIT 1 OFFSET 25)`))
		exchange.SetPrice(c.Change, s, s.Price+1)
		return nil
	})
	for _, d := range []*fixture{other, d} {
		later, v := sweep(d)
		for i := range pages {
			if same := later[i] == tags[i]; same != (i != 2) {
				t.Errorf("page %d has the same tag: %v", i+1, same)
			}
		}
		if v == version {
			t.Error("the version of the market is the same")
		}
		unchanged(t, d.getWith("/api/market?per_page=10", ifNoneMatch, tags[0]), tags[0], v)
	}
}

// A copy of the file that is put back goes through other changes than the file
// did: where the counts meet again the versions do not.
func TestAnOlderCopyThatIsPutBackCountsOtherVersions(t *testing.T) {
	t.Parallel()
	d, _ := openDemo(t)
	path, _ := copyDemo(t)
	restored := &fixture{t: t, clock: d.clock, key: d.key, Marketplace: open(t, path, Options{Now: d.clock.Now, RatePerSecond: -1})}
	version := func(d *fixture) string { return d.get("/api/market").Header().Get(marketVersion) }
	if version(d) != version(restored) {
		t.Fatal("a copy has another version than what it is a copy of")
	}
	for _, d := range []*fixture{d, restored} {
		d.do(func(c *change) error { return c.moveFirstProject() })
	}
	if n := "SELECT version FROM market_state"; d.query(n) != restored.query(n) || version(d) == version(restored) {
		t.Errorf("%s and %s", version(d), version(restored))
	}
}

// held is what a client keeps of a page, and of the market it was in.
type held struct{ tag, body, version string }

// asks asks for a page with what the client holds, and returns what it holds
// then.
func (h held) asks(t *rapid.T, d *fixture, target string, in coding) held {
	w := d.getWith(target, ifNoneMatch, h.tag, "Accept-Encoding", in.String())
	if h.version = w.Header().Get(marketVersion); w.Code == http.StatusNotModified {
		return h
	}
	h.tag, h.body = w.Header().Get("ETag"), opened(t, w)
	return h
}

// opened is the body of an answer, expanded.
func opened(t rapid.TB, w *httptest.ResponseRecorder) string {
	t.Helper()
	var r io.Reader = w.Body
	var err error
	switch w.Header().Get("Content-Encoding") {
	case "gzip":
		r, err = gzip.NewReader(w.Body)
	case "zstd":
		r, err = zstd.NewReader(w.Body, zstd.WithDecoderConcurrency(1))
	}
	if err != nil {
		t.Fatal(err)
	}
	plain, err := io.ReadAll(r)
	if err != nil {
		t.Fatal(err)
	}
	return string(plain)
}

// For all changes, two instances and caches of any size: a client that keeps its copy on
// 304 has the present market, and two pages with the same version are of the same market.
func TestWhatAClientKeepsIsTheMarketAsItIs(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(rt *rapid.T) {
		path := tempDatabase(t)
		first := openFixture(t, path, Options{RatePerSecond: -1})
		defer first.Close()
		instance := func(limit int) *fixture {
			d := *first
			d.Marketplace = open(t, path, Options{Now: d.clock.Now, RatePerSecond: -1})
			d.pages = pageCache{limit: limit, oneIn: onePageIn}
			return &d
		}
		limits := rapid.SampledFrom([]int{entryCost, 3*entryCost + 5000, 1 << 20})
		instances := []*fixture{instance(limits.Draw(rt, "limit")), instance(limits.Draw(rt, "another limit"))}
		bare := instance(0)
		defer bare.Close()
		vintages := first.severalProjects(5)
		kept, markets := make(map[string]held), make(map[string]string)
		for range rapid.IntRange(1, 40).Draw(rt, "steps") {
			d := rapid.SampledFrom(instances).Draw(rt, "instance")
			if rapid.Bool().Draw(rt, "change") {
				d.sell(rapid.SampledFrom(vintages).Draw(rt, "vintage"), 1, 620)
				continue
			}
			page, in := rapid.IntRange(1, 4).Draw(rt, "page"), coding(rapid.IntRange(0, int(codings)-1).Draw(rt, "coding"))
			target := fmt.Sprint("/api/market?per_page=2&page=", page)
			name := fmt.Sprint(page, in)
			kept[name] = kept[name].asks(rt, d, target, in)
			fresh := bare.get(target).Body.String()
			if kept[name].body != fresh {
				rt.Fatalf("page %d is %s, the client has %s", page, fresh, kept[name].body)
			}
			market := fmt.Sprint(kept[name].version, " ", page)
			if was, known := markets[market]; known && was != fresh {
				rt.Fatalf("version %s has two pages %d", kept[name].version, page)
			}
			markets[market] = fresh
		}
		for _, d := range instances {
			if err := d.Close(); err != nil {
				rt.Fatal(err)
			}
		}
	})
}

// severalProjects adds projects with many orders in them and returns a vintage
// of each.
func (d *fixture) severalProjects(n int) (vintages []testVintage) {
	d.t.Helper()
	d.do(func(c *change) error {
		for i := range n {
			_, of, err := addTestProject(c, exchange.Verra, fmt.Sprint(2000+i), "SE", "Wind", 2020)
			if err != nil {
				return err
			}
			vintages = append(vintages, of[0])
			for range 20 {
				exchange.Offer(c.Change, exchange.SellOrder{Vintage: of[0].Vintage, Seller: d.seller, Price: 620, Quantity: model.GramsPerTonne})
			}
		}
		return nil
	})
	return vintages
}
