package store

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"zombiezen.com/go/sqlite"
	"zombiezen.com/go/sqlite/sqlitex"

	"tonne/model"
	"tonne/model/alert"
	"tonne/model/file/dbfile"
	"tonne/model/longtest"
	must "tonne/model/musttest"
)

func write(t *testing.T, path string, content []byte) {
	t.Helper()
	must.Succeed(t, os.MkdirAll(filepath.Dir(path), 0o700), os.WriteFile(path, content, 0o600))
}

// runScript changes a file without the store.
func runScript(t *testing.T, path, statements string) {
	t.Helper()
	must.Succeed(t, os.MkdirAll(filepath.Dir(path), 0o700))
	conn := must.Get(sqlite.OpenConn(path, sqlite.OpenReadWrite|sqlite.OpenCreate))
	must.Succeed(t, sqlitex.ExecuteScript(conn, statements, nil), conn.Close())
}

// old makes a file of an old version of this program.
func old(t *testing.T, path string, version int) {
	t.Helper()
	rows := must.Get(os.ReadFile(fmt.Sprintf("testdata/version%d.sql", version)))
	runScript(t, path, strings.Join(kind().Migrations[:version], ";\n")+";\n"+string(rows))
}

func TestEmptiedFileIsReportedOnce(t *testing.T) {
	f := fresh(t)
	var reports []error
	reopen := func() {
		f.reopen()
		f.WhenLost(func(lost error) { reports = append(reports, lost) })
	}
	reopen()
	fill(t, f.Origin)
	must.Hold(t, f.Lost() == nil && len(reports) == 0, "a file that never existed", f.Lost(), reports)
	f.ok(f.Close(), os.Truncate(f.path, 0))
	reopen()
	if ids := f.ids(); len(ids) > 0 || len(reports) != 1 || f.Lost() != reports[0] ||
		!strings.Contains(reports[0].Error(), f.path) || f.Problem() != nil {
		t.Errorf("%d entries, %v, %v, %v", len(ids), reports, f.Lost(), f.Problem())
	}
	reopen()
	if fill(t, f.Origin); len(reports) != 1 {
		t.Errorf("it is reported again: %v", reports)
	}
}

func TestUnusableFileIsReplacedByMemory(t *testing.T) {
	ours := func(then func(t *testing.T, path string)) func(*testing.T, string) {
		return func(t *testing.T, path string) {
			s := Open(path)
			fill(t, s.Of(production))
			_ = s.Close()
			then(t, path)
		}
	}
	for name, c := range map[string]struct {
		spoil func(t *testing.T, path string)
		says  string
	}{
		"not a database": {func(t *testing.T, path string) { write(t, path, bytes.Repeat([]byte("not a database. "), 1000)) },
			"it is damaged"},
		"cut off": {ours(func(t *testing.T, path string) { _ = os.Truncate(path, 5000) }), "it is damaged"},
		"a newer version": {ours(func(t *testing.T, path string) { runScript(t, path, "PRAGMA user_version = 99") }),
			"a newer version"},
		"another program's": {func(t *testing.T, path string) {
			runScript(t, path, "PRAGMA application_id = 77; CREATE TABLE t (a)")
		}, "another program"},
		"a directory":  {func(t *testing.T, path string) { _ = os.MkdirAll(path, 0o700) }, "it is a directory"},
		"below a file": {func(t *testing.T, path string) { write(t, filepath.Dir(path), nil) }, "it cannot be written"},
	} {
		t.Run(name, func(t *testing.T) {
			f := fresh(t)
			c.spoil(t, f.path)
			before, _ := os.ReadFile(f.path)
			f.ok(f.Ledger.Remove(t.Context(), "00m1"))
			for range 2 {
				fill(t, f.Of(demo))
				filled(t, f.Of(demo))
				if problem := f.Problem(); problem == nil || !strings.Contains(problem.Error(), c.says) ||
					!strings.Contains(problem.Error(), f.path) {
					t.Errorf("problem: %v", problem)
				}
				f.ok(f.Close()) // the next use opens it again
			}
			after, _ := os.ReadFile(f.path)
			must.Hold(t, bytes.Equal(before, after), "the file was changed")
		})
	}
}

func TestReadOnlyFileIsReadIntoMemory(t *testing.T) {
	if os.Getuid() == 0 {
		t.Skip("nothing is read-only for root")
	}
	f := fresh(t)
	fill(t, f.Origin)
	f.ok(f.Close(), os.Chmod(f.path, 0o400), os.Chmod(filepath.Dir(f.path), 0o500))
	t.Cleanup(func() { _ = os.Chmod(filepath.Dir(f.path), 0o700) })
	f.reopen()
	if filled(t, f.Origin); f.Problem() == nil {
		t.Error("no problem is reported")
	}
}

