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
}

func TestOpenFailureOfServerDatabaseSaysWhatToDo(t *testing.T) {
	t.Parallel()
	const at = "postgres://tonne:secret@db1/market"
	for err, want := range map[error]string{
		exchange.ErrNewer:         "update tonne, or name another database with --db",
		exchange.ErrForeign:       "name another database with --db",
		exchange.ErrNoMarketplace: "correct --db, or create a new one with `tonne serve`",
	} {
		f := command.Explain(openFailure("--db", at, fmt.Errorf("open marketplace database: %w", err)))
		if f.Todo != want || !strings.Contains(f.What, "postgres://tonne:xxxxx@db1/market") {
			t.Errorf("%v: %s; %s", err, f.What, f.Todo)
		}
	}
}

func TestDatabaseFailureSaysWhatToDo(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		err      error
		what, do string
	}{
		{exchange.ErrFull, "is full", "free some space"},
		{exchange.ErrLocked, "locked by another program", "stop the other program"},
		{exchange.ErrReadOnly, "read-only", "--db"},
		{exchange.ErrUnreachable, "cannot be reached", "its server runs"},
		{exchange.ErrUnknown, "is unknown", "check whether"},
		{exchange.ErrNoBackup, "pg_dump", "docs/service.md"},
	} {
		var failure *command.Failure
		err := databaseFailure(fmt.Errorf("settle invoice: %w: sqlite: step", c.err))
		if !errors.As(err, &failure) || !strings.Contains(failure.What, c.what) || !strings.Contains(failure.Next(), c.do) || failure.Status != command.StatusFailed {
			t.Errorf("%v: %+v", c.err, failure)
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

func TestSuggestedKeyCommandIsComplete(t *testing.T) {
	t.Parallel()
	for db, want := range map[string]string{
		"postgres://tonne@db1,db2/market": "tonne serve keys create --db postgres://tonne@db1,db2/market --tenant NAME --create-tenant",
		"/srv/m.db":                       "tonne serve keys create --db /srv/m.db --tenant NAME --create-tenant",
	} {
		if got := (&operator{db: db}).toMakeAKey(); got != want {
			t.Errorf("%s, want %s", got, want)
		}
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
