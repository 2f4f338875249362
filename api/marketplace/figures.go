package marketplace

import (
	"bytes"
	"context"
	"fmt"
	"sync"
	"time"

	"tonne/api/marketplace/exchange"
)

const (
	// figuresFor limits how often scrapes read the database: anybody may ask for /metrics.
	figuresFor = 10 * time.Second
	// figuresWait is below the usual time limit of a scrape, which is 10 s.
	figuresWait = 3 * time.Second
)

// figuresCache keeps the figures that were read last. Scrapes at the same time wait for one reading.
type figuresCache struct {
	mu      sync.Mutex
	figures exchange.Figures
	err     error
	at      time.Time
}

func (c *figuresCache) read(ctx context.Context, db exchange.Reader,
	now time.Time) (exchange.Figures, time.Time, error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.at.IsZero() || now.Sub(c.at) >= figuresFor {
		// The next scrape uses what this one reads, even if its client has gone.
		ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), figuresWait)
		defer cancel()
		c.figures, c.err = exchange.Read(ctx, db, exchange.ReadFigures)
		c.at = now
	}
	return c.figures, c.at, c.err
}

func writeFigures(w *bytes.Buffer, f exchange.Figures, at time.Time) {
	family(w, "tonne_retirement_requests", "gauge", "Retirement requests that are not finished, by state.")
	for _, s := range f.Requests {
		fmt.Fprintf(w, "tonne_retirement_requests{state=%q} %d\n", s.State, s.Count)
	}
	family(w, "tonne_oldest_request_age_seconds", "gauge",
		"Time since the oldest unfinished retirement request was created, by state; absent if there is none.")
	for _, s := range f.Requests {
		if s.Count > 0 {
			age := max(at.Sub(s.Oldest.Time), 0)
			fmt.Fprintf(w, "tonne_oldest_request_age_seconds{state=%q} %d\n", s.State, int64(age/time.Second))
		}
	}
	for _, g := range []struct {
		name, help string
		value      int64
	}{
		{"tonne_open_invoices", "Invoices that are not settled.", f.OpenInvoices},
		{"tonne_open_invoices_cents", "Sum of the invoices that are not settled, in US cents.", int64(f.OpenCents)},
		{"tonne_sell_orders", "Live sell orders.", f.SellOrders},
		{"tonne_offered_grams", "Sum of the live sell orders, in grams.", int64(f.Offered)},
	} {
		family(w, g.name, "gauge", g.help)
		fmt.Fprintf(w, "%s %d\n", g.name, g.value)
	}
}
