package marketplace

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"zombiezen.com/go/sqlite"
	"zombiezen.com/go/sqlite/sqlitex"

	"tonne/api/marketplace/exchange"
	"tonne/api/marketplace/marketplacetest"
	"tonne/model/dbfile/dbfiletest"
	must "tonne/model/musttest"
	"tonne/model/retirement"
)

// The tests of this file are about the file of an SQLite database.

// wantUnready checks that the service is not ready, and why.
func (d *fixture) wantUnready(because error) {
	d.Helper()
	w := call(d.Marketplace, "", http.MethodGet, "/readyz", "")
	if w.Code != http.StatusServiceUnavailable || !strings.Contains(w.Body.String(), because.Error()) {
		d.Errorf("/readyz is answered with %d %s, want 503 because %v", w.Code, w.Body, because)
	}
}

func (d *fixture) wantReady() {
	d.Helper()
	if w := call(d.Marketplace, "", http.MethodGet, "/readyz", ""); w.Code != http.StatusOK {
		d.Errorf("/readyz is answered with %d %s", w.Code, w.Body)
	}
}

// wantNoChange checks that the service refuses changes and still answers the rest.
func (d *fixture) wantNoChange(order string) {
	d.Helper()
	d.wantUnready(exchange.ErrReplaced)
	d.Refused(d.purchase(order, "a"), http.StatusServiceUnavailable)
	if w := d.Get("/api/market"); w.Code != http.StatusOK {
		d.Errorf("the market is answered with %d %s", w.Code, w.Body)
	}
}

// wantFirst buys with an external id that the service must not know.
func (d *fixture) wantFirst(order, external string) {
	d.Helper()
	if id, replayed := d.Accepted(d.purchase(order, external)); replayed {
		d.Errorf("%s took effect, and the service had refused it", id)
	}
}

func TestBackupIsACompleteMarketplace(t *testing.T) {
	t.Parallel()
	d := onSQLite(t)
	order := d.Sell(d.Vintages[0], 10, 620)
	id := d.Buy("a", 20, order)
	path := filepath.Join(t.TempDir(), "backup.db")
	must.Succeed(t, d.Backup(t.Context(), path))
	d.Buy("b", 40, order)
	if info, err := os.Stat(path); err != nil || info.Mode().Perm() != 0o600 {
		t.Errorf("%v %v", info, err)
	}
	if left, err := filepath.Glob(filepath.Join(filepath.Dir(path), ".*")); err != nil || len(left) != 0 {
		t.Errorf("temporary files: %v %v", left, err)
	}
	restored := d.at(t, path)
	restored.want(id, retirement.Open, 20)
	restored.Buy("c", 7, order)
	restored.want(id, retirement.Open, 27)
	restored.CheckBooks()
	strangers := dbfiletest.Strangers()
	strangers["a backup"] = dbfiletest.Stranger{Make: func(t *testing.T, to string) { must.Succeed(t, os.Link(path, to)) }}
	for name, stranger := range strangers {
		dir := t.TempDir()
		path := filepath.Join(dir, "backup.db")
		stranger.Make(t, path)
		dbfiletest.Untouched(t, dir, func() {
			if err := d.Backup(t.Context(), path); !errors.Is(err, fs.ErrExist) {
				t.Errorf("onto %s: %v", name, err)
			}
		})
	}
}

// limitPages makes the writing connection see a disk of some pages.
func limitPages(t *testing.T, d *fixture, pages string) {
	t.Helper()
	must.Succeed(t, d.db.Write(t.Context(), func(tx exchange.Tx) error {
		n := int64(0)
		tx.Query("SELECT "+pages, func(row exchange.Row) { n = row.Int64(0) })
		tx.Query(fmt.Sprintf("PRAGMA max_page_count = %d", n), func(exchange.Row) {})
		return nil
	}))
}

