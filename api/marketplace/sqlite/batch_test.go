package sqlite

import (
	"encoding/binary"
	"errors"
	"fmt"
	"os"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"tonne/api/marketplace/exchange"
	must "tonne/model/musttest"
)

// alone runs a test of a new database in a bubble with its own time.
func alone(t *testing.T, test func(t *testing.T, d *Database, path string)) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		path := tempDatabase(t)
		test(t, open(t, path), path)
	})
}

// together makes changes that come one after the other while the first is at
// work, and returns what each got: a change whose goroutine panics gets the
// panic as its error. None has an outcome before the last has done its part.
func together(t *testing.T, d *Database, changes ...func(exchange.Tx) error) []error {
	t.Helper()
	outcomes := make([]error, len(changes))
	working := len(changes)
	var mu sync.Mutex
	var wg sync.WaitGroup
	arrived := make(chan struct{})
	for i, change := range changes {
		wg.Go(func() {
			defer func() {
				if p := recover(); p != nil {
					outcomes[i] = fmt.Errorf("panic: %v", p)
				}
			}()
			outcomes[i] = d.Write(t.Context(), func(tx exchange.Tx) error {
				<-arrived
				mu.Lock()
				defer mu.Unlock()
				working--
				return change(tx)
			})
			mu.Lock()
			defer mu.Unlock()
			must.Hold(t, working <= 0 || outcomes[i] != nil, "change", i, working)
		})
		synctest.Wait()
	}
	close(arrived)
	wg.Wait()
	return outcomes
}

// tenant adds a tenant: one of this name is enough.
func tenant(name string) func(exchange.Tx) error {
	return func(tx exchange.Tx) error {
		tx.Exec("INSERT INTO tenants (name) VALUES ($1)", name)
		return nil
	}
}

func tenants(t *testing.T, d *Database) string {
	return text(t, d, "SELECT coalesce(group_concat(name, ' ' ORDER BY name), '') FROM tenants")
}

// commits counts the transactions in the log of a database.
func commits(t *testing.T, path string) (n int) {
	t.Helper()
	const header, frame = 32, 24 + 4096
	log := must.Get(os.ReadFile(path + "-wal"))
	for at := header; at+frame <= len(log); at += frame {
		if binary.BigEndian.Uint32(log[at+4:]) != 0 {
			n++
		}
	}
	return n
}

func TestConcurrentChangesAreCommittedTogether(t *testing.T) {
	alone(t, func(t *testing.T, d *Database, path string) {
		before := commits(t, path)
		must.Succeed(t, together(t, d, tenant("a"), tenant("b"), tenant("c"), tenant("d"))...)
		must.Equal(t, tenants(t, d), "a b c d")
		must.Equal(t, commits(t, path)-before, 1, "four changes")
		write(t, d, tenant("e"))
		write(t, d, tenant("f"))
		must.Equal(t, commits(t, path)-before, 3, "and two that came alone")
		before = commits(t, path)
		var wg sync.WaitGroup
		start := make(chan struct{})
		for i := range 2*maxBatch + 1 {
			wg.Go(func() {
				write(t, d, func(tx exchange.Tx) error {
					<-start
					return tenant(fmt.Sprint(i))(tx)
				})
			})
		}
		synctest.Wait()
		close(start)
		wg.Wait()
		n := commits(t, path) - before
		must.Hold(t, n >= 3 && n <= 4, "more than two batches", n)
	})
}

func TestFailedChangeEndsNoOther(t *testing.T) {
	t.Parallel()
	refused := errors.New("refused")
	for failing, want := range map[int]string{0: "b c d", 1: "a c d", 3: "a b c"} {
		t.Run(fmt.Sprint("change ", failing), func(t *testing.T) {
			alone(t, func(t *testing.T, d *Database, _ string) {
				changes := []func(exchange.Tx) error{tenant("a"), tenant("b"), tenant("c"), tenant("d")}
				changes[failing] = func(tx exchange.Tx) error { return errors.Join(tenant("nobody")(tx), refused) }
				outcomes := together(t, d, changes...)
				must.Fail(t, outcomes[failing], refused)
				outcomes[failing] = nil
				must.Succeed(t, outcomes...)
				must.Equal(t, tenants(t, d), want)
			})
		})
	}
}

// If the commit fails, a later change that saw an earlier one fails too.
func TestFailedCommitIsNotAcknowledged(t *testing.T) {
	t.Parallel()
	refused := errors.New("refused")
	for name, spoil := range map[string]func(exchange.Tx) error{
		"a commit that fails": func(tx exchange.Tx) error {
			tx.Exec("PRAGMA defer_foreign_keys = ON")
			tx.Exec("INSERT INTO market_projects (project, version, listing, mark) VALUES (99, 1, 1, 1)")
			return nil
		},
		"a full disk": func(tx exchange.Tx) error {
			tx.Query("PRAGMA max_page_count = 1", func(exchange.Row) {})
			return exchange.Rehearse(tx)
		},
		"a panic": func(tx exchange.Tx) error {
			tx.Query("SELECT name FROM tenants", func(exchange.Row) { panic("unexpected") })
			return nil
		},
	} {
		t.Run(name, func(t *testing.T) {
			alone(t, func(t *testing.T, d *Database, _ string) {
				write(t, d, tenant("before"))
				outcomes := together(t, d, tenant("a"), func(exchange.Tx) error { return refused }, tenant("b"), spoil)
				for i, err := range outcomes[:3] {
					must.Hold(t, errors.Is(err, exchange.ErrNotCommitted) && !errors.Is(err, refused), "change", i, err)
				}
				must.Hold(t, outcomes[3] != nil, "what spoilt the others has no error")
				write(t, d, func(tx exchange.Tx) error {
					tx.Query("PRAGMA max_page_count = 100000", func(exchange.Row) {})
					return nil
				})
				write(t, d, tenant("later"))
				must.Equal(t, tenants(t, d), "before later")
			})
		})
	}
}

func TestWriteFailsAfterLockWait(t *testing.T) {
	alone(t, func(t *testing.T, d *Database, _ string) {
		work := make(chan struct{})
		var wg sync.WaitGroup
		wg.Go(func() { write(t, d, func(exchange.Tx) error { <-work; return nil }) })
		synctest.Wait()
		start := time.Now()
		for range 3 {
			wg.Go(func() {
				must.Fail(t, d.Write(t.Context(), tenant("late")), exchange.ErrLocked)
				must.Equal(t, time.Since(start), exchange.LockWait, "it waited")
			})
		}
		time.Sleep(exchange.LockWait + time.Second)
		close(work)
		wg.Wait()
		write(t, d, tenant("next"))
		must.Equal(t, tenants(t, d), "next")
	})
}
