package marketplace

import (
	"context"
	"errors"
	"io/fs"
	"net/http"
	"os"
	"path/filepath"
	"time"

	"zombiezen.com/go/sqlite"
)

var (
	// errReplaced says that what is written goes into a file that nobody finds
	// any more.
	errReplaced  = errors.New("the database file was deleted or replaced")
	errTakenBack = errors.New("the change was only tried")
	errDraining  = errors.New("the service is ending")
)

const (
	// probeWait is how long a probe waits for its turn to write: whoever asks
	// whether a service is ready does not wait for long.
	probeWait = 2 * time.Second
	// probeRoom is how much room a purchase may need, in bytes.
	probeRoom = 64 << 10
)

// getReady answers 503, and says why, while a purchase would fail: the service
// drains, or its database cannot be read or written.
func (m *Marketplace) getReady(w http.ResponseWriter, r *http.Request) {
	err := errDraining
	if !m.draining.Load() {
		err = m.db.ready(r.Context())
	}
	if err == nil {
		m.answer(w, r, http.StatusOK, []byte(`{"status":"ready"}`))
		return
	}
	why := "the database does not answer"
	for _, known := range []error{errDraining, errReplaced, ErrReadOnly, ErrFull, ErrLocked} {
		if errors.Is(err, known) {
			why = known.Error()
		}
	}
	if !errors.Is(err, errDraining) {
		noteFailure(w, err)
	}
	m.answerError(w, r, &refusal{http.StatusServiceUnavailable, "", []string{"Not ready: " + why}})
}

// ready returns why the database cannot take a change, or nil.
func (d *database) ready(ctx context.Context) error {
	if !d.inMemory {
		if err := errors.Join(d.inPlace(), d.room()); err != nil {
			return trouble(err)
		}
	}
	return trouble(d.rehearse(ctx))
}

// inPlace looks whether the path still leads to the file that is open, and
// whether its mode lets it be written. It is not opened: to close it would
// end the locks of this process.
func (d *database) inPlace() error {
	info, err := os.Stat(d.uri)
	switch {
	case errors.Is(err, fs.ErrNotExist) || err == nil && !os.SameFile(info, d.file):
		return errReplaced
	case err == nil && info.Mode().Perm()&0o200 == 0:
		return ErrReadOnly
	}
	return err
}

// room writes a file beside the database. A change that is taken back does not
// reach the disk, and one that is kept may find room in the log that is there
// already.
func (d *database) room() error {
	f, err := os.CreateTemp(filepath.Dir(d.uri), ".tonne-room-*")
	if errors.Is(err, fs.ErrPermission) {
		// The directory is not ours to write, the database may be.
		return nil
	}
	if err != nil {
		return err
	}
	_, err = f.Write(make([]byte, probeRoom))
	return errors.Join(err, f.Close(), os.Remove(f.Name()))
}

// rehearse makes a change as large as a purchase and takes it back.
func (d *database) rehearse(ctx context.Context) error {
	conn, end, err := d.begin(ctx, probeWait)
	if err != nil {
		return err
	}
	defer d.writer.Put(conn)
	_, err = find(conn, "SELECT version FROM market_state", func(*sqlite.Stmt) {})
	if err == nil {
		err = run(conn, "INSERT INTO audit (at, actor, action, subject, detail) VALUES (0, '', '', '', hex(zeroblob(?)))", probeRoom/2)
	}
	takeBack := errTakenBack
	end(&takeBack)
	return err
}
