package sqlite

import (
	"zombiezen.com/go/sqlite"

	"tonne/api/marketplace/exchange"
	"tonne/model/dbfile"
)

// lockService locks an empty file next to the database. That file stays: two
// services could have the lock of a file whose name was removed. It returns
// what was made, with that file if it is new.
func (d *Database) lockService(made dbfile.Made) (dbfile.Made, error) {
	path := d.uri + "-lock"
	file, err := dbfile.Kind{}.Claim(path)
	made = append(made, file...)
	if err != nil {
		return made, err
	}
	d.serving, err = dbfile.Lock(path, sqlite.OpenReadWrite)
	if sqlite.ErrCode(err).ToPrimary() == sqlite.ResultBusy {
		err = exchange.ErrServed
	}
	return made, err
}

func (d *Database) unlockService() error {
	if d.serving == nil {
		return nil
	}
	conn := d.serving
	d.serving = nil
	return conn.Close()
}
