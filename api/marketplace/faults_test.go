package marketplace

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net"
	"net/http"
	"net/http/httptest"
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
)

// lock takes the right to write away from a service, as another process does
// that never ends its transaction.
func lock(t *testing.T, path string) (release func()) {
	t.Helper()
	conn, err := sqlite.OpenConn(path, sqlite.OpenReadWrite)
	if err != nil {
		t.Fatal(err)
	}
	if err := sqlitex.ExecuteTransient(conn, "BEGIN IMMEDIATE", nil); err != nil {
		t.Fatal(err)
	}
	return sync.OnceFunc(func() {
		if err := conn.Close(); err != nil {
			t.Error(err)
		}
	})
}

// purchase is a request that buys a tonne of the order.
func (d *fixture) purchase(order, external string) *httptest.ResponseRecorder {
	return d.retire(d.key, body{"vintage_id": d.vintages[0].id, "quantity_grams": "1000000", "external_id": external,
		"sell_order_id": order, "expected_price_cents": "620"})
}

func TestLockedDatabaseIsAnsweredWith503(t *testing.T) {
	ofSQLite(t)
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		path := tempDatabase(t)
		d := openFixture(t, path, Options{RatePerSecond: -1})
		order := d.sell(d.vintages[0], 100, 620)
		release := lock(t, path)
		defer release()
		start := time.Now()
		var wg sync.WaitGroup
		for n := range 8 {
			wg.Go(func() {
				w := d.purchase(order, fmt.Sprint(n))
				if refused(t, w, http.StatusServiceUnavailable); w.Header().Get("Retry-After") == "" {
					t.Error("it does not say when to try again")
				}
			})
		}
		wg.Wait()
		if took := time.Since(start); took > exchange.LockWait+time.Second {
			t.Errorf("it took %s to say so", took)
		}
		if w := d.get("/api/market"); w.Code != http.StatusOK {
			t.Errorf("the market is answered with %d", w.Code)
		}
		if err := d.settle("00inope"); !errors.Is(err, exchange.ErrLocked) {
			t.Errorf("an operator gets %v", err)
		}
		release()
		if w := d.purchase(order, "later"); w.Code != http.StatusOK {
			t.Errorf("once the lock is gone: %d %s", w.Code, w.Body)
		}
		checkBooks(t, d)
	})
}

// A service whose database is locked ends as soon as any other.
func TestDrainOfALockedDatabaseEndsInTime(t *testing.T) {
	ofSQLite(t)
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		path := tempDatabase(t)
		d := openFixture(t, path, Options{RatePerSecond: -1})
		order := d.sell(d.vintages[0], 100, 620)
		defer lock(t, path)()
		d.clock.set(testNow.AddDate(0, 1, 0))
		l := newPipes()
		ctx, cancel := context.WithCancel(t.Context())
		served := make(chan error, 1)
		go func() { served <- d.Serve(ctx, l) }()
		conn := l.dial()
		text := fmt.Sprintf(`{"vintage_id":%q,"quantity_grams":"1000000","external_id":"a","sell_order_id":%q,"expected_price_cents":"620"}`,
			d.vintages[0].id, order)
		fmt.Fprintf(conn, "POST /api/caas/request-retirement HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer %s\r\nContent-Length: %d\r\n\r\n%s", d.key, len(text), text)
		time.Sleep(exchange.LockWait / 2)
		start := time.Now()
		cancel()
		answer, err := http.ReadResponse(bufio.NewReader(conn), nil)
		if err != nil || answer.StatusCode != http.StatusServiceUnavailable {
			t.Errorf("%+v %v", answer, err)
		}
		if err := errors.Join(<-served, d.Close()); err != nil {
			t.Error(err)
		}
		if took := time.Since(start); took > drainTimeout {
			t.Errorf("it ended after %s", took)
		}
	})
}

// brokenBody is a body whose client stops in the middle of it.
func brokenBody(err error) io.Reader {
	return io.MultiReader(strings.NewReader(`{"na`), errReader{err})
}

type errReader struct{ err error }

func (r errReader) Read([]byte) (int, error) { return 0, r.err }

