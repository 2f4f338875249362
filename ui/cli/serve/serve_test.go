package serve

import (
	"context"
	"fmt"

	"net"
	"slices"
	"strings"
	"testing"

	"tonne/api/marketplace/exchange"
	must "tonne/model/musttest"
	"tonne/ui/cli/command"
)

func TestCommandsNameTheDatabaseForAKey(t *testing.T) {
	t.Parallel()
	const db = "postgres://tonne@db1,db2/market"
	must.Equal(t, (&operator{db: db}).toMakeAKey(), "tonne serve keys create --db "+db+" --tenant NAME --create-tenant")
}

func TestFailureOfDatabaseSaysWhatToDo(t *testing.T) {
	t.Parallel()
	const at = "postgres://tonne:secret@db1/market"
	for err, want := range map[error][2]string{
		exchange.ErrNewer:   {"postgres://tonne:xxxxx@db1/market", "update tonne, or name another database with --db"},
		exchange.ErrForeign: {"postgres://tonne:xxxxx@db1/market", "name another database with --db"},
		exchange.ErrNoMarketplace: {"postgres://tonne:xxxxx@db1/market",
			"correct --db, or create a new one with `tonne serve`"},
		exchange.ErrFull:        {"is full", "free some space"},
		exchange.ErrLocked:      {"locked by another program", "stop the other program"},
		exchange.ErrReadOnly:    {"read-only", "--db"},
		exchange.ErrUnreachable: {"cannot be reached", "its server runs"},
		exchange.ErrUnknown:     {"is unknown", "check whether"},
		exchange.ErrNoBackup:    {"pg_dump", "docs/postgresql.md"},
	} {
		failed := databaseFailure(fmt.Errorf("settle invoice: %w: sqlite: step", err))
		if strings.HasPrefix(want[0], "postgres:") {
			failed = openFailure("--db", at, fmt.Errorf("open marketplace database: %w", err))
		}
		f := command.Explain(failed)
		must.Hold(t,
			strings.Contains(f.Error(), want[0]) && strings.Contains(f.Todo.String(), want[1]) &&
				f.Status == command.StatusFailed,
			err, f)
	}
}

func TestNextStepsAreSentencesAtTerminal(t *testing.T) {
	t.Parallel()
	for want, got := range map[string]string{
		"tonne: serving the database m.db.\nCreate a key with `k`.\nStore the key that it prints": nextInWords("m.db", false,
			noKey, "k", "l"),
		"tonne: serving the database m.db.\nIt was missing or empty, so a new marketplace was created in it.\n" +
			"Store the key that was printed": nextInWords("m.db", true, keyPrinted, "k", "l"),
		"tonne: serving the database m.db.\nStore one of its keys": nextInWords("m.db", false, keyExists, "k", "l"),
	} {
		must.Equal(t, got, want+" with `l`, then open the dashboard with `tonne`.\n")
	}
}

func TestConnectToReturnsLocalAddress(t *testing.T) {
	t.Parallel()
	must.Equal(t, connectTo(&net.TCPAddr{IP: net.IPv6unspecified, Port: 8080}), "http://127.0.0.1:8080")
	must.Equal(t, connectTo(&net.TCPAddr{IP: net.IPv6loopback, Port: 8080}), "http://[::1]:8080")
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
	must.Hold(t, read == 25_001 && slices.Equal(told, []int{10_000, 20_000}), "read", read, "lines, reported", told)
}
