package postgres

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgtype"
	"github.com/jackc/pgx/v5/pgxpool"

	"tonne/api/marketplace/exchange"
)

// tx is a transaction of a connection. Statements stay prepared on the connection. A
// statement without a result is sent together with the next one.
type tx struct {
	ctx     context.Context
	conn    *pgxpool.Conn
	waiting *pgx.Batch
	// asked read the rows of the statements of waiting with these numbers.
	asked map[int]func(exchange.Row)
	// exclusive reports that no other change is running.
	exclusive bool
	// keys are those of its locks. It waits for them before it begins, or shares them with others.
	keys   []string
	waits  bool
	others *others
	// failed is the error of the first statement that failed, and answered reports that one succeeded.
	failed   error
	answered bool
}

// errNotExclusive ends a change that must be retried as the only one.
var errNotExclusive = errors.New("the change needs an exclusive transaction")

func (t *tx) Exclusive() {
	if !t.exclusive {
		t.Fail(errNotExclusive)
	}
}

func (t *tx) Fail(err error) { t.failed = cmp.Or(t.failed, err) }
func (t *tx) Err() error     { return t.failed }

func (t *tx) Do(query string, args ...any) { t.waiting.Queue(query, values(args)...) }

func (t *tx) Ask(query string, read func(exchange.Row), args ...any) {
	t.Do(query, args...)
	if t.asked == nil {
		t.asked = make(map[int]func(exchange.Row))
	}
	t.asked[t.waiting.Len()-1] = read
}

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

func (t *tx) Reserve(tables ...string) []int64 {
	numbers := make([]int64, len(tables))
	query := "SELECT nextval('" + strings.Join(tables, "_number_seq'), nextval('") + "_number_seq')"
	t.Ask(query, func(row exchange.Row) {
		for i := range numbers {
			numbers[i] = row.Int64(i)
		}
	})
	return numbers
}

// send returns nil if a statement has failed.
func (t *tx) send(ctx context.Context, query string, args []any) pgx.BatchResults {
	if t.failed != nil {
		return nil
	}
	before, asked := t.waiting.Len(), t.asked
	t.asked = nil
	t.waiting.Queue(query, values(args)...)
	sent := t.conn.SendBatch(ctx, t.waiting)
	t.waiting = new(pgx.Batch)
	for n := range before {
		if err := t.result(sent, asked[n]); err != nil {
			_ = sent.Close()
			t.Fail(err)
			return nil
		}
		t.answered = true
	}
	return sent
}

// result reads the rows of a statement that was sent together with others. read may be nil.
func (t *tx) result(sent pgx.BatchResults, read func(exchange.Row)) error {
	if read != nil {
		return t.read(sent, read, func() {})
	}
	_, err := sent.Exec()
	return err
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

func (t *tx) read(sent pgx.BatchResults, read func(exchange.Row), extend func()) error {
	rows, err := sent.Query()
	if err != nil {
		return err
	}
	defer rows.Close()
	for n := 1; t.failed == nil && rows.Next(); n++ {
		if n%rowsBetween == 0 {
			extend()
		}
		values, err := rows.Values()
		if err != nil {
			return err
		}
		read(row(values))
	}
	return rows.Err()
}

var errStalled = fmt.Errorf("the server does not respond: %w", context.DeadlineExceeded)

// rowsBetween is the number of rows after which reading a result gets a new time limit.
const rowsBetween = 1000

var errRolledBack = errors.New("a statement of the transaction failed")

// commit commits the transaction. The error is a *commitError if the commit may have
// succeeded.
func (t *tx) commit() error {
	ctx, cancel := context.WithTimeout(t.ctx, statementLimit)
	defer cancel()
	sent := t.send(ctx, "COMMIT", nil)
	if sent == nil {
		return &commitError{t.failed}
	}
	done, err := sent.Exec()
	_ = sent.Close()
	if err != nil {
		return &commitError{err}
	}
	if done.String() != "COMMIT" {
		return errRolledBack
	}
	return nil
}

func (t *tx) rollBack() {
	if t.conn.Conn().PgConn().TxStatus() == 'I' && !t.waits {
		return
	}
	ctx, cancel := context.WithTimeout(context.WithoutCancel(t.ctx), statementLimit)
	defer cancel()
	if _, err := t.conn.Exec(ctx, "ROLLBACK; SELECT pg_advisory_unlock_all()"); err != nil {
		// Then the server ends the transaction and releases the locks of the session.
		_ = t.conn.Conn().Close(ctx)
	}
}

// QueryForShare locks the rows against changes by others. If a row has changed since the
// transaction began, the error is a serialisation failure.
func (t *tx) QueryForShare(query string, read func(exchange.Row), args ...any) {
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
			// PostgreSQL rejects invalid UTF-8 and NUL. Stored texts never contain them, but an id in
			// a request may. No stored id contains the replacement character either.
			out[i] = strings.ReplaceAll(strings.ToValidUTF8(v.String(), "\uFFFD"), "\x00", "\uFFFD")
		}
	}
	return out
}

// row contains the values of a row as pgx decodes them.
type row []any

func (r row) Int64(col int) int64 {
	switch v := r[col].(type) {
	case int64:
		return v
	case int32:
		return int64(v)
	case bool:
		if v {
			return 1
		}
		return 0
	case pgtype.Numeric:
		if n, err := v.Int64Value(); err == nil {
			return n.Int64
		}
	case nil:
		return 0
	}
	panic(fmt.Sprintf("postgres: cannot read a %T as a number", r[col]))
}

func (r row) Text(col int) string {
	switch v := r[col].(type) {
	case nil:
		return ""
	case string:
		return v
	}
	return strconv.FormatInt(r.Int64(col), 10)
}

func (r row) Bool(col int) bool             { return r.Int64(col) != 0 }
func (r row) Bytes(col int, buf []byte) int { return copy(buf, r.Text(col)) }

func (r row) Value(col int) any {
	switch v := r[col].(type) {
	case nil, string, []byte:
		return v
	}
	return r.Int64(col)
}

// Load uses COPY, which is much faster than inserting row by row.
func (t *tx) Load(table string, columns []string, rows [][]any) {
	ctx, cancel := context.WithTimeout(t.ctx, statementLimit)
	defer cancel()
	// Send the queued statements first.
	if t.Exec("SELECT 1"); t.failed != nil {
		return
	}
	_, err := t.conn.CopyFrom(ctx, pgx.Identifier{table}, columns,
		pgx.CopyFromSlice(len(rows), func(i int) ([]any, error) {
			return values(rows[i]), nil
		}))
	t.Fail(err)
	if slices.Contains(columns, "number") {
		// Writing explicit numbers does not advance their sequence.
		t.Do("SELECT setval(pg_get_serial_sequence($1, 'number'), (SELECT max(number) FROM "+table+"))", table)
	}
}
