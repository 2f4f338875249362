package demo

import (
	"context"
	"fmt"
	"log/slog"
	"time"

	"tonne/api/marketplace/exchange"
	"tonne/api/marketplace/storage"
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
	there, err := storage.Read(ctx, s, unfinished)
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

func unfinished(tx storage.Tx) ([]storage.Work, error) {
	return storage.Requests(tx, storage.WorkFilter{})
}

// practice knows which requests were there before it began.
type practice struct{ before map[string]bool }

func (p practice) step(c *exchange.Change, tx storage.Tx) error {
	all, err := unfinished(tx)
	if err != nil {
		return err
	}
	settled, due := make(map[string]bool), false
	for _, w := range all {
		switch {
		case p.before[w.ID]:
		case w.Status == model.InProgress:
			err = c.Complete(w.ID)
		case w.Status == model.Closed:
			var waits bool
			waits, err = settle(c, w.Unsettled, settled)
			due = due || waits
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

// settle settles invoices that were issued, each once, and reports whether one
// of them waits for the end of its month.
func settle(c *exchange.Change, ids []string, settled map[string]bool) (waits bool, err error) {
	for _, id := range ids {
		if settled[id] {
			continue
		}
		settled[id] = true
		i, found, err := c.Invoice(id)
		switch {
		case err != nil || !found:
			return waits, err
		case i.State == exchange.InvoiceLive:
			waits = true
		case i.State == exchange.InvoiceIssued:
			if err := c.Settle(id); err != nil {
				return waits, err
			}
		}
	}
	return waits, nil
}
