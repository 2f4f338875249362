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
	"syscall"
	"testing"
	"testing/synctest"
	"time"

	"zombiezen.com/go/sqlite"
	"zombiezen.com/go/sqlite/sqlitex"

	"tonne/api/marketplace/exchange"
	"tonne/model/file/dbfile/dbfiletest"
	"tonne/model/file/localfile"
	must "tonne/model/musttest"
	"tonne/model/retirement"
)

// The tests of this file are about the file of an SQLite database.

// wantUnready checks that the service is not ready, and why.
func (d *fixture) wantUnready(because error) {
	d.Helper()
	w := call(d.Marketplace, "", http.MethodGet, "/readyz", "")
	must.Hold(d, w.Code == http.StatusServiceUnavailable && strings.Contains(w.Body.String(), because.Error()),
		"/readyz is answered with", w.Code, w.Body, because)
}

func (d *fixture) wantReady() {
	d.Helper()
	w := call(d.Marketplace, "", http.MethodGet, "/readyz", "")
	must.Equal(d, w.Code, http.StatusOK, "/readyz is answered with", w.Body)
}

// wantNoChange checks that the service refuses changes and still answers the rest.
func (d *fixture) wantNoChange(order string) {
	d.Helper()
	d.wantUnready(exchange.ErrReplaced)
	d.Refused(d.purchase(order, "a"), http.StatusServiceUnavailable)
	w := d.Get("/api/market")
	must.Equal(d, w.Code, http.StatusOK, "the market is answered with", w.Body)
}

// wantFirst buys with an external id that the service must not know.
func (d *fixture) wantFirst(order, external string) {
	d.Helper()
	id, replayed := d.Accepted(d.purchase(order, external))
	must.Hold(d, !replayed, id)
}

func TestBackupIsACompleteMarketplace(t *testing.T) {
	t.Parallel()
	d := onSQLite(t)
	order := d.Sell(d.Vintages[0], 10, 620)
	id := d.Buy("a", 20, order)
	path := filepath.Join(t.TempDir(), "backup.db")
	must.Succeed(t, d.Backup(t.Context(), localfile.Target{Path: path}))
	d.Buy("b", 40, order)
	info, err := os.Stat(path)
	must.Hold(t, err == nil && info.Mode().Perm() == 0o600, info, err)
	left, err := filepath.Glob(filepath.Join(filepath.Dir(path), ".*"))
	must.Hold(t, err == nil && len(left) == 0, "temporary files", left, err)
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
			err := d.Backup(t.Context(), localfile.Target{Path: path})
			must.Hold(t, errors.Is(err, fs.ErrExist) || errors.Is(err, syscall.EISDIR), "onto", name, err)
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
	f := d.Refused(w, http.StatusInternalServerError)
	must.Hold(t, strings.Contains(f.Message, "no space is left") &&
		strings.Contains(log.String(), exchange.ErrFull.Error()), "the client reads", f.Message, log)
	must.Equal(t, d.Get("/api/market").Code, http.StatusOK, "on a full disk the market is answered with")
	err := d.Backup(t.Context(), localfile.Target{Path: filepath.Join(t.TempDir(), "backup.db")})
	must.Hold(t, err == nil || errors.Is(err, exchange.ErrFull), "the operator reads", err)
	d.CheckBooks()
	limitPages(t, d, "1000000")
	d.wantFirst(order, "one more")
	must.Equal(t, d.Number("SELECT count(*) FROM trades"), int64(bought)+1, bought+1)
	d.CheckBooks()
}

func TestReadyOnlyWhileTheDiskHasRoom(t *testing.T) {
	t.Parallel()
	d, log := logged(t, tempDatabase(t))
	audits := d.Number("SELECT count(*) FROM audit")
	limitPages(t, d, "(SELECT page_count FROM pragma_page_count)")
	d.wantUnready(exchange.ErrFull)
	must.Hold(t, strings.Contains(log.String(), exchange.ErrFull.Error()+": sqlite"),
		"the log lacks the error of SQLite", log)
	limitPages(t, d, "1000000")
	d.wantReady()
	n := d.Number("SELECT count(*) FROM audit")
	must.Equal(t, n, audits, "asking left", n-audits)
	left, err := os.ReadDir(filepath.Dir(d.path))
	must.Hold(t, err == nil && len(left) == 3, "asking left files", left, err)
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
			got, replayed := again.Accepted(again.purchase(order, "a"))
			must.Hold(t, got == want && replayed, want, got)
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
	after, err := os.ReadFile(d.path)
	must.Hold(t, err == nil && bytes.Equal(before, after), "the database was changed", err)
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
		took := time.Since(start)
		must.Hold(t, took <= 3*time.Second, "/readyz took", took)
		start = time.Now()
		var wg sync.WaitGroup
		for n := range 8 {
			wg.Go(func() {
				w := d.purchase(order, fmt.Sprint(n))
				d.Refused(w, http.StatusServiceUnavailable)
				must.Hold(t, w.Header().Get("Retry-After") != "", "there is no Retry-After")
			})
		}
		wg.Wait()
		took = time.Since(start)
		must.Hold(t, took <= exchange.LockWait+time.Second, "the purchases took", took)
		must.Equal(t, d.Get("/api/market").Code, http.StatusOK, "the market is answered with")
		must.Fail(t, d.Settle("00inope"), exchange.ErrLocked, "an operator gets")
		release()
		d.wantReady()
		d.wantFirst(order, "later")
		d.CheckBooks()
	})
}

func TestDrainOfALockedDatabaseEndsInTime(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		d, l := onSQLite(t), newPipes()
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
		must.Hold(t, err == nil && answer.StatusCode == http.StatusServiceUnavailable, answer, err)
		must.Fail(t, errors.Join(<-served, d.Marketplace.Close()), nil)
		took := time.Since(start)
		must.Hold(t, took <= drainTimeout, "it ended after", took)
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
			must.Fail(t, d.Change(func(*exchange.Change) { <-work }), exchange.ErrNotCommitted, "the first gets")
		})
		synctest.Wait()
		for n := range 3 {
			wg.Go(func() {
				w := d.purchase(order, fmt.Sprint(n))
				f := d.Refused(w, http.StatusServiceUnavailable)
				must.Hold(t, strings.Contains(f.Message, "nothing was changed") &&
					w.Header().Get("Retry-After") != "", w.Header(), f)
			})
		}
		synctest.Wait()
		wg.Go(func() {
			defer func() {
				must.Hold(t, recover() != nil, "the panic did not reach its own goroutine")
			}()
			_ = d.Change(func(*exchange.Change) { panic("unexpected") })
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
