package sqlite

import (
	"context"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"time"

	"tonne/api/marketplace/exchange"
)

// probeWait is how long a probe waits for its turn to write: whoever asks
// whether a service is ready does not wait for long.
const probeWait = 2 * time.Second

// Ready returns why the database cannot take a purchase, or nil.
func (d *Database) Ready(ctx context.Context) error {
	if err := d.files.inPlace(); err != nil {
		return translate(errors.Join(err, d.rescueInTurn(ctx)))
	}
	if !d.inMemory {
		if err := errors.Join(d.writable(), d.room()); err != nil {
			return translate(err)
		}
	}
	return translate(d.rehearse(ctx))
}

// writable looks whether the mode of the file lets it be written. It is not
// opened: to close it would end the locks of this process.
func (d *Database) writable() error {
	info, err := os.Stat(d.uri)
	if err == nil && info.Mode().Perm()&0o200 == 0 {
		return exchange.ErrReadOnly
	}
	return err
}

// room writes a file beside the database. A change that is rolled back does
// not reach the disk, and one that is kept may find room in the log that is
// there already.
func (d *Database) room() error {
	f, err := os.CreateTemp(filepath.Dir(d.uri), ".tonne-room-*")
	if errors.Is(err, fs.ErrPermission) {
		// The directory is not ours to write, the database may be.
		return nil
	}
	if err != nil {
		return err
	}
	_, err = f.Write(make([]byte, exchange.PurchaseRoom))
	return errors.Join(err, f.Close(), os.Remove(f.Name()))
}

func (d *Database) rehearse(ctx context.Context) error {
	turn, cancel := context.WithTimeoutCause(ctx, probeWait, exchange.ErrLocked)
	defer cancel()
	conn, err := d.begin(turn)
	if err != nil {
		return err
	}
	defer d.writer.Put(conn)
	b := &commitBatch{tx: d.on(conn)}
	return errors.Join(exchange.Rehearse(b.tx), b.rollBack())
}
