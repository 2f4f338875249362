package marketplace

import (
	"bytes"
	"log/slog"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"tonne/api/marketplace/exchange"
)

// ready asks whether the service is ready, and for what reason it is not.
func (d *fixture) ready() (status int, why string) {
	w := call(d.Marketplace, "", http.MethodGet, "/readyz", "")
	return w.Code, w.Body.String()
}

func (d *fixture) wantUnready(because error) {
	d.t.Helper()
	if status, why := d.ready(); status != http.StatusServiceUnavailable || !strings.Contains(why, because.Error()) {
		d.t.Errorf("/readyz is answered with %d %s, want 503 because %v", status, why, because)
	}
}

func (d *fixture) wantReady() {
	d.t.Helper()
	if status, why := d.ready(); status != http.StatusOK {
		d.t.Errorf("/readyz is answered with %d %s", status, why)
	}
}

func TestReadyOnlyWhileThePathLeadsToTheDatabase(t *testing.T) {
	ofSQLite(t)
	t.Parallel()
	path := tempDatabase(t)
	d := openFixture(t, path, Options{RatePerSecond: -1})
	d.wantReady()
	if err := os.Rename(path, path+".moved"); err != nil {
		t.Fatal(err)
	}
	d.wantUnready(exchange.ErrReplaced)
	if err := os.WriteFile(path, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	d.wantUnready(exchange.ErrReplaced)
	if err := os.Rename(path+".moved", path); err != nil {
		t.Fatal(err)
	}
	d.wantReady()
}

// SQLite continues with files that were deleted, and what it writes into them is
// lost with the process.
func TestPurchaseFailsIfDatabaseFileWasMoved(t *testing.T) {
	ofSQLite(t)
	t.Parallel()
	for _, beside := range []string{"", "-wal", "-shm"} {
		t.Run("the database"+beside, func(t *testing.T) {
			t.Parallel()
			path := tempDatabase(t)
			d := openFixture(t, path, Options{RatePerSecond: -1})
			order := d.sell(d.vintages[0], 100, 620)
			if err := os.Rename(path+beside, path+".moved"); err != nil {
				t.Fatal(err)
			}
			d.wantNoChange(order)
			if err := os.WriteFile(path+beside, nil, 0o600); err != nil {
				t.Fatal(err)
			}
			d.wantNoChange(order)
			if err := os.Rename(path+".moved", path+beside); err != nil {
				t.Fatal(err)
			}
			d.wantReady()
			if id, replayed := accepted(t, d.purchase(order, "a").Body.Bytes()); replayed {
				t.Errorf("%s was bought before, while the service refused it", id)
			}
			checkBooks(t, d)
		})
	}
}

// An acknowledged change is in the WAL at first. If that file is deleted, the first
// process that notices has it copied into the database.
func TestWhatWasAcknowledgedOutlivesTheNameOfItsLog(t *testing.T) {
	ofSQLite(t)
	t.Parallel()
	for name, notice := range map[string]func(d *fixture, order string){
		"a purchase":      func(d *fixture, order string) { d.purchase(order, "b") },
		"a look at ready": func(d *fixture, _ string) { d.wantUnready(exchange.ErrReplaced) },
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			path, killed := tempDatabase(t), tempDatabase(t)
			d := openFixture(t, path, Options{RatePerSecond: -1})
			order := d.sell(d.vintages[0], 100, 620)
			want, _ := accepted(t, d.purchase(order, "a").Body.Bytes())
			remove(t, path+"-wal", path+"-shm")
			notice(d, order)
			copyFile(t, path, killed)
			again := *d
			again.Marketplace = open(t, killed, Options{Now: d.clock.Now, RatePerSecond: -1})
			if got, replayed := accepted(t, again.purchase(order, "a").Body.Bytes()); got != want || !replayed {
				t.Errorf("%s was promised, and is %s now", want, got)
			}
			checkBooks(t, &again)
		})
	}
}

// Who opened the database without its log may have changed the same pages.
func TestALogIsNotMovedIntoADatabaseThatOthersTookUp(t *testing.T) {
	ofSQLite(t)
	t.Parallel()
	path := tempDatabase(t)
	d := openFixture(t, path, Options{RatePerSecond: -1})
	order := d.sell(d.vintages[0], 100, 620)
	remove(t, path+"-wal", path+"-shm")
	before, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path+"-wal", nil, 0o600); err != nil {
		t.Fatal(err)
	}
	d.wantNoChange(order)
	if after, err := os.ReadFile(path); err != nil || !bytes.Equal(before, after) {
		t.Errorf("the database was changed: %v", err)
	}
}

func remove(t *testing.T, paths ...string) {
	t.Helper()
	for _, path := range paths {
		if err := os.Remove(path); err != nil {
			t.Fatal(err)
		}
	}
}

func copyFile(t *testing.T, from, to string) {
	t.Helper()
	content, err := os.ReadFile(from)
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(to, content, 0o600); err != nil {
		t.Fatal(err)
	}
}

// wantNoChange fails the test unless the service refuses what would change the
// database, and answers what would not.
func (d *fixture) wantNoChange(order string) {
	d.t.Helper()
	d.wantUnready(exchange.ErrReplaced)
	refused(d.t, d.purchase(order, "a"), http.StatusServiceUnavailable)
	if w := d.get("/api/market"); w.Code != http.StatusOK {
		d.t.Errorf("the market is answered with %d %s", w.Code, w.Body)
	}
}

func TestReadyOnlyWhileTheDatabaseCanBeWritten(t *testing.T) {
	ofSQLite(t)
	t.Parallel()
	path := tempDatabase(t)
	d := openFixture(t, path, Options{RatePerSecond: -1})
	if err := os.Chmod(path, 0o400); err != nil {
		t.Fatal(err)
	}
	d.wantUnready(exchange.ErrReadOnly)
	if err := os.Chmod(path, 0o600); err != nil {
		t.Fatal(err)
	}
	d.wantReady()
}

func TestReadyOnlyWhileTheDiskHasRoom(t *testing.T) {
	ofSQLite(t)
	t.Parallel()
	path := tempDatabase(t)
	var log bytes.Buffer
	d := openFixture(t, path, Options{RatePerSecond: -1, Log: slog.New(slog.NewTextHandler(&log, nil))})
	audits := d.query("SELECT count(*) FROM audit")
	limitPages(t, d, "(SELECT page_count FROM pragma_page_count)")
	d.wantUnready(exchange.ErrFull)
	if !strings.Contains(log.String(), exchange.ErrFull.Error()+": sqlite") {
		t.Errorf("the log does not say what SQLite says: %s", &log)
	}
	limitPages(t, d, "1000000")
	d.wantReady()
	if n := d.query("SELECT count(*) FROM audit"); n != audits {
		t.Errorf("asking left %d records behind", n-audits)
	}
	if left, err := os.ReadDir(filepath.Dir(path)); err != nil || len(left) != 3 {
		t.Errorf("asking left files behind: %v %v", left, err)
	}
}

func TestReadyOnlyWhileTheDatabaseIsNotLocked(t *testing.T) {
	ofSQLite(t)
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		path := tempDatabase(t)
		d := openFixture(t, path, Options{RatePerSecond: -1})
		release := lock(t, path)
		defer release()
		start := time.Now()
		d.wantUnready(exchange.ErrLocked)
		if took := time.Since(start); took > 3*time.Second {
			t.Errorf("it took %s to say so", took)
		}
		release()
		d.wantReady()
	})
}
