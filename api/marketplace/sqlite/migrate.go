package sqlite

import (
	"context"
	"embed"
	"fmt"
	"slices"

	"zombiezen.com/go/sqlite"
	"zombiezen.com/go/sqlite/sqlitemigration"
	"zombiezen.com/go/sqlite/sqlitex"

	"tonne/model/dbfile"
)

// applicationID marks a database file as one of this service: "tonn".
const applicationID = 0x746f6e6e

// schemaFiles are the steps from an empty database to the present one, in the
// order of their names. A step that was released is never changed.
//
//go:embed schema/*.sql
var schemaFiles embed.FS

func schemaSteps() ([]string, error) {
	files, err := schemaFiles.ReadDir("schema")
	if err != nil {
		return nil, err
	}
	steps := make([]string, len(files))
	for i, f := range files {
		text, err := schemaFiles.ReadFile("schema/" + f.Name())
		if err != nil {
			return nil, err
		}
		steps[i] = string(text)
	}
	return steps, nil
}

func claim(path string) (dbfile.Made, error) {
	steps, err := schemaSteps()
	if err != nil {
		return nil, err
	}
	return dbfile.Kind{ApplicationID: applicationID, Schema: len(steps)}.Claim(path)
}

// migrate brings the database to the present schema. A file that became one of
// a newer version or of another program since it was claimed is refused.
func (d *Database) migrate(ctx context.Context) error {
	steps, err := schemaSteps()
	if err != nil {
		return err
	}
	conn, err := d.writer.Take(ctx)
	if err != nil {
		return err
	}
	defer d.writer.Put(conn)
	version, err := schemaVersion(conn)
	if err != nil {
		return err
	}
	if version > len(steps) {
		return fmt.Errorf("the file has schema version %d, this program knows %d: use a newer program", version, len(steps))
	}
	d.made = version == 0
	return sqlitemigration.Migrate(ctx, conn, schemaOf(steps))
}

// schemaOf is what sqlitemigration makes of the steps. A step may make a table
// anew that others refer to, which deletes the old one.
func schemaOf(steps []string) sqlitemigration.Schema {
	unchecked := slices.Repeat([]*sqlitemigration.MigrationOptions{{DisableForeignKeys: true}}, len(steps))
	return sqlitemigration.Schema{AppID: applicationID, Migrations: steps, MigrationOptions: unchecked}
}

func schemaVersion(conn *sqlite.Conn) (int, error) {
	stmt, _, err := conn.PrepareTransient("PRAGMA user_version")
	if err != nil {
		return 0, err
	}
	defer stmt.Finalize()
	return sqlitex.ResultInt(stmt)
}
