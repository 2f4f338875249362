package marketplace

import (
	"maps"
	"net/http"
	"sync"
	"sync/atomic"
)

// promises are purchases that were acknowledged, by their external ids.
type promises struct {
	mu      sync.Mutex
	more    *sync.Cond
	of      map[string]string
	failed  bool
	refused atomic.Int32
}

func newPromises() *promises {
	p := &promises{of: make(map[string]string)}
	p.more = sync.NewCond(&p.mu)
	return p
}

// buy retries with the same external id until the purchase is acknowledged.
func (p *promises) buy(d *fixture, order, external string) {
	for d.t.Context().Err() == nil {
		w := d.purchase(order, external)
		if w.Code == http.StatusServiceUnavailable {
			p.refused.Add(1)
			continue
		}
		p.keep(external, func() string {
			id, _ := accepted(d.t, w.Body.Bytes())
			return id
		})
		return
	}
}

// keep records the outcome of a purchase. If id ends the goroutine, the waiting
// goroutines continue.
func (p *promises) keep(external string, id func() string) {
	p.mu.Lock()
	defer p.mu.Unlock()
	defer p.more.Broadcast()
	p.failed = true
	p.of[external] = id()
	p.failed = false
}

// count is how many purchases were acknowledged so far.
func (p *promises) count() int {
	p.mu.Lock()
	defer p.mu.Unlock()
	return len(p.of)
}

// await returns once so many purchases were acknowledged.
func (p *promises) await(n int) {
	p.mu.Lock()
	defer p.mu.Unlock()
	for len(p.of) < n && !p.failed {
		p.more.Wait()
	}
}

// check checks that exactly so many purchases are there, each once and as it was
// acknowledged, and that the books balance.
func (p *promises) check(d *fixture, order string, want int) {
	d.t.Helper()
	p.mu.Lock()
	of := maps.Clone(p.of)
	p.mu.Unlock()
	for external, id := range of {
		if again, replayed := accepted(d.t, d.purchase(order, external).Body.Bytes()); again != id || !replayed {
			d.t.Errorf("%s was promised %s, and is %s now", external, id, again)
		}
	}
	if n := d.query("SELECT count(*) FROM trades t JOIN sell_orders s ON s.number = t.sell_order WHERE s.id = $1", order); n != int64(want) || len(of) != want {
		d.t.Errorf("%d of %d purchases are there, %d were promised", n, want, len(of))
	}
	checkBooks(d.t, d)
}
