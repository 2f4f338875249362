package sqlite

import (
	"testing"

	"zombiezen.com/go/sqlite"

	"tonne/api/marketplace/exchange"
	must "tonne/model/musttest"
)

// planned counts what SQLite looks up while it plans statements of the writer.
func planned(t *testing.T, d *Database) *int {
	t.Helper()
	conn := must.Get(d.writer.Take(t.Context()))
	defer d.writer.Put(conn)
	count := new(int)
	must.Succeed(t, conn.SetAuthorizer(sqlite.AuthorizeFunc(func(sqlite.Action) sqlite.AuthResult {
		*count++
		return sqlite.AuthResultOK
	})))
	return count
}

func TestStatementIsPreparedOnce(t *testing.T) {
	t.Parallel()
	d, err := Open(t.Context(), "", Options{})
	must.Succeed(t, err)
	defer func() {
		must.Fail(t, d.Close(), nil)
	}()
	count, first := planned(t, d), 0
	for n := range 3 {
		err := d.Write(t.Context(), func(tx exchange.Tx) error {
			tx.Query(`SELECT r.id FROM external_ids e JOIN retirement_requests r ON r.number = e.request
				WHERE e.tenant = $1 AND e.external_id = $2`, func(exchange.Row) {}, 10+n, "call")
			return nil
		})
		switch {
		case err != nil:
			t.Fatal(err)
		case n == 0:
			first = *count
		case *count != first:
			t.Errorf("use %d of a statement looks up %d things to plan it again", n+1, *count-first)
		}
	}
	must.Hold(t, first != 0, "nothing was planned: the test does not see it")
}

func TestStatementWithoutItsValueIsRefused(t *testing.T) {
	t.Parallel()
	d, err := Open(t.Context(), "", Options{})
	must.Succeed(t, err)
	err = d.Write(t.Context(), func(tx exchange.Tx) error {
		const byID = "SELECT number FROM projects WHERE id = $1"
		tx.Do(byID, "P1")
		// It would find what was asked for before.
		tx.Do(byID)
		return nil
	})
	must.Hold(t, err != nil, "a statement without its value was carried out")
	must.Fail(t, d.Close(), nil)
}