func TestFullDisk(t *testing.T) {
	t.Parallel()
	d, log := logged(t, tempDatabase(t))
	order := d.Sell(d.Vintages[0], 1_000_000, 620)
	limitPages(t, d, "(SELECT page_count + 4 FROM pragma_page_count)")
	bought := 0
	w := d.purchase(order, "0")
	for ; w.Code == http.StatusOK && bought < 1000; w = d.purchase(order, fmt.Sprint(bought)) {
		bought++
	}
	if f := d.Refused(w, http.StatusInternalServerError); !strings.Contains(f.Message, "no space is left") || !strings.Contains(log.String(), exchange.ErrFull.Error()) {
		t.Errorf("the client reads %q, the log is %s", f.Message, log)
	}
	if w := d.Get("/api/market"); w.Code != http.StatusOK {
		t.Errorf("on a full disk the market is answered with %d", w.Code)
	}
	if err := d.Backup(t.Context(), filepath.Join(t.TempDir(), "backup.db")); err != nil && !errors.Is(err, exchange.ErrFull) {
		t.Errorf("the operator reads %v", err)
	}
	d.CheckBooks()
	limitPages(t, d, "1000000")
	d.wantFirst(order, "one more")
	if n := d.Number("SELECT count(*) FROM trades"); n != int64(bought)+1 {
		t.Errorf("%d trades, %d purchases were accepted", n, bought+1)
	}
	d.CheckBooks()
}

func TestReadyOnlyWhileTheDiskHasRoom(t *testing.T) {
	t.Parallel()
	d, log := logged(t, tempDatabase(t))
	audits := d.Number("SELECT count(*) FROM audit")
	limitPages(t, d, "(SELECT page_count FROM pragma_page_count)")
	d.wantUnready(exchange.ErrFull)
	if !strings.Contains(log.String(), exchange.ErrFull.Error()+": sqlite") {
		t.Errorf("the log lacks the error of SQLite: %s", log)
	}
	limitPages(t, d, "1000000")
	d.wantReady()
	if n := d.Number("SELECT count(*) FROM audit"); n != audits {
		t.Errorf("asking left %d records", n-audits)
	}
	if left, err := os.ReadDir(filepath.Dir(d.path)); err != nil || len(left) != 3 {
		t.Errorf("asking left files: %v %v", left, err)
	}
}

func TestReadyOnlyWhileTheDatabaseCanBeWritten(t *testing.T) {
	t.Parallel()
	d := onSQLite(t)
	must.Succeed(t, os.Chmod(d.path, 0o400))
	d.wantUnready(exchange.ErrReadOnly)
	must.Succeed(t, os.Chmod(d.path, 0o600))
	d.wantReady()
}

// SQLite continues with files that were deleted, and loses what it writes into them.
func TestPurchaseFailsIfDatabaseFileWasMoved(t *testing.T) {
	t.Parallel()
	for _, suffix := range []string{"", "-wal", "-shm"} {
		t.Run("the database"+suffix, func(t *testing.T) {
			t.Parallel()
			d := onSQLite(t)
			order := d.Sell(d.Vintages[0], 100, 620)
			must.Succeed(t, os.Rename(d.path+suffix, d.path+".moved"))
			d.wantNoChange(order)
			must.Succeed(t, os.WriteFile(d.path+suffix, nil, 0o600))
			d.wantNoChange(order)
			must.Succeed(t, os.Rename(d.path+".moved", d.path+suffix))
			d.wantReady()
			d.wantFirst(order, "a")
			d.CheckBooks()
		})
	}
}

// An acknowledged change is in the WAL at first. If that file is deleted, the first operation
// that notices it copies the WAL into the database.
func TestAcknowledgedChangesOutliveADeletedLog(t *testing.T) {
	t.Parallel()
	for name, notice := range map[string]func(d *fixture, order string){
		"a purchase": func(d *fixture, order string) { d.purchase(order, "b") },
		"/readyz":    func(d *fixture, _ string) { d.wantUnready(exchange.ErrReplaced) },
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			d, copied := onSQLite(t), tempDatabase(t)
			order := d.Sell(d.Vintages[0], 100, 620)
			want, _ := d.Accepted(d.purchase(order, "a"))
			must.Succeed(t, os.Remove(d.path+"-wal"), os.Remove(d.path+"-shm"))
			notice(d, order)
			content, err := os.ReadFile(d.path)
			must.Succeed(t, err, os.WriteFile(copied, content, 0o600))
			again := d.at(t, copied)
			if got, replayed := again.Accepted(again.purchase(order, "a")); got != want || !replayed {
				t.Errorf("%s was acknowledged, and is %s now", want, got)
			}
			again.CheckBooks()
		})
	}
}

// A program that opened the database without its log may have changed the same pages.
func TestLogIsNotCopiedIntoADatabaseOfAnotherProcess(t *testing.T) {
	t.Parallel()
	d := onSQLite(t)
	order := d.Sell(d.Vintages[0], 100, 620)
	must.Succeed(t, os.Remove(d.path+"-wal"), os.Remove(d.path+"-shm"))
	before, err := os.ReadFile(d.path)
	must.Succeed(t, err, os.WriteFile(d.path+"-wal", nil, 0o600))
	d.wantNoChange(order)
	if after, err := os.ReadFile(d.path); err != nil || !bytes.Equal(before, after) {
		t.Errorf("the database was changed: %v", err)
	}
}

