package exchange_test

import (
	"slices"
	"testing"

	"tonne/api/marketplace/exchange"
	"tonne/api/marketplace/sqlite"
	must "tonne/model/musttest"
)

// A table or a column that is added to the schema and not to the list would be
// lost.
func TestEveryColumnOfTheSchemaIsMoved(t *testing.T) {
	d := must.Get(sqlite.Open(t.Context(), "", sqlite.Options{}))
	t.Cleanup(func() { must.Succeed(t, d.Close()) })
	var want []string
	must.Succeed(t, d.Read(t.Context(), func(tx exchange.Tx) error {
		tx.Query(`SELECT t.name || '.' || c.name FROM pragma_table_list t JOIN pragma_table_info(t.name) c
			WHERE t.schema = 'main' AND t.type = 'table' AND t.name NOT LIKE 'sqlite_%' AND t.name <> 'market_state'`, func(row exchange.Row) {
			want = append(want, row.Text(0))
		})
		return nil
	}))
	got := exchange.MovedColumns()
	slices.Sort(got)
	slices.Sort(want)
	must.Hold(t, len(want) != 0 && slices.Equal(got, want), "moved are", got, want)
}
