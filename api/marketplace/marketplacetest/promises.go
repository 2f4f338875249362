package marketplacetest

import (
	"maps"
	"net/http"
	"sync"
	"sync/atomic"

	"tonne/model"
	must "tonne/model/musttest"
)

// Promises are the acknowledged purchases of a tonne, by their external ids.
type Promises struct {
	// Refused counts answers with status 503.
	Refused atomic.Int32

	mu     sync.Mutex
	more   *sync.Cond
	of     map[string]string
	failed bool
}

// NewPromises returns no promises.
func NewPromises() *Promises {
	p := &Promises{of: make(map[string]string)}
	p.more = sync.NewCond(&p.mu)
	return p
}

// Buy retries with the same external id until the purchase is acknowledged.
func (p *Promises) Buy(f *Fixture, order, external string) {
	for f.Context().Err() == nil {
		w := f.Retire(f.Key, f.Purchase(external, model.GramsPerTonne, order))
		if w.Code != http.StatusServiceUnavailable {
			p.keep(external, func() string {
				id, _ := f.Accepted(w)
				return id
			})
			return
		}
		p.Refused.Add(1)
	}
}

// keep records an outcome. If id ends the goroutine, waiting goroutines continue.
func (p *Promises) keep(external string, id func() string) {
	p.mu.Lock()
	defer p.mu.Unlock()
	defer p.more.Broadcast()
	p.failed = true
	p.of[external] = id()
	p.failed = false
}

// Await returns after n more purchases were acknowledged.
func (p *Promises) Await(n int) {
	p.mu.Lock()
	defer p.mu.Unlock()
	for n += len(p.of); len(p.of) < n && !p.failed; {
		p.more.Wait()
	}
}

// Check checks that the order was bought exactly want times, each time as acknowledged.
func (p *Promises) Check(f *Fixture, order string, want int) {
	f.Helper()
	p.mu.Lock()
	of := maps.Clone(p.of)
	p.mu.Unlock()
	for external, id := range of {
		again, replayed := f.Accepted(f.Retire(f.Key, f.Purchase(external, model.GramsPerTonne, order)))
		must.Hold(f, again == id && replayed, external, id, again)
	}
	n := f.Number("SELECT count(*) FROM trades t JOIN sell_orders s ON s.number = t.sell_order WHERE s.id = $1", order)
	must.Hold(f, n == int64(want) && len(of) == want, n, want, len(of))
	f.CheckBooks()
}
