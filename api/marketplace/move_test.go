package marketplace

import (
	"context"
	"errors"
	"os"
	"reflect"
	"strings"
	"testing"

	"tonne/api/marketplace/storage"
	"tonne/api/marketplace/storage/sqlite"
)

// grown is a file with all that a market can hold: a demo, and what an
// operator brings.
func grown(t *testing.T) (path string, d *fixture) {
	t.Helper()
	path = tempDatabase(t)
	d = openFixture(t, path, Options{RatePerSecond: -1})
	if _, err := d.importCatalogue(bale + "004b21,2021,\n"); err != nil {
		t.Fatal(err)
	}
	d.vintages[0] = testVintage{d.vintageOf("004b21"), "004b21"}
	offer(t, d, sellerTenant, "004b21,9500000,620,o1\n")
	file := []byte("%PDF-1.7\n\x00\xff\nstartxref\n9\n%%EOF\n")
	if err := d.CompleteAs(t.Context(), d.inProgress("a", 3), Registered{Serials: []string{verra(1, 3)}, Certificate: file}); err != nil {
		t.Fatal(err)
	}
	d.fraction("f", 1_250_000, "o1")
	if _, err := d.importCatalogue(strings.ReplaceAll(bale, "Bale Mountains", "Bale") + "004b21,2021,\n"); err != nil {
		t.Fatal(err)
	}
	d.do(func(c *change) error {
		return storage.AddDemoVintage(c.tx, storage.DemoVintage{Vintage: d.vintages[0].Vintage, Seller: d.seller, Base: 1, Fair: 2})
	})
	return path, d
}

func TestAMarketMovesThereAndBackUnchanged(t *testing.T) {
	t.Parallel()
	first, d := grown(t)
	second, third := tempDatabase(t), tempDatabase(t)
	there, err := Move(t.Context(), first, second)
	if err != nil {
		t.Fatal(err)
	}
	back, err := Move(t.Context(), second, third)
	if err != nil || !reflect.DeepEqual(there, back) {
		t.Errorf("moved back %+v (%v), moved %+v", back, err, there)
	}
	for _, one := range there {
		if one.Rows == 0 {
			t.Errorf("nothing of %s was moved: the test does not see it", one.Table)
		}
	}
	moved := &fixture{Marketplace: open(t, third, Options{RatePerSecond: -1, Now: d.clock.Now}), t: t, key: d.key, otherKey: d.otherKey, vintages: d.vintages}
	for _, target := range []string{"/api/market", "/api/inventory", "/api/projects", "/api/api-keys"} {
		if got, want := moved.get(target).Body.String(), d.get(target).Body.String(); got != want {
			t.Errorf("%s is %s, was %s", target, got, want)
		}
	}
	checkBooks(t, moved)
	for _, version := range []string{"version", "listing"} {
		if was, is := d.query("SELECT "+version+" FROM market_state"), moved.query("SELECT "+version+" FROM market_state"); is <= was {
			t.Errorf("the %s of the market went from %d to %d", version, was, is)
		}
	}
	moved.retired(body{"vintage_id": "004b21", "quantity_grams": "1000000", "external_id": "later", "sell_order_id": "o1", "expected_price_cents": "620"})
	checkBooks(t, moved)
}

// failing is a database whose changes fail after so many statements.
type failing struct {
	storage.Database
	after int
}

var errPulled = errors.New("the plug was pulled")

func (f failing) Write(ctx context.Context, fn func(storage.Tx) error, _ ...string) error {
	return f.Database.Write(ctx, func(tx storage.Tx) error { return fn(&failingTx{tx, f.after}) })
}

type failingTx struct {
	storage.Tx
	left int
}

func (f *failingTx) Do(query string, args ...any) error {
	if f.left--; f.left < 0 {
		return errPulled
	}
	return f.Tx.Do(query, args...)
}

// forgetful is a database that does not keep what a statement says.
type forgetful struct {
	storage.Database
	statement string
}

func (f forgetful) Write(ctx context.Context, fn func(storage.Tx) error, _ ...string) error {
	return f.Database.Write(ctx, func(tx storage.Tx) error { return fn(&forgetfulTx{tx, f.statement}) })
}

type forgetfulTx struct {
	storage.Tx
	statement string
}

func (f *forgetfulTx) Do(query string, args ...any) error {
	if strings.HasPrefix(query, f.statement) {
		args[len(args)-1] = int64(7)
	}
	return f.Tx.Do(query, args...)
}

func TestAMoveThatFailsLeavesAnEmptyTargetAndCanBeRepeated(t *testing.T) {
	t.Parallel()
	from, _ := grown(t)
	source, err := sqlite.Open(t.Context(), from)
	if err != nil {
		t.Fatal(err)
	}
	target, err := sqlite.Open(t.Context(), tempDatabase(t))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := errors.Join(source.Close(), target.Close()); err != nil {
			t.Error(err)
		}
	})
	for _, after := range []int{0, 1, 7, 20, 40} {
		if _, err := storage.Move(t.Context(), source, failing{target, after}); !errors.Is(err, errPulled) {
			t.Errorf("after %d statements: %v", after, err)
		}
	}
	for _, statement := range []string{"INSERT INTO trades", "INSERT INTO wallets", "INSERT INTO serial_numbers"} {
		if _, err := storage.Move(t.Context(), source, forgetful{target, statement}); !errors.Is(err, storage.ErrDiffers) {
			t.Errorf("%s with something else: %v", statement, err)
		}
	}
	if _, err := storage.Move(t.Context(), source, target); err != nil {
		t.Errorf("repeated: %v", err)
	}
	if _, err := storage.Move(t.Context(), source, target); !errors.Is(err, storage.ErrNotEmpty) {
		t.Errorf("into a target that holds everything: %v", err)
	}
	if _, err := Move(t.Context(), from+".not", tempDatabase(t)); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("from nothing: %v", err)
	}
	if _, err := Move(t.Context(), from, from); !errors.Is(err, storage.ErrNotEmpty) {
		t.Errorf("into itself: %v", err)
	}
}
