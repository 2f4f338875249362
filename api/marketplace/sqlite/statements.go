package sqlite

import (
	"errors"
	"fmt"
	"reflect"

	"zombiezen.com/go/sqlite"

	"tonne/api/marketplace/exchange"
)

// statements are what is prepared on a connection, by its text. The library has
// such a list too, but forgets what was bound when a statement is asked for again,
// and SQLite then plans anew each whose plan depends on what is bound: most that
// join tables. That took a third of a purchase.
type statements map[string]*sqlite.Stmt

func (d *Database) on(conn *sqlite.Conn) tx {
	prepared, _ := d.prepared.LoadOrStore(conn, make(statements))
	return tx{conn, prepared.(statements)}
}

func (t tx) run(query string, args []any, read func(exchange.Row) error) (err error) {
	stmt := t.prepared[query]
	if stmt == nil {
		if stmt, err = t.conn.Prepare(query); err != nil {
			return err
		}
		t.prepared[query] = stmt
	}
	if len(args) != stmt.BindParamCount() {
		return fmt.Errorf("%d values for the %d parameters of %s", len(args), stmt.BindParamCount(), query)
	}
	// One that an error or a panic leaves open would keep its connection.
	defer func() { err = errors.Join(err, stmt.Reset()) }()
	for i, arg := range args {
		bind(stmt, i+1, reflect.ValueOf(arg))
	}
	for {
		more, err := stmt.Step()
		if err != nil || !more {
			return err
		}
		if read != nil {
			if err := read(row{stmt}); err != nil {
				return err
			}
		}
	}
}

func bind(stmt *sqlite.Stmt, i int, v reflect.Value) {
	switch {
	case !v.IsValid():
		stmt.BindNull(i)
	case v.CanInt():
		stmt.BindInt64(i, v.Int())
	case v.Kind() == reflect.String:
		stmt.BindText(i, v.String())
	case v.Kind() == reflect.Bool:
		stmt.BindBool(i, v.Bool())
	case v.CanConvert(reflect.TypeFor[[]byte]()):
		stmt.BindBytes(i, v.Bytes())
	default:
		panic(fmt.Sprintf("sqlite: a value of type %s cannot be bound", v.Type()))
	}
}
