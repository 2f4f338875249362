package postgres

import (
	"bytes"
	"cmp"
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"
	"github.com/jackc/pgx/v5/pgtype"
	"github.com/jackc/pgx/v5/pgxpool"

	"tonne/api/marketplace/exchange"
)

// tx is a transaction of a connection. Statements stay prepared on it. What
// nobody waits for the answer of goes to the server together with the next.
type tx struct {
	ctx     context.Context
	conn    *pgxpool.Conn
	waiting *pgx.Batch
	// alone says that no other change is under way.
	alone bool
	// failed is the error of the first statement that failed.
	failed error
}

// errNotAlone ends a change that has to begin again alone.
var errNotAlone = errors.New("the change has to be made alone")

func (t *tx) Alone() {
	if !t.alone {
		t.Fail(errNotAlone)
	}
}

func (t *tx) Fail(err error) { t.failed = cmp.Or(t.failed, err) }
func (t *tx) Err() error     { return t.failed }

func (t *tx) Do(query string, args ...any) { t.waiting.Queue(query, values(args)...) }

func (t *tx) Exec(query string, args ...any) (rows int) {
	ctx, cancel := context.WithTimeout(t.ctx, statementLimit)
	defer cancel()
	if sent := t.send(ctx, query, args); sent != nil {
		done, err := sent.Exec()
		t.Fail(cmp.Or(err, sent.Close()))
		rows = int(done.RowsAffected())
	}
	return rows
}

func (t *tx) Insert(query string, args ...any) (number int64) {
	t.Query(query+" RETURNING number", func(row exchange.Row) { number = row.Int64(0) }, args...)
	return number
}

// send returns nil if a statement has failed.
func (t *tx) send(ctx context.Context, query string, args []any) pgx.BatchResults {
	if t.failed != nil {
		return nil
	}
	before := t.waiting.Len()
	t.waiting.Queue(query, values(args)...)
	sent := t.conn.SendBatch(ctx, t.waiting)
	t.waiting = new(pgx.Batch)
	for range before {
		if _, err := sent.Exec(); err != nil {
			_ = sent.Close()
			t.Fail(err)
			return nil
		}
	}
	return sent
}

func (t *tx) Query(query string, read func(exchange.Row), args ...any) {
	ctx, cancel := context.WithCancelCause(t.ctx)
	defer cancel(nil)
	limit := time.AfterFunc(statementLimit, func() { cancel(errStalled) })
	defer limit.Stop()
	if sent := t.send(ctx, query, args); sent != nil {
		err := t.read(sent, read, func() { limit.Reset(statementLimit) })
		t.Fail(cmp.Or(err, sent.Close()))
	}
	if t.failed != nil && errors.Is(context.Cause(ctx), errStalled) {
		t.failed = fmt.Errorf("%w: %v", errStalled, t.failed)
	}
}

func (t *tx) read(sent pgx.BatchResults, read func(exchange.Row), goesOn func()) error {
	rows, err := sent.Query()
	if err != nil {
		return err
	}
	defer rows.Close()
	r := row{types: t.conn.Conn().TypeMap()}
	for n := 1; t.failed == nil && rows.Next(); n++ {
		if n%rowsBetween == 0 {
			goesOn()
		}
		r.columns, r.raw = rows.FieldDescriptions(), rows.RawValues()
		read(r)
	}
	return rows.Err()
}

var errStalled = fmt.Errorf("the server does not answer: %w", context.DeadlineExceeded)

// rowsBetween is how many rows of a result are read before its time starts again.
const rowsBetween = 1000

var errRolledBack = errors.New("a statement of the transaction had failed")

// commit ends the transaction with its changes. An error that may have come
// after the commit is a *commitError.
func (t *tx) commit() error {
	ctx, cancel := context.WithTimeout(t.ctx, statementLimit)
	defer cancel()
	sent := t.send(ctx, "COMMIT", nil)
	if sent == nil {
		return &commitError{t.failed}
	}
	done, err := sent.Exec()
	if err := cmp.Or(err, sent.Close()); err != nil {
		return &commitError{err}
	}
	if done.String() != "COMMIT" {
		return errRolledBack
	}
	return nil
}

