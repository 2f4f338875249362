package marketplace

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"net/http/httputil"
	"testing"
	"time"

	"tonne/api/marketplace/exchange"
)

// poller is a client that keeps the pages of the market by their tags.
type poller struct {
	b       *testing.B
	handler http.Handler
	key     string
	pages   int
	tags    []string
	version string
}

// ask asks for a page, with the tag that the client has of it where it is
// conditional, and returns how many bytes the answer has and how long the
// service took over it.
func (p *poller) ask(page int, conditional bool) (bytes int, took time.Duration) {
	r := httptest.NewRequest(http.MethodGet, fmt.Sprint("/api/market?page=", page), nil)
	r.Header.Set("Authorization", "Bearer "+p.key)
	r.Header.Set("Accept-Encoding", "gzip")
	if conditional {
		r.Header.Set(ifNoneMatch, p.tags[page-1])
	}
	w := httptest.NewRecorder()
	start := time.Now()
	p.handler.ServeHTTP(w, r)
	took = time.Since(start)
	head, err := httputil.DumpResponse(w.Result(), false)
	if err != nil || w.Code != http.StatusOK && w.Code != http.StatusNotModified {
		p.b.Fatal(w.Code, err)
	}
	p.tags[page-1] = w.Header().Get("ETag")
	p.version = w.Header().Get(marketVersion)
	return len(head) + w.Body.Len(), took
}

// full reads all pages, as a client does that keeps nothing.
func (p *poller) full() (bytes int, took time.Duration) {
	for page := range p.pages {
		n, t := p.ask(page+1, false)
		bytes, took = bytes+n, took+t
	}
	return bytes, took
}

// poll asks what has changed, and for that.
func (p *poller) poll() (bytes int, took time.Duration) {
	before := p.version
	bytes, took = p.ask(1, true)
	if p.version == before {
		return bytes, took
	}
	for page := 2; page <= p.pages; page++ {
		n, t := p.ask(page, true)
		bytes, took = bytes+n, took+t
	}
	return bytes, took
}

// BenchmarkPoll compares a poll of 100,000 orders in which nothing has changed,
// and one in which an order was repriced, with reading every page, in turns. It
// fails where they are not as much cheaper as they must be.
func BenchmarkPoll(b *testing.B) { benchmarkPoll(b, tempDatabase(b)) }

// BenchmarkPollOnServer is BenchmarkPoll on PostgreSQL.
func BenchmarkPollOnServer(b *testing.B) {
	benchmarkPoll(b, databaseOn(b, startPostgres(b, unsafely...), "poll"))
}

func benchmarkPoll(b *testing.B, path string) {
	d := largeMarket(b, path, 100_000)
	p := &poller{b: b, handler: d.Handler(), key: d.key, pages: 100, tags: make([]string, 100)}
	order := d.text("SELECT id FROM sell_orders WHERE project = 1000 LIMIT 1")
	p.full()
	var bytes [3]int
	var took [3]time.Duration
	count := func(kind, n int, t time.Duration) { bytes[kind] += n; took[kind] += t }
	for b.Loop() {
		n, t := p.full()
		count(0, n, t)
		n, t = p.poll()
		count(1, n, t)
		d.do(func(c *change) error {
			s := exchange.FindOrder(c.Change, order)
			exchange.SetPrice(c.Change, s, s.Price+1)
			return nil
		})
		n, t = p.poll()
		count(2, n, t)
	}
	ratio := func(kind int) (ofBytes, ofTime float64) {
		return float64(bytes[kind]) / float64(bytes[0]), took[kind].Seconds() / took[0].Seconds()
	}
	unchangedBytes, unchangedTime := ratio(1)
	changedBytes, changedTime := ratio(2)
	b.ReportMetric(0, "ns/op")
	b.ReportMetric(float64(bytes[0])/float64(b.N), "full-B")
	b.ReportMetric(float64(took[0].Microseconds())/float64(b.N), "full-µs")
	b.ReportMetric(unchangedBytes, "unchanged-bytes/full")
	b.ReportMetric(unchangedTime, "unchanged-time/full")
	b.ReportMetric(changedBytes, "changed-bytes/full")
	b.ReportMetric(changedTime, "changed-time/full")
	if unchangedBytes > 1./100 || unchangedTime > 1./20 || changedBytes > 1./10 {
		b.Error("a poll that changes little costs too much")
	}
}
