package cli

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"tonne/api/marketplace"
	"tonne/api/marketplace/demo"
	"tonne/api/marketplace/exchange"
	"tonne/api/marketplace/marketplacetest"
	"tonne/model/file/store"
	must "tonne/model/musttest"
	"tonne/ui/cli/command"
	"tonne/ui/cli/terminal"
)

// known is a demo marketplace that several tests read, and a home whose ledger has every
// request of its tenant.
var known struct {
	sync.Once
	market *marketplace.Marketplace
	made   demo.Data
	store  []byte
}

// knownDemo returns a world with that ledger, and a client with access to the database of the
// marketplace.
func knownDemo(t *testing.T) (*world, marketplacetest.Client) {
	t.Helper()
	known.Do(func() {
		known.market = must.Get(marketplace.Open(context.Background(), "", marketplace.Options{RatePerSecond: -1}))
		known.made = must.Get(demo.Load(context.Background(), known.market, demo.Options{Seed: 7}))
		client := marketplacetest.Client{TB: t, Service: known.market, Key: known.made.Key}
		path := filepath.Join(t.TempDir(), "tonne.db")
		local := store.Open(path)
		ledger := local.Of(baseURL).Ledger
		var lookUps []store.LookUp
		for _, id := range texts(t, known.market,
			`SELECT r.id FROM retirement_requests r JOIN tenants t ON t.number = r.tenant WHERE t.name = $1 ORDER BY r.number`,
			known.made.Tenant) {
			answer := client.Retirement(id)
			lookUps = append(lookUps, store.LookUp{ID: id, At: time.Now(), Answer: &answer})
			must.Succeed(t, ledger.Remember(t.Context(), time.Now(), id))
		}
		must.Succeed(t, ledger.Record(t.Context(), lookUps...), local.Close())
		known.store = must.Get(os.ReadFile(path))
	})
	w := newWorld(t, known.market.Handler())
	w.env["TONNE_API_KEY"] = known.made.Key
	w.write("state/tonne/tonne.db", string(known.store))
	return w, marketplacetest.Client{TB: t, Service: known.market, Key: known.made.Key}
}

// texts returns the first column of a query.
func texts(t *testing.T, from exchange.Reader, sql string, args ...any) (all []string) {
	t.Helper()
	err := from.Read(t.Context(), func(tx exchange.Tx) error {
		tx.Query(sql, func(row exchange.Row) {
			all = append(all, row.Text(0))
		}, args...)
		return nil
	})
	must.Succeed(t, err)
	return all
}

// statementOf returns the statement that a command prints.
func (w *world) statementOf(args ...string) (s printedStatement) {
	w.t.Helper()
	r := w.run(append([]string{"statement", "-o", "json"}, args...)...)
	err := json.Unmarshal([]byte(r.stdout), &s)
	must.Need(w.t, r.status == 0 && err == nil, args, "status", r.status, err, r.stderr)
	return s
}

// printedStatement is the JSON of a statement.
type printedStatement struct {
	From, To string
	Rows     []struct {
		Key     string
		Bought  int64 `json:"bought_grams,string"`
		Cents   int64 `json:"bought_cents,string"`
		Retired int64 `json:"retired_grams,string"`
	}
	Total struct {
		Bought  int64   `json:"bought_grams,string"`
		Cents   int64   `json:"bought_cents,string"`
		Retired int64   `json:"retired_grams,string"`
		Balance *string `json:"balance_grams"`
	}
	Shares []struct {
		Share string
		Parts []struct {
			Value   string
			Retired int64 `json:"retired_grams,string"`
		}
		Unclassified int64 `json:"unclassified_grams,string"`
	}
	Notes []string
}

func TestStatementMatchesInvoicesAndWallets(t *testing.T) {
	t.Parallel()
	w, market := knownDemo(t)
	s := w.statementOf("--from", "2020-01-01")
	var months []string
	for _, row := range s.Rows {
		if row.Cents > 0 {
			months = append(months, fmt.Sprintf("%s %d", row.Key, row.Cents))
		}
	}
	invoices := texts(t, market.Service,
		`SELECT p.month || ' ' || i.total_cents FROM invoices i JOIN periods p ON p.number = i.period
		JOIN api_keys k ON k.tenant = i.tenant WHERE i.total_cents > 0 ORDER BY p.month`)
	must.Hold(t, slices.Equal(months, invoices) && len(months) >= 14,
		"the months are", months, "the invoices are", invoices)
	wallets := market.Number(`SELECT SUM(w.quantity_grams) FROM wallets w JOIN api_keys k ON k.tenant = w.tenant`)
	must.Hold(t, s.Total.Balance != nil && *s.Total.Balance == fmt.Sprint(wallets),
		"balance", s.Total.Balance, "wallets", wallets)
	// The demo has one request without a tax id, which the statement notes.
	must.Hold(t,
		len(s.Notes) == 1 && strings.HasPrefix(s.Notes[0], "Of ") &&
			strings.Contains(s.Notes[0], " (beneficiary_present). No certificate was looked at"),
		"notes", s.Notes)
	complete := market.Number(`SELECT SUM(r.total_grams) FROM retirement_requests r JOIN api_keys k ON k.tenant = r.tenant
		WHERE r.status = 'COMPLETE'`)
	must.Equal(t, s.Total.Retired, complete, "retired", "complete")
	for _, by := range []string{"project", "type", "beneficiary"} {
		other := w.statementOf("--from", "2020-01-01", "--by", by)
		var bought, cents, retired int64
		for _, row := range other.Rows {
			bought, cents, retired = bought+row.Bought, cents+row.Cents, retired+row.Retired
		}
		must.Hold(t,
			other.Total.Bought == bought && cents == s.Total.Cents && retired == s.Total.Retired && bought == s.Total.Bought,
			"by", by, other.Total, "of", len(other.Rows), "rows, want", s.Total)
	}
	for n, share := range s.Shares {
		sum := share.Unclassified
		for _, part := range share.Parts {
			sum += part.Retired
		}
		must.Hold(t, sum == s.Total.Retired && (n >= 2 || share.Unclassified == 0 && len(share.Parts) >= 2),
			share, "want a sum of", s.Total.Retired)
	}
	table := w.must("statement", "--from", "2020-01-01")
	must.Hold(t, !strings.Contains(strings.ToLower(table), "neutral") && strings.Contains(table, "TOTAL"),
		"the table is", table)
}

// cancelling is a standard output whose first write ends the command.
type cancelling struct{ cancel func() }

func (c cancelling) Write(text []byte) (int, error) {
	c.cancel()
	return len(text), nil
}

func TestInterruptedStatementWritesNoFile(t *testing.T) {
	t.Parallel()
	w, _ := knownDemo(t)
	for _, name := range []string{"pdf", "xlsx"} {
		dir := t.TempDir()
		ctx, cancel := context.WithCancelCause(t.Context())
		r := w.runChanged(ctx, func(p *command.Process) {
			p.Stdout = cancelling{func() { cancel(&terminal.SignalError{Signal: syscall.SIGTERM}) }}
		}, "statement", "--from", "2020-01-01", "--"+name, filepath.Join(dir, "x."+name))
		must.Hold(t, r.status == 143 && len(must.Get(os.ReadDir(dir))) == 0, name, r.status, r.stderr)
	}
}
