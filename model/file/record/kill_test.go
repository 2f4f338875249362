package record

import (
	"bufio"
	"context"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"

	"zombiezen.com/go/sqlite"

	"tonne/model"
	"tonne/model/longtest"
	"tonne/model/market"
	must "tonne/model/musttest"
)

// The environment of a child that records until it is killed: the file, and the number of its first read.
const (
	childFile  = "RECORD_TEST_CHILD_FILE"
	childStart = "RECORD_TEST_CHILD_START"
)

func TestMain(m *testing.M) {
	if path := os.Getenv(childFile); path != "" {
		start := must.Get(strconv.Atoi(os.Getenv(childStart)))
		recordUntilKilled(path, start)
	}
	os.Exit(m.Run())
}

// numbered returns the market of the read with a number, and its time.
func numbered(n int) Read {
	random := rand.New(rand.NewPCG(uint64(n), 9))
	var page market.Page
	for v := range 40 {
		page.AddProject(fmt.Sprint("project", v))
		page.AddVintage(fmt.Sprint("vintage", v), 2020)
		for o := range 10 {
			if random.IntN(4) > 0 {
				page.AddOrder(fmt.Sprint("order", v, o), model.GramsPerTonne, model.PriceCents(random.IntN(3)))
			}
		}
	}
	return Read{Market: market.New(&page), At: noon.Add(time.Duration(n) * 50 * time.Second)}
}

// recordUntilKilled records reads and prints their numbers, before and after each.
func recordUntilKilled(path string, start int) {
	s := Open(path).Of(service)
	for n := start; ; n++ {
		fmt.Println("read", n)
		if err := s.Add(context.Background(), numbered(n)); err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
		fmt.Println("recorded", n)
	}
}

func TestProgramKilledWhileRecordingLeavesNothingWrong(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "orders.db")
	read, recorded := make(map[int]bool), make(map[int]bool)
	next := 0
	for round := range longtest.Runs(5, 100) {
		child := exec.Command(os.Args[0], "-test.run=^$")
		child.Env = append(os.Environ(), childFile+"="+path, fmt.Sprint(childStart, "=", next))
		child.Stderr = os.Stderr
		lines := bufio.NewScanner(must.Get(child.StdoutPipe()))
		must.Succeed(t, child.Start())
		take := func() {
			word, number, _ := strings.Cut(lines.Text(), " ")
			n := must.Get(strconv.Atoi(number))
			map[string]map[int]bool{"read": read, "recorded": recorded}[word][n] = true
			next = max(next, n+1)
		}
		for range 1 + 3*(round%7) {
			must.Hold(t, lines.Scan(), "the child ended by itself")
			take()
		}
		must.Succeed(t, child.Process.Kill())
		for lines.Scan() {
			take()
		}
		_ = child.Wait()
	}
	f := Open(path)
	sound(t, f)
	var found []time.Time
	must.Succeed(t, f.use(t.Context(), "BEGIN", func(t *tx) {
		t.each("SELECT at FROM read", func(stmt *sqlite.Stmt) { found = append(found, columnTime(stmt, 0)) })
	}))
	for _, at := range found {
		n := int(at.Sub(noon) / (50 * time.Second))
		must.Hold(t, read[n], n, "was never read")
		delete(recorded, n)
		seen := must.Get(f.Of(service).At(t.Context(), at))
		must.Hold(t, shown(seen.Market) == shown(numbered(n).Market), n)
	}
	must.Hold(t, len(found) > 0 && len(recorded) == 0, recorded, "are lost")
	must.Succeed(t, f.Close())
}

func TestDamagedOrForeignFileIsLeftAlone(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		spoil func(path string)
		says  string
	}{
		"not a database": {func(path string) { _ = os.WriteFile(path, []byte(strings.Repeat("no database. ", 999)), 0o600) },
			"damaged"},
		"cut off":     {func(path string) { _ = os.Truncate(path, 5000) }, "damaged"},
		"a directory": {func(path string) { _, _ = os.Remove(path), os.Mkdir(path, 0o700) }, "directory"},
		"a newer version": {func(path string) {
			conn := must.Get(sqlite.OpenConn(path, sqlite.OpenReadWrite))
			tx := &tx{conn: conn}
			tx.run("PRAGMA user_version = 99")
			must.Succeed(t, tx.err, conn.Close())
		}, "newer version"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s, read := brokenFile(t, c.spoil)
			before, _ := os.ReadFile(s.file.path)
			for range 2 {
				err := s.Add(t.Context(), read)
				must.Hold(t, err != nil && strings.Contains(err.Error(), c.says) && strings.Contains(err.Error(), s.file.path), err)
			}
			after, _ := os.ReadFile(s.file.path)
			must.Hold(t, string(before) == string(after), "the file was changed")
		})
	}
}

func TestRecorderReportsOnceAndGoesOn(t *testing.T) {
	t.Parallel()
	s, read := brokenFile(t, func(path string) { _, _ = os.Remove(path), os.Mkdir(path, 0o700) })
	var reports []error
	r := NewRecorder(s, func(err error) { reports = append(reports, err) })
	for range 3 {
		r.Add(read)
	}
	r.Close()
	must.Hold(t, len(reports) == 1, reports)
	must.Succeed(t, os.Remove(s.file.path))
	r = NewRecorder(s, func(err error) { reports = append(reports, err) })
	r.Add(read)
	r.Close()
	r.Add(read)
	must.Hold(t, len(reports) == 1 && must.Get(s.At(t.Context(), read.At)).At.Equal(read.At), reports)
	(*Recorder)(nil).Add(read)
	(*Recorder)(nil).Close()
}
