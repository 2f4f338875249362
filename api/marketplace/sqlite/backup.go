package sqlite

import (
	"context"
	"errors"
	"os"

	"zombiezen.com/go/sqlite"
	"zombiezen.com/go/sqlite/sqlitex"

	"tonne/api/marketplace/exchange"
)

// Backup writes the database as it is now into a file, which is empty, while
// others go on writing to the database. The file is one that Open takes.
func (d *Database) Backup(ctx context.Context, into *os.File) (err error) {
	conn, err := sqlite.OpenConn(d.uri, d.flags)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, conn.Close()) }()
	conn.SetInterrupt(ctx.Done())
	conn.SetBusyTimeout(exchange.LockWait)
	if d.inMemory {
		// VACUUM INTO would write into memory too.
		image, err := conn.Serialize("main")
		if err != nil {
			return err
		}
		_, err = into.Write(image)
		return err
	}
	return sqlitex.ExecuteTransient(conn, "VACUUM INTO ?", &sqlitex.ExecOptions{Args: []any{into.Name()}})
}