// lock begins a transaction in another connection that keeps the database locked.
func lock(t *testing.T, path string) (release func()) {
	t.Helper()
	conn := must.Get(sqlite.OpenConn(path, sqlite.OpenReadWrite))
	must.Succeed(t, sqlitex.ExecuteTransient(conn, "BEGIN IMMEDIATE", nil))
	return sync.OnceFunc(func() { must.Succeed(t, conn.Close()) })
}

func TestLockedDatabaseIsAnsweredWith503(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		d := onSQLite(t)
		order := d.Sell(d.Vintages[0], 100, 620)
		release := lock(t, d.path)
		defer release()
		start := time.Now()
		d.wantUnready(exchange.ErrLocked)
		if took := time.Since(start); took > 3*time.Second {
			t.Errorf("/readyz took %s", took)
		}
		start = time.Now()
		var wg sync.WaitGroup
		for n := range 8 {
			wg.Go(func() {
				w := d.purchase(order, fmt.Sprint(n))
				if d.Refused(w, http.StatusServiceUnavailable); w.Header().Get("Retry-After") == "" {
					t.Error("there is no Retry-After")
				}
			})
		}
		wg.Wait()
		if took := time.Since(start); took > exchange.LockWait+time.Second {
			t.Errorf("the purchases took %s", took)
		}
		if w := d.Get("/api/market"); w.Code != http.StatusOK {
			t.Errorf("the market is answered with %d", w.Code)
		}
		if err := d.Settle("00inope"); !errors.Is(err, exchange.ErrLocked) {
			t.Errorf("an operator gets %v", err)
		}
		release()
		d.wantReady()
		d.wantFirst(order, "later")
		d.CheckBooks()
	})
}

func TestDrainOfALockedDatabaseEndsInTime(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		d, l := onSQLite(t), marketplacetest.NewPipes()
		order := d.Sell(d.Vintages[0], 100, 620)
		defer lock(t, d.path)()
		d.Clock.Set(testNow.AddDate(0, 1, 0))
		ctx, cancel := context.WithCancel(t.Context())
		served := make(chan error, 1)
		go func() { served <- d.Serve(ctx, l) }()
		text := must.Get(json.Marshal(d.Purchase("a", 1_000_000, order)))
		conn := d.post(l, "/api/caas/request-retirement", len(text), string(text))
		time.Sleep(exchange.LockWait / 2)
		start := time.Now()
		cancel()
		answer, err := http.ReadResponse(bufio.NewReader(conn), nil)
		if err != nil || answer.StatusCode != http.StatusServiceUnavailable {
			t.Errorf("%+v %v", answer, err)
		}
		if err := errors.Join(<-served, d.Marketplace.Close()); err != nil {
			t.Error(err)
		}
		if took := time.Since(start); took > drainTimeout {
			t.Errorf("it ended after %s", took)
		}
	})
}

// Purchases are committed together. A failure of their transaction fails all of them.
func TestPurchasesNextToAPanicAreAnsweredWith503(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		d := onSQLite(t)
		order := d.Sell(d.Vintages[0], 100, 620)
		work := make(chan struct{})
		var wg sync.WaitGroup
		wg.Go(func() {
			if err := d.Fixture.Change(func(*exchange.Change) { <-work }); !errors.Is(err, exchange.ErrNotCommitted) {
				t.Errorf("the first gets %v", err)
			}
		})
		synctest.Wait()
		for n := range 3 {
			wg.Go(func() {
				w := d.purchase(order, fmt.Sprint(n))
				if f := d.Refused(w, http.StatusServiceUnavailable); !strings.Contains(f.Message, "nothing was changed") || w.Header().Get("Retry-After") == "" {
					t.Errorf("%v %+v", w.Header(), f)
				}
			})
		}
		synctest.Wait()
		wg.Go(func() {
			defer func() {
				if recover() == nil {
					t.Error("the panic did not reach its own goroutine")
				}
			}()
			_ = d.Fixture.Change(func(*exchange.Change) { panic("unexpected") })
		})
		synctest.Wait()
		close(work)
		wg.Wait()
		for n := range 3 {
			d.wantFirst(order, fmt.Sprint(n))
		}
		d.CheckBooks()
	})
}
