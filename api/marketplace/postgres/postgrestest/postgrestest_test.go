package postgrestest_test

import (
	"testing"

	"tonne/api/marketplace/postgres/postgrestest"
	must "tonne/model/musttest"
)

func TestDatabasesAreApart(t *testing.T) {
	t.Parallel()
	a, b := postgrestest.Database(t), postgrestest.Database(t)
	must.Succeed(t, postgrestest.Run(t.Context(), a, "CREATE TABLE t (n int)"))
	must.Succeed(t, postgrestest.Run(t.Context(), b, "CREATE TABLE t (n int)"))
	must.Succeed(t, postgrestest.Run(t.Context(), a, "INSERT INTO t VALUES (1)"))
	const empty = "SELECT 1 / (CASE WHEN count(*) = 0 THEN 1 ELSE 0 END) FROM t"
	must.Succeed(t, postgrestest.Run(t.Context(), b, empty))
	must.Hold(t, postgrestest.Run(t.Context(), a, empty) != nil, "the row is not in its own database")
}
