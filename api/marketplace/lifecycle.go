package marketplace

import (
	"context"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"time"

	"zombiezen.com/go/sqlite"

	"tonne/model"
)

var (
	// ErrUnknownInvoice is returned for an id that no invoice has.
	ErrUnknownInvoice = errors.New("there is no invoice with that id")
	// ErrAlreadySettled is returned for an invoice that was settled before.
	ErrAlreadySettled = errors.New("the invoice is settled already")
	// ErrUnknownRequest is returned for an id that no retirement request has.
	ErrUnknownRequest = errors.New("there is no retirement request with that id")
	// ErrNotInProgress is returned for a request that the registry is not
	// processing.
	ErrNotInProgress = errors.New("only a retirement request that is IN_PROGRESS can be completed")
)

// Settle marks an invoice as paid. Requests that waited for it, and for
// nothing else, move from CLOSED to IN_PROGRESS. An invoice that is settled
// before its month ends takes no more purchases.
func (m *Marketplace) Settle(ctx context.Context, invoice string) error {
	err := m.change(ctx, operator, func(c *change) error {
		var number int64
		var state string
		found, err := find(c.Conn, "SELECT number, state FROM invoices WHERE id = ?", func(stmt *sqlite.Stmt) {
			number, state = stmt.ColumnInt64(0), stmt.ColumnText(1)
		}, invoice)
		switch {
		case err != nil:
			return err
		case !found:
			return ErrUnknownInvoice
		case state == "SETTLED":
			return ErrAlreadySettled
		}
		return c.settle(number, invoice)
	})
	if err != nil {
		return fmt.Errorf("settle invoice: %w", err)
	}
	return nil
}

func (c *change) settle(number int64, id string) error {
	if err := run(c.Conn, "UPDATE invoices SET state = 'SETTLED', settled_at = ? WHERE number = ?", c.millis(), number); err != nil {
		return err
	}
	if err := c.audit("settle invoice", id, ""); err != nil {
		return err
	}
	waiting, err := c.requests(`SELECT r.number, r.id, r.tenant, r.vintage, r.total_grams FROM retirement_requests r
		JOIN invoices i ON i.tenant = r.tenant WHERE i.number = ? AND r.status = 'CLOSED' AND r.retired_at IS NULL ORDER BY r.number`, number)
	if err != nil {
		return err
	}
	for _, r := range waiting {
		if err := c.processIfSettled(r); err != nil {
			return err
		}
	}
	return nil
}

// CompleteRetirement says that the registry has retired the credits of a
// request: it gets its serial numbers, its date and its certificate.
func (m *Marketplace) CompleteRetirement(ctx context.Context, id string) error {
	err := m.change(ctx, operator, func(c *change) error {
		found, err := c.requests("SELECT number, id, tenant, vintage, total_grams FROM retirement_requests WHERE id = ?", id)
		if err != nil {
			return err
		}
		if len(found) == 0 {
			return ErrUnknownRequest
		}
		return c.complete(found[0])
	})
	if err != nil {
		return fmt.Errorf("complete retirement: %w", err)
	}
	return nil
}

func (c *change) complete(r request) error {
	inProgress, err := find(c.Conn, "SELECT 1 FROM retirement_requests WHERE number = ? AND status = 'IN_PROGRESS'",
		func(*sqlite.Stmt) {}, r.number)
	if err != nil {
		return err
	}
	if !inProgress {
		return ErrNotInProgress
	}
	if err := c.assignSerials(r); err != nil {
		return err
	}
	var secret [16]byte
	if _, err := io.ReadFull(c.random, secret[:]); err != nil {
		return err
	}
	if err := run(c.Conn, `UPDATE retirement_requests SET status = 'COMPLETE', retired_at = ?, certificate = ? WHERE number = ?`,
		c.millis(), hex.EncodeToString(secret[:]), r.number); err != nil {
		return err
	}
	return c.audit("request status", r.id, string(model.InProgress)+" to "+string(model.Complete))
}

// Advance moves everything one step along its life cycle, as a demo needs it
// that cannot wait for the end of a month: what the registry processes is
// completed, what was invoiced is settled, and the month is closed where
// anything waits for that.
func (m *Marketplace) Advance(ctx context.Context, now time.Time) error {
	err := m.changeAt(ctx, now, clock, func(c *change) error {
		p, err := c.period()
		if err != nil {
			return err
		}
		if err := c.completeAll(); err != nil {
			return err
		}
		if err := c.settleAll(); err != nil {
			return err
		}
		due, err := find(c.Conn, `SELECT 1 WHERE EXISTS (SELECT 1 FROM invoices WHERE state = 'LIVE')
			OR EXISTS (SELECT 1 FROM retirement_requests WHERE status = 'OPEN' AND retired_at IS NULL AND total_grams >= ?)`,
			func(*sqlite.Stmt) {}, model.GramsPerTonne)
		if err != nil || !due {
			return err
		}
		_, err = c.closePeriod(p)
		return err
	})
	if err != nil {
		return fmt.Errorf("advance the marketplace: %w", err)
	}
	return nil
}

func (c *change) completeAll() error {
	processed, err := c.requests(`SELECT number, id, tenant, vintage, total_grams FROM retirement_requests
		WHERE status = 'IN_PROGRESS' AND retired_at IS NULL ORDER BY number`)
	for _, r := range processed {
		if err == nil {
			err = c.complete(r)
		}
	}
	return err
}

func (c *change) settleAll() error {
	type invoice struct {
		number int64
		id     string
	}
	var issued []invoice
	err := each(c.Conn, "SELECT number, id FROM invoices WHERE state = 'ISSUED' ORDER BY number", func(stmt *sqlite.Stmt) error {
		issued = append(issued, invoice{stmt.ColumnInt64(0), stmt.ColumnText(1)})
		return nil
	})
	for _, i := range issued {
		if err == nil {
			err = c.settle(i.number, i.id)
		}
	}
	return err
}
