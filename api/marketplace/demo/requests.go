package demo

import (
	"context"
	"fmt"
	"log/slog"
	"time"

	"tonne/api/marketplace/exchange"
	"tonne/model"
)

// Practise moves the retirement requests that somebody makes from now on a step
// along their life cycle every so often, until ctx ends: the month of a request
// of whole tonnes is closed, its invoice settled, its credits retired on the
// registry. Whoever practises sees a certificate soon. Requests that were there
// before stay as they are, but for those that gather fractions until the month
// is closed. A step that fails is logged and tried again.
func Practise(ctx context.Context, s Service, every time.Duration, log *slog.Logger) error {
	p := practice{before: make(map[string]bool)}
	there, err := exchange.Read(ctx, s, unfinished)
	if err != nil {
		return fmt.Errorf("practise retiring: %w", err)
	}
	for _, w := range there {
		p.before[w.ID] = true
	}
	repeat(ctx, s, every, log, "a retirement that is practised stands still", p.step)
	return nil
}

func unfinished(tx exchange.Tx) []exchange.Work { return exchange.Requests(tx, exchange.WorkFilter{}) }

// practice knows which requests were there before it began.
type practice struct{ before map[string]bool }

func (p practice) step(c *exchange.Change) (err error) {
	states, due := make(map[string]string), false
	for _, b := range exchange.Invoices(c, exchange.BillFilter{Open: true}) {
		states[b.ID] = b.State
	}
	for _, w := range unfinished(c) {
		if p.before[w.ID] {
			continue
		}
		if w.Status == model.InProgress {
			err = c.Complete(w.ID)
		}
		for _, id := range w.Unsettled {
			due = due || w.Status == model.Closed && states[id] == exchange.InvoiceLive
			if err == nil && w.Status == model.Closed && states[id] == exchange.InvoiceIssued {
				states[id], err = exchange.InvoiceSettled, c.Settle(id)
			}
		}
		if err != nil {
			return err
		}
	}
	if due {
		c.CloseMonth()
	}
	return nil
}

// Advance moves every retirement request a step along its life cycle every so
// often, until ctx ends. A step that fails is logged and repeated.
func Advance(ctx context.Context, s Service, every time.Duration, log *slog.Logger) {
	repeat(ctx, s, every, log, "advancing failed", func(c *exchange.Change) error {
		c.Advance()
		return nil
	})
}

// Process moves the retirement requests of the demo on until ctx ends: every so
// often the registry has retired what it was processing, or, if it was processing
// nothing, the invoices that were issued are paid. So each state of a request that
// waits for its invoice is seen. A step that fails is logged and repeated.
func Process(ctx context.Context, s Service, every time.Duration, log *slog.Logger) {
	repeat(ctx, s, every, log, "the synthetic requests stand still", func(c *exchange.Change) error {
		if c.CompleteAll() == 0 {
			c.SettleAll()
		}
		return nil
	})
}
