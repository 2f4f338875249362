package postgres

import (
	"context"
	"embed"
	"fmt"
	"io/fs"

	"github.com/jackc/pgx/v5"

	"tonne/api/marketplace/exchange"
)

// Never change a released migration.
//
//go:embed schema/*.sql
var schemaFiles embed.FS

// lockNumber is the number of the advisory lock with the name $1. It includes the schema,
// because several schemas of a database may contain a marketplace.
const (
	lockNumber = numberOf + "$1, 0)"
	numberOf   = "hashtextextended('tonne ' || current_schema() || ' ' || "
)

// Only one process at a time migrates. Others wait and find the tables upgraded.
func (d *Database) migrate(ctx context.Context, mayMake bool) error {
	return pgx.BeginTxFunc(ctx, d.pool, pgx.TxOptions{IsoLevel: pgx.ReadCommitted}, func(tx pgx.Tx) error {
		if _, err := tx.Exec(ctx, "SELECT pg_advisory_xact_lock("+lockNumber+")", "migration"); err != nil {
			return err
		}
		version, err := schemaVersion(ctx, tx)
		if err != nil {
			return err
		}
		files, err := schemaFiles.ReadDir("schema")
		if err != nil {
			return err
		}
		if version > len(files) {
			return exchange.ErrNewer
		}
		if version == 0 {
			if err := makeSchema(ctx, tx, mayMake); err != nil {
				return err
			}
			d.made = true
		}
		return upgrade(ctx, tx, version, files)
	})
}

func upgrade(ctx context.Context, tx pgx.Tx, version int, files []fs.DirEntry) error {
	for _, file := range files[version:] {
		text, err := schemaFiles.ReadFile("schema/" + file.Name())
		if err != nil {
			return err
		}
		if _, err := tx.Exec(ctx, string(text)); err != nil {
			return fmt.Errorf("%s: %w", file.Name(), err)
		}
	}
	_, err := tx.Exec(ctx,
		"INSERT INTO tonne_schema (version) VALUES ($1) ON CONFLICT (one) DO UPDATE SET version = excluded.version",
		len(files))
	return err
}

// makeSchema ignores the tables of extensions when it looks for tables of another program.
func makeSchema(ctx context.Context, tx pgx.Tx, mayMake bool) (err error) {
	used := false
	err = tx.QueryRow(ctx, `SELECT EXISTS (SELECT 1 FROM pg_class c WHERE c.relnamespace = current_schema()::regnamespace
		AND c.relkind IN ('r', 'p', 'f', 'v', 'm', 'S')
		AND NOT EXISTS (SELECT 1 FROM pg_depend d WHERE d.objid = c.oid AND d.deptype = 'e'))`).Scan(&used)
	switch {
	case err != nil:
		return err
	case used:
		return exchange.ErrForeign
	case !mayMake:
		return exchange.ErrNoMarketplace
	}
	_, err = tx.Exec(ctx,
		"CREATE TABLE tonne_schema (one boolean PRIMARY KEY DEFAULT true CHECK (one), version bigint NOT NULL)")
	return err
}

func schemaVersion(ctx context.Context, tx pgx.Tx) (version int, err error) {
	known := false
	if err := tx.QueryRow(ctx, "SELECT to_regclass('tonne_schema') IS NOT NULL").Scan(&known); err != nil || !known {
		return 0, err
	}
	err = tx.QueryRow(ctx, "SELECT version FROM tonne_schema").Scan(&version)
	return version, err
}
