package store

import (
	"context"
	"time"

	"zombiezen.com/go/sqlite"

	"tonne/model"
)

// Bought identifies a purchase: its vintage and its time.
type Bought struct {
	Vintage model.VintageKey
	// At is in milliseconds since 1970.
	At int64
}

// NewBought returns the identity of a purchase at a time.
func NewBought(of model.VintageKey, at time.Time) Bought { return Bought{of, at.UnixMilli()} }

// AddReason saves why a user made a purchase, unless it is the last reason already. Earlier reasons are kept.
func (a Annotations) AddReason(ctx context.Context, of Bought, reason string, at time.Time) error {
	return a.change(ctx, `INSERT INTO purchase_reason (origin, project_id, vintage_id, bought_at, at, reason)
		SELECT ?1, ?2, ?3, ?4, ?5, ?6 WHERE ?6 IS NOT (SELECT reason FROM purchase_reason
			WHERE (origin, project_id, vintage_id, bought_at) = (?1, ?2, ?3, ?4) ORDER BY id DESC LIMIT 1)`,
		of.Vintage.ProjectID, of.Vintage.VintageID, of.At, millis(at), reason)
}

// Reasons returns the last reason of each purchase.
func (a Annotations) Reasons(ctx context.Context) (map[Bought]string, error) {
	return table(ctx, a.part,
		`SELECT project_id, vintage_id, bought_at, reason FROM purchase_reason WHERE origin = ? ORDER BY id`,
		func(stmt *sqlite.Stmt) (Bought, string) {
			return Bought{columnKey(stmt, 0), stmt.ColumnInt64(2)}, stmt.ColumnText(3)
		})
}
