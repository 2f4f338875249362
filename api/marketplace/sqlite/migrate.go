package sqlite

import (
	"embed"
	"slices"
	"sync"

	"zombiezen.com/go/sqlite/sqlitemigration"

	"tonne/model/dbfile"
)

//go:embed schema/*.sql
var schemaFiles embed.FS

// kind has the steps from an empty database to the present one, in the order of
// their names. A step that was released is never changed. One may rebuild a table
// that others refer to, which deletes the old one.
var kind = sync.OnceValue(func() dbfile.Kind {
	steps := dbfile.Steps(schemaFiles, "schema/*.sql")
	unchecked := slices.Repeat([]*sqlitemigration.MigrationOptions{{DisableForeignKeys: true}}, len(steps))
	// The id is "tonn".
	return dbfile.Kind{AppID: 0x746f6e6e, Migrations: steps, MigrationOptions: unchecked}
})
