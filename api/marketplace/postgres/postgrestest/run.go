package postgrestest

import (
	"context"
	"errors"

	"github.com/jackc/pgx/v5"
)

// Run runs a statement outside a transaction.
func Run(ctx context.Context, address, statement string) error {
	conn, err := pgx.Connect(ctx, address)
	if err != nil {
		return err
	}
	_, err = conn.Exec(ctx, statement)
	return errors.Join(err, conn.Close(ctx))
}
