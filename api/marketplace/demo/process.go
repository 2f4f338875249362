package demo

import (
	"context"
	"log/slog"
	"time"

	"tonne/api/marketplace/exchange"
)

// Process moves the retirement requests of the demo on until ctx ends: every so
// often the registry has retired what it was processing, or, where it was
// processing nothing, the invoices that were issued are paid. Who follows a
// request that waits for its invoice sees each of its states. A step that fails
// is logged, and made at the next turn.
func Process(ctx context.Context, s Service, every time.Duration, log *slog.Logger) {
	ticker := time.NewTicker(every)
	defer ticker.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case <-ticker.C:
		}
		err := s.Change(ctx, s.Now(), actor, process)
		if err != nil && ctx.Err() == nil {
			log.Warn("the synthetic requests stand still", "error", err)
		}
	}
}

func process(c *exchange.Change) error {
	completed, err := c.CompleteAll()
	if err != nil || completed > 0 {
		return err
	}
	return c.SettleAll()
}
