package marketplace

import (
	"testing"

	"modernc.org/libc"
	lib "modernc.org/sqlite/lib"
)

// benchmarkBareSelect is what the service is measured against: the SELECT of
// the last page and nothing else, through the C API of SQLite.
func benchmarkBareSelect(b *testing.B, d *fixture, path string) {
	tls := libc.NewTLS()
	defer tls.Close()
	db := openC(b, tls, path)
	defer lib.Xsqlite3_close(tls, db)
	stmt := prepareC(b, tls, db, `SELECT project, vintage, id, quantity_grams, price_cents FROM sell_orders
		WHERE state = 'LIVE' AND project BETWEEN ? AND ? ORDER BY project, vintage, price_cents, id`)
	defer lib.Xsqlite3_finalize(tls, stmt)
	last := d.query("SELECT max(number) FROM projects")
	var sum int64
	for b.Loop() {
		lib.Xsqlite3_bind_int64(tls, stmt, 1, last-19)
		lib.Xsqlite3_bind_int64(tls, stmt, 2, last)
		for lib.Xsqlite3_step(tls, stmt) == lib.SQLITE_ROW {
			for _, col := range [...]int32{0, 1, 3, 4} {
				sum += lib.Xsqlite3_column_int64(tls, stmt, col)
			}
			sum += int64(lib.Xsqlite3_column_text(tls, stmt, 2))
		}
		lib.Xsqlite3_reset(tls, stmt)
	}
	if sum == 0 {
		b.Fatal("nothing was read")
	}
}

func openC(b *testing.B, tls *libc.TLS, path string) (db uintptr) {
	name, err := libc.CString(path)
	if err != nil {
		b.Fatal(err)
	}
	defer libc.Xfree(tls, name)
	out := tls.Alloc(8)
	defer tls.Free(8)
	if code := lib.Xsqlite3_open_v2(tls, name, out, lib.SQLITE_OPEN_READONLY, 0); code != lib.SQLITE_OK {
		b.Fatalf("open: SQLite error %d", code)
	}
	return libc.AtomicLoadPUintptr(out)
}

func prepareC(b *testing.B, tls *libc.TLS, db uintptr, query string) (stmt uintptr) {
	text, err := libc.CString(query)
	if err != nil {
		b.Fatal(err)
	}
	defer libc.Xfree(tls, text)
	out := tls.Alloc(8)
	defer tls.Free(8)
	if code := lib.Xsqlite3_prepare_v2(tls, db, text, -1, out, 0); code != lib.SQLITE_OK {
		b.Fatalf("prepare: SQLite error %d", code)
	}
	return libc.AtomicLoadPUintptr(out)
}