// A connection on which rollBack fails is not used again.
func (t *tx) rollBack() {
	if t.conn.Conn().PgConn().TxStatus() != 'I' {
		ctx, cancel := context.WithTimeout(context.WithoutCancel(t.ctx), statementLimit)
		defer cancel()
		_, _ = t.conn.Exec(ctx, "ROLLBACK")
	}
}

// QueryKept locks the rows against changes by others. Where one has changed
// since the transaction began, that is a serialisation failure.
func (t *tx) QueryKept(query string, read func(exchange.Row), args ...any) {
	t.Query(query+" FOR SHARE", read, args...)
}

func values(args []any) []any {
	out := make([]any, len(args))
	for i, arg := range args {
		out[i] = arg
		switch v := reflect.ValueOf(arg); v.Kind() {
		case reflect.Bool:
			out[i] = int64(0)
			if v.Bool() {
				out[i] = int64(1)
			}
		case reflect.Int, reflect.Int64:
			out[i] = v.Int()
		case reflect.String:
			out[i] = storable(v.String())
		}
	}
	return out
}

// storable returns a text that PostgreSQL takes. What it does not take is never
// stored, because the interface refuses it: it only comes in ids that somebody
// asks for, and nothing has the one that it becomes here.
func storable(text string) string {
	return strings.ReplaceAll(strings.ToValidUTF8(text, "\uFFFD"), "\x00", "\uFFFD")
}

type row struct {
	types   *pgtype.Map
	columns []pgconn.FieldDescription
	raw     [][]byte
}

func (r row) Int64(col int) (n int64) {
	raw := r.raw[col]
	switch {
	case raw == nil:
		return 0
	case r.is(col, pgtype.Int8OID):
		return int64(binary.BigEndian.Uint64(raw))
	case r.is(col, pgtype.BoolOID):
		return int64(raw[0])
	}
	if err := r.types.Scan(r.columns[col].DataTypeOID, r.columns[col].Format, raw, &n); err != nil {
		panic("a column is read as a number that is none: " + err.Error())
	}
	return n
}

func (r row) Text(col int) string {
	if r.isText(col) {
		return string(r.raw[col])
	}
	return strconv.FormatInt(r.Int64(col), 10)
}

func (r row) Bool(col int) bool             { return r.Int64(col) != 0 }
func (r row) Bytes(col int, buf []byte) int { return copy(buf, r.raw[col]) }

func (r row) Value(col int) any {
	switch {
	case r.raw[col] == nil:
		return nil
	case r.columns[col].DataTypeOID == pgtype.ByteaOID:
		return bytes.Clone(r.raw[col])
	case r.isText(col):
		return r.Text(col)
	}
	return r.Int64(col)
}

func (r row) is(col int, oid uint32) bool {
	return r.columns[col].DataTypeOID == oid && r.columns[col].Format == pgx.BinaryFormatCode
}

func (r row) isText(col int) bool {
	oid := r.columns[col].DataTypeOID
	return r.raw[col] == nil || oid == pgtype.TextOID || oid == pgtype.VarcharOID || oid == pgtype.NameOID || oid == pgtype.UnknownOID
}

// Load is the COPY of PostgreSQL, a fraction of the work of as many inserts.
func (t *tx) Load(table string, columns []string, rows [][]any) {
	ctx, cancel := context.WithTimeout(t.ctx, statementLimit)
	defer cancel()
	// What waits goes to the server first.
	if t.Exec("SELECT 1"); t.failed != nil {
		return
	}
	_, err := t.conn.CopyFrom(ctx, pgx.Identifier{table}, columns, pgx.CopyFromSlice(len(rows), func(i int) ([]any, error) {
		return values(rows[i]), nil
	}))
	t.Fail(err)
	if slices.Contains(columns, "number") {
		// Who writes numbers does not move the sequence that gives them.
		t.Do("SELECT setval(pg_get_serial_sequence($1, 'number'), (SELECT max(number) FROM "+table+"))", table)
	}
}
