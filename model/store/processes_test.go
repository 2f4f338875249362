package store

import (
	"bufio"
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"tonne/model"
	"tonne/model/alert"
	"tonne/model/dbfile/dbfiletest"
)

// childFile is set in the environment of a child that writes until it is
// killed.
const childFile = "STORE_TEST_CHILD_FILE"

func TestMain(m *testing.M) {
	if path := os.Getenv(childFile); path != "" {
		writeUntilKilled(path)
	}
	os.Exit(m.Run())
}

// writeUntilKilled enters ids and says which were committed.
func writeUntilKilled(path string) {
	s, ctx := Open(path), context.Background()
	for n := 0; ; n++ {
		id := fmt.Sprintf("%d-%d", os.Getpid(), n)
		if err := s.Of(production).Ledger.Remember(ctx, noon, id, id+"-twin"); err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
		fmt.Println(id)
	}
}

// A program may be killed after each page that it moves from its log into the
// file: all is in both together.
func TestAProgramKilledInMidCheckpointLosesNothing(t *testing.T) {
	t.Parallel()
	s, path := fresh(t)
	fill(t, s, production)
	fill(t, s, demo)
	must(t, s.Of(demo).Ledger.SetLabel(t.Context(), "00m1", strings.Repeat("a new page ", 5000), noon))
	for moved := 1; ; moved++ {
		torn := filepath.Join(t.TempDir(), "tonne.db")
		if !dbfiletest.TearCheckpoint(t, path, torn, moved) {
			break
		}
		again := opened(t, torn)
		filled(t, again, production)
		if problem := again.Problem(); problem != nil {
			t.Errorf("after %d pages: %v", moved, problem)
		}
	}
}

func TestAProgramKilledInMidWriteLosesNothingThatWasCommitted(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "tonne.db")
	committed := make(map[string]bool)
	for round := range 5 {
		child := exec.Command(os.Args[0], "-test.run=^$")
		child.Env = append(os.Environ(), childFile+"="+path)
		child.Stderr = os.Stderr
		out, err := child.StdoutPipe()
		must(t, err)
		must(t, child.Start())
		lines := bufio.NewScanner(out)
		for range 3 + 7*round {
			if !lines.Scan() {
				t.Fatal("the child ended by itself")
			}
			committed[lines.Text()] = true
		}
		must(t, child.Process.Kill())
		for lines.Scan() {
			committed[lines.Text()] = true
		}
		_ = child.Wait()
	}
	s := opened(t, path)
	entries, err := s.Of(production).Ledger.Entries(t.Context())
	must(t, err)
	there := make(map[string]bool)
	for _, e := range entries {
		there[e.ID] = true
	}
	for id := range committed {
		if !there[id] || !there[id+"-twin"] {
			t.Errorf("%s is lost", id)
		}
	}
	// Both ids of a call are there or none: entries come in pairs.
	if len(entries)%2 != 0 || s.Problem() != nil {
		t.Errorf("%d entries, problem %v", len(entries), s.Problem())
	}
}

func TestTwoProgramsOpenANewFileAtOnce(t *testing.T) {
	t.Parallel()
	for range 5 {
		path := filepath.Join(t.TempDir(), "tonne.db")
		var all sync.WaitGroup
		for n := range 4 {
			s := opened(t, path)
			all.Go(func() {
				if err := s.Of(production).Ledger.Remember(t.Context(), noon, fmt.Sprint(n)); err != nil || s.Problem() != nil {
					t.Error(err, s.Problem())
				}
			})
		}
		all.Wait()
		if entries, err := opened(t, path).Of(production).Ledger.Entries(t.Context()); err != nil || len(entries) != 4 {
			t.Errorf("%d entries, %v", len(entries), err)
		}
	}
}

func TestTwoProgramsShareOneFile(t *testing.T) {
	t.Parallel()
	one, path := fresh(t)
	two := opened(t, path)
	must(t, one.Of(production).Ledger.Remember(t.Context(), noon, "00m1"))
	var all sync.WaitGroup
	for n, s := range []*Store{one, two} {
		all.Go(func() {
			for i := range 25 {
				at := noon.Add(time.Duration(2*i+n) * time.Second)
				if err := s.Of(production).Ledger.SetLabel(t.Context(), "00m1", fmt.Sprint(2*i+n), at); err != nil {
					t.Error(err)
				}
				if err := s.Of(production).History.Observe(t.Context(), []Observation{{bale, at, model.PriceCents(600 + i), 1e6}}); err != nil {
					t.Error(err)
				}
			}
		})
	}
	all.Wait()
	for _, s := range []*Store{one, two} {
		entries, err := s.Of(production).Ledger.Entries(t.Context())
		if must(t, err); len(entries) != 1 || entries[0].Label != "49" {
			t.Errorf("the latest label is lost: %+v", entries)
		}
	}
}

func TestOfSeveralProgramsOneRaisesTheAlert(t *testing.T) {
	t.Parallel()
	first, path := fresh(t)
	stores := []*Store{first, opened(t, path), opened(t, path)}
	must(t, first.Of(production).Alerts.AddRule(t.Context(), rule(t, "ask <= 6").On(bale)))
	for _, c := range []struct {
		ask  model.PriceCents
		want int32
	}{{700, 0}, {600, 1}, {590, 0}, {601, 0}, {600, 1}} {
		var raised atomic.Int32
		var all sync.WaitGroup
		for _, s := range stores {
			all.Go(func() {
				crossed, err := s.Of(production).Alerts.Check(t.Context(), noon, func(model.VintageKey) alert.Facts { return alert.Facts{BestAsk: c.ask} })
				if err != nil {
					t.Error(err)
				}
				raised.Add(int32(len(crossed)))
			})
		}
		all.Wait()
		if raised.Load() != c.want {
			t.Errorf("at %d the alert is raised %d times", c.ask, raised.Load())
		}
	}
}
