package serve

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"net"
	"os"
	"slices"
	"strings"
	"testing"

	"tonne/api/marketplace/exchange"
	"tonne/ui/cli/command"
)

func TestDatabaseNameHidesPassword(t *testing.T) {
	t.Parallel()
	for address, want := range map[string]string{
		"postgres://tonne:secret@db1,db2/market":  "postgres://tonne:xxxxx@db1,db2/market",
		"postgres://db1/market?password=secret":   "postgres://db1/market?password=xxxxx",
		"postgresql://db1/market?sslmode=require": "postgresql://db1/market?sslmode=require",
		"/srv/market:secret@.db":                  "/srv/market:secret@.db",
	} {
		if got := databaseName(address); got != want {
			t.Errorf("%s: %s", address, got)
		}
	}
	const db = "postgres://tonne@db1,db2/market"
	if got := (&operator{db: db}).toMakeAKey(); got != "tonne serve keys create --db "+db+" --tenant NAME --create-tenant" {
		t.Error(got)
	}
}

func TestFailureOfDatabaseSaysWhatToDo(t *testing.T) {
	t.Parallel()
	const at = "postgres://tonne:secret@db1/market"
	for err, want := range map[error][2]string{
		exchange.ErrNewer:         {"postgres://tonne:xxxxx@db1/market", "update tonne, or name another database with --db"},
		exchange.ErrForeign:       {"postgres://tonne:xxxxx@db1/market", "name another database with --db"},
		exchange.ErrNoMarketplace: {"postgres://tonne:xxxxx@db1/market", "correct --db, or create a new one with `tonne serve`"},
		exchange.ErrFull:          {"is full", "free some space"},
		exchange.ErrLocked:        {"locked by another program", "stop the other program"},
		exchange.ErrReadOnly:      {"read-only", "--db"},
		exchange.ErrUnreachable:   {"cannot be reached", "its server runs"},
		exchange.ErrUnknown:       {"is unknown", "check whether"},
		exchange.ErrNoBackup:      {"pg_dump", "docs/service.md"},
	} {
		failed := databaseFailure(fmt.Errorf("settle invoice: %w: sqlite: step", err))
		if strings.HasPrefix(want[0], "postgres:") {
			failed = openFailure("--db", at, fmt.Errorf("open marketplace database: %w", err))
		}
		if f := command.Explain(failed); !strings.Contains(f.What, want[0]) || !strings.Contains(f.Todo, want[1]) || f.Status != command.StatusFailed {
			t.Errorf("%v: %+v", err, f)
		}
	}
}

func TestNextStepsAreSentencesAtTerminal(t *testing.T) {
	t.Parallel()
	for want, got := range map[string]string{
		"tonne: serving the database m.db.\nCreate a key with `k`.\nStore the key that it prints with `l`, then open the dashboard with `tonne`.\n":                                             nextInWords("m.db", false, "k", "l"),
		"tonne: serving the database m.db.\nIt was missing or empty, so a new marketplace was created in it.\nStore the key that was printed with `l`, then open the dashboard with `tonne`.\n": nextInWords("m.db", true, "", "l"),
	} {
		if got != want {
			t.Errorf("got\n%swant\n%s", got, want)
		}
	}
}

func TestConnectToReturnsLocalAddress(t *testing.T) {
	t.Parallel()
	if got := connectTo(&net.TCPAddr{IP: net.IPv6unspecified, Port: 8080}); got != "http://127.0.0.1:8080" {
		t.Error(got)
	}
	if got := connectTo(&net.TCPAddr{IP: net.IPv6loopback, Port: 8080}); got != "http://[::1]:8080" {
		t.Error(got)
	}
}

func TestAnImportCountsItsLinesAndEndsWhenInterrupted(t *testing.T) {
	t.Parallel()
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	endless := func(yield func(exchange.OrderLine, error) bool) {
		for yield(exchange.OrderLine{}, nil) {
		}
	}
	var told []int
	read := 0
	for _, err := range counting(ctx, endless, func(n int) { told = append(told, n) }) {
		if read++; read == 25_000 {
			cancel()
		}
		if err != nil {
			break
		}
	}
	if read != 25_001 || !slices.Equal(told, []int{10_000, 20_000}) {
		t.Errorf("read %d lines, reported %v", read, told)
	}
}

func TestInputThatCannotBeReadTwiceIsCopied(t *testing.T) {
	t.Parallel()
	file, remove, err := rereadable(strings.NewReader("lines"))
	if err != nil {
		t.Fatal(err)
	}
	for range 2 {
		_, err := file.Seek(0, io.SeekStart)
		if text, readErr := io.ReadAll(file); err != nil || readErr != nil || string(text) != "lines" {
			t.Errorf("read %q (%v, %v)", text, err, readErr)
		}
	}
	remove()
	if _, err := os.Stat(file.(*os.File).Name()); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("the copy is left: %v", err)
	}
}