func TestBodiesThatFailAreTheClientsFault(t *testing.T) {
	t.Parallel()
	d := newFixture(t)
	for _, c := range []struct {
		name   string
		err    error
		status int
	}{
		{"slow", os.ErrDeadlineExceeded, http.StatusRequestTimeout},
		{"slow connection", &net.OpError{Op: "read", Err: os.ErrDeadlineExceeded}, http.StatusRequestTimeout},
		{"cut off", io.ErrUnexpectedEOF, http.StatusBadRequest},
		{"not chunked as it says", errors.New("malformed chunked encoding"), http.StatusBadRequest},
	} {
		for _, target := range []string{"/api/retirement", "/api/caas/request-retirement", "/api/api-keys"} {
			r := httptest.NewRequest(http.MethodPost, target, brokenBody(c.err))
			r.Header.Set("Authorization", "Bearer "+d.key)
			w := httptest.NewRecorder()
			d.Handler().ServeHTTP(w, r)
			if f := refused(t, w, c.status); f.Message == "" {
				t.Errorf("%s: %s says nothing", c.name, target)
			}
		}
	}
}

func TestSlowBodyGetsRequestTimeout(t *testing.T) {
	t.Parallel()
	serving(t, func(t *testing.T, d *fixture, l *pipes, stop func() error) {
		conn := l.dial()
		fmt.Fprintf(conn, "POST /api/retirement HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer %s\r\nContent-Length: 100\r\n\r\n{", d.key)
		answer, err := http.ReadResponse(bufio.NewReader(conn), nil)
		if err != nil || answer.StatusCode != http.StatusRequestTimeout {
			t.Errorf("%+v %v", answer, err)
		}
		conn.Close()
		if err := stop(); err != nil {
			t.Error(err)
		}
	})
}

// A request that the client cancels is not a failure of the service.
func TestClientsThatGoAreNoServerErrors(t *testing.T) {
	t.Parallel()
	d := newFixture(t)
	r := httptest.NewRequestWithContext(canceled(t), http.MethodGet, "/api/market", nil)
	r.Header.Set("Authorization", "Bearer "+d.key)
	w := httptest.NewRecorder()
	d.Handler().ServeHTTP(w, r)
	if w.Code >= 500 {
		t.Errorf("counted as %d", w.Code)
	}
}

func TestAFullDiskIsSaid(t *testing.T) {
	ofSQLite(t)
	t.Parallel()
	var log bytes.Buffer
	d := openFixture(t, tempDatabase(t), Options{RatePerSecond: -1, Log: slog.New(slog.NewTextHandler(&log, nil))})
	order := d.sell(d.vintages[0], 1_000_000, 620)
	limitPages(t, d, "(SELECT page_count FROM pragma_page_count)")
	w := d.purchase(order, "0")
	for n := 1; w.Code == http.StatusOK && n < 1000; n++ {
		w = d.purchase(order, fmt.Sprint(n))
	}
	if f := refused(t, w, http.StatusInternalServerError); !strings.Contains(f.Message, "no space is left") {
		t.Errorf("the client reads %q", f.Message)
	}
	if !strings.Contains(log.String(), exchange.ErrFull.Error()) {
		t.Errorf("the log does not say it: %s", &log)
	}
	if err := d.Backup(t.Context(), filepath.Join(t.TempDir(), "backup.db")); err != nil && !errors.Is(err, exchange.ErrFull) {
		t.Errorf("the operator reads %v", err)
	}
}

// Purchases are committed together. A failure of their transaction fails all of them.
func TestPurchasesBesideAPanicAreAnsweredWith503(t *testing.T) {
	ofSQLite(t)
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		d := openFixture(t, tempDatabase(t), Options{RatePerSecond: -1})
		order := d.sell(d.vintages[0], 100, 620)
		work := make(chan struct{})
		var wg sync.WaitGroup
		wg.Go(func() {
			err := d.change(t.Context(), operator, func(*exchange.Change) { <-work })
			if !errors.Is(err, exchange.ErrNotCommitted) {
				t.Errorf("the first gets %v", err)
			}
		})
		synctest.Wait()
		for n := range 3 {
			wg.Go(func() {
				w := d.purchase(order, fmt.Sprint(n))
				if f := refused(t, w, http.StatusServiceUnavailable); !strings.Contains(f.Message, "nothing was changed") || w.Header().Get("Retry-After") == "" {
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
			d.do(func(*change) error { panic("unexpected") })
		})
		synctest.Wait()
		close(work)
		wg.Wait()
		for n := range 3 {
			if id, replayed := accepted(t, d.purchase(order, fmt.Sprint(n)).Body.Bytes()); replayed {
				t.Errorf("%s was made before", id)
			}
		}
		checkBooks(t, d)
	})
}
