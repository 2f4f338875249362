package storage

import (
	"time"

	"tonne/api/marketplace/exchange"
	"tonne/model"
)

// OpenPeriod is the month of accounts that is open; there is none before the
// first purchase.
func OpenPeriod(tx Tx) (exchange.Period, bool, error) { return openPeriod(tx.Query) }

// OpenPeriod is the month of accounts that is open, and stays open until the
// change is committed, unless it closes it itself.
func (b *books) OpenPeriod() (exchange.Period, bool, error) { return openPeriod(b.QueryKept) }

func openPeriod(query func(string, func(Row) error, ...any) error) (p exchange.Period, found bool, err error) {
	err = query("SELECT number, month FROM periods WHERE closed_at IS NULL", func(row Row) error {
		p, found = exchange.Period{Number: row.Int64(0), Month: row.Text(1)}, true
		return nil
	})
	return p, found, err
}

func (b *books) AddPeriod(month string, at time.Time) (int64, error) {
	return b.Insert("INSERT INTO periods (month, opened_at) VALUES ($1, $2)", month, at.UnixMilli())
}

func (b *books) SetMonth(p exchange.Period) error {
	if err := b.Alone(); err != nil {
		return err
	}
	return b.Do("UPDATE periods SET month = $1 WHERE number = $2", p.Month, p.Number)
}

func (b *books) ClosePeriod(p exchange.Period, at time.Time) error {
	if err := b.Alone(); err != nil {
		return err
	}
	return b.Do("UPDATE periods SET closed_at = $1 WHERE number = $2", at.UnixMilli(), p.Number)
}

func (b *books) MonthEndIsDue() (bool, error) {
	return exists(b, `SELECT 1 WHERE EXISTS (SELECT 1 FROM invoices WHERE state = 'LIVE')
		OR EXISTS (SELECT 1 FROM retirement_requests WHERE status = 'OPEN' AND retired_at IS NULL AND total_grams >= $1)`,
		model.GramsPerTonne)
}
