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
	ticker := time.NewTicker(every)
	defer ticker.Stop()
	for {
		select {
		case <-ctx.Done():
			return nil
		case <-ticker.C:
		}
		if err := s.Change(ctx, s.Now(), actor, p.step); err != nil && ctx.Err() == nil {
			log.Warn("a retirement that is practised stands still", "error", err)
		}
	}
}

func unfinished(tx exchange.Tx) ([]exchange.Work, error) {
	return exchange.Requests(tx, exchange.WorkFilter{})
}

// practice knows which requests were there before it began.
type practice struct{ before map[string]bool }

func (p practice) step(c *exchange.Change) error {
	all, err := unfinished(c)
	if err != nil {
		return err
	}
	bills, err := exchange.Invoices(c, exchange.BillFilter{Open: true})
	if err != nil {
		return err
	}
	states, due := make(map[string]string), false
	for _, b := range bills {
		states[b.ID] = b.State
	}
	for _, w := range all {
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
		_, err = c.CloseMonth()
	}
	return err
}