func TestFileThatFailsInUseIsContinuedInMemory(t *testing.T) {
	for name, c := range map[string]struct{ setting, says string }{
		"full":      {"PRAGMA max_page_count = 1", "the disk is full"},
		"read-only": {"PRAGMA query_only = ON", "it cannot be written"},
	} {
		t.Run(name, func(t *testing.T) {
			f := fresh(t)
			fill(t, f.Origin)
			f.ok(dbfile.Execute(f.conn, c.setting, nil))
			filled(t, f.Origin)
			for i := 0; f.Problem() == nil && i < 100; i++ {
				f.ok(f.Ledger.SetLabel(t.Context(), "00m1", strings.Repeat("x", 5000*i), noon))
			}
			problem := f.Problem()
			must.Need(t, problem != nil && strings.Contains(problem.Error(), c.says), "problem", problem)
			f.ok(f.Ledger.SetLabel(t.Context(), "00m1", "Q3 flights", noon))
			filled(t, f.Origin)
		})
	}
}

// childFile is set in the environment of a child that writes until it is killed.
const childFile = "STORE_TEST_CHILD_FILE"

func TestMain(m *testing.M) {
	if path := os.Getenv(childFile); path != "" {
		writeUntilKilled(path)
	}
	longtest.Checks(25, 100)
	os.Exit(m.Run())
}

// writeUntilKilled enters ids and prints those that were committed.
func writeUntilKilled(path string) {
	ledger, ctx := Open(path).Of(production).Ledger, context.Background()
	for n := 0; ; n++ {
		id := fmt.Sprintf("%d-%d", os.Getpid(), n)
		if err := ledger.Remember(ctx, noon, id, id+"-twin"); err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
		fmt.Println(id)
	}
}

func TestProgramKilledDuringWriteLosesNothingCommitted(t *testing.T) {
	t.Parallel()
	f := opened(t, filepath.Join(t.TempDir(), "tonne.db"))
	committed := make(map[string]bool)
	for round := range 5 {
		child := exec.Command(os.Args[0], "-test.run=^$")
		child.Env, child.Stderr = append(os.Environ(), childFile+"="+f.path), os.Stderr
		out := must.Get(child.StdoutPipe())
		f.ok(child.Start())
		lines := bufio.NewScanner(out)
		for range 3 + 7*round {
			must.Need(t, lines.Scan(), "the child ended by itself")
			committed[lines.Text()] = true
		}
		f.ok(child.Process.Kill())
		for lines.Scan() {
			committed[lines.Text()] = true
		}
		_ = child.Wait()
	}
	found := make(map[string]bool)
	for _, id := range f.ids() {
		found[id] = true
	}
	for id := range committed {
		must.Hold(t, found[id] && found[id+"-twin"], id)
	}
	// Both ids of a call are there or none.
	must.Hold(t, len(found)%2 == 0 && f.Problem() == nil, len(found), f.Problem())
}

func TestProgramsShareOneFile(t *testing.T) {
	one := fresh(t)
	programs := []*fixture{one, opened(t, one.path), opened(t, one.path)}
	one.remember(noon, "00m1")
	version := must.Get(one.Version(t.Context()))
	var all sync.WaitGroup
	for n, f := range programs[:2] {
		all.Go(func() {
			for i := range 25 {
				at := noon.Add(time.Duration(2*i+n) * time.Second)
				if err := errors.Join(f.Ledger.SetLabel(t.Context(), "00m1", fmt.Sprint(2*i+n), at),
					f.History.Observe(t.Context(), []Observation{{bale, at, model.PriceCents(600 + i), 1e6}})); err != nil {
					t.Error(err)
				}
			}
		})
	}
	all.Wait()
	for _, f := range programs {
		must.Equal(t, f.onlyEntry().Label, "49", "the latest label is lost")
	}
	must.Hold(t, must.Get(one.Version(t.Context())) != version, "the version is unchanged")
	one.ok(one.Alerts.AddRule(t.Context(), rule("ask <= 6").On(bale)))
	for _, c := range []struct {
		ask  model.PriceCents
		want int32
	}{{700, 0}, {600, 1}, {590, 0}, {601, 0}, {600, 1}} {
		var fired atomic.Int32
		for _, f := range programs {
			all.Go(func() {
				alerts, err := f.Alerts.Check(t.Context(), noon,
					func(model.VintageKey) alert.Facts { return alert.Facts{BestAsk: c.ask} })
				if fired.Add(int32(len(alerts))); err != nil {
					t.Error(err)
				}
			})
		}
		if all.Wait(); fired.Load() != c.want {
			t.Errorf("at %d the alert fires %d times", c.ask, fired.Load())
		}
	}
}
