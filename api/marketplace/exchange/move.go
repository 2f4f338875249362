package exchange

import (
	"context"
	"errors"
	"fmt"
	"strings"
)

var (
	// ErrNotEmpty is returned for a target that holds something.
	ErrNotEmpty = errors.New("the database to move to is not empty")
	// ErrDiffers is returned where what was written is not read back as it was.
	// Nothing was moved.
	ErrDiffers = errors.New("what was written differs from what was read")
)

// Moved is a table that was moved.
type Moved struct {
	Table string
	Digest
}

// Move copies everything from one state of a database into an empty other one,
// reads it back and compares counts, sums and hashes, all in one transaction:
// after a failure the target is as empty as before. The error is ErrNotEmpty
// or ErrDiffers where that is what is wrong.
func Move(ctx context.Context, from, to Database) ([]Moved, error) {
	var moved []Moved
	err := from.Read(ctx, func(source Tx) error {
		return to.Write(ctx, func(target Tx) error {
			if err := target.Alone(); err != nil {
				return err
			}
			if err := checkEmpty(target); err != nil {
				return err
			}
			moved = moved[:0]
			for _, t := range tables {
				one, err := t.move(source, target)
				if err != nil {
					return fmt.Errorf("table %s: %w", t.name, err)
				}
				moved = append(moved, one)
			}
			return followMarket(source, target)
		})
	})
	return moved, err
}

func checkEmpty(target Tx) error {
	for _, t := range tables {
		if some, err := exists(target, "SELECT 1 FROM "+t.name+" LIMIT 1"); err != nil || some {
			return errors.Join(err, ErrNotEmpty)
		}
	}
	return nil
}

// followMarket makes the versions of the market go on where they were, so that
// they do not run backwards for a client. A file that is older than what its
// projects have been through knows them in the whole alone: one project stands
// for what is missing.
func followMarket(source, target Tx) error {
	was, err := ReadMarket(source)
	if err != nil {
		return err
	}
	if _, err := marketVersions.move(source, target); err != nil {
		return err
	}
	is, err := ReadMarket(target)
	if err != nil {
		return err
	}
	first, err := number(target, "SELECT min(number) FROM projects")
	if err != nil || first == 0 {
		return err
	}
	return moveProject(target, first, was.Version+1-is.Version, was.Listing+1-is.Listing)
}

func (t table) move(source, target Tx) (Moved, error) {
	var read, written Digest
	to := loader{target: target, table: t}
	err := source.Query(t.query(), func(row Row) error {
		values := t.values(row)
		read.add(t, values)
		return to.add(values)
	})
	if err == nil {
		err = to.load()
	}
	if err != nil {
		return Moved{}, err
	}
	err = target.Query(t.query(), func(row Row) error {
		written.add(t, t.values(row))
		return nil
	})
	if err == nil && read != written {
		err = ErrDiffers
	}
	return Moved{t.name, read}, err
}

// The rows and the bytes of texts and blobs that are loaded together at most,
// but for the last row.
const (
	rowsOfLoad  = 10_000
	bytesOfLoad = 8 << 20
)

// loader loads rows of a table, many at a time.
type loader struct {
	target Tx
	table  table
	rows   [][]any
	bytes  int
}

func (l *loader) add(values []any) error {
	l.rows = append(l.rows, values)
	for _, value := range values {
		switch v := value.(type) {
		case string:
			l.bytes += len(v)
		case []byte:
			l.bytes += len(v)
		}
	}
	if len(l.rows) < rowsOfLoad && l.bytes < bytesOfLoad {
		return nil
	}
	return l.load()
}

func (l *loader) load() error {
	if len(l.rows) == 0 {
		return nil
	}
	names := make([]string, len(l.table.columns))
	for i, c := range l.table.columns {
		names[i] = c.name
	}
	err := l.target.Load(l.table.name, names, l.rows)
	l.rows, l.bytes = l.rows[:0], 0
	return err
}

func (t table) query() string {
	var names []string
	for _, c := range t.columns {
		names = append(names, c.name)
		if c.kind == blob {
			names = append(names, "length("+c.name+")")
		}
	}
	return "SELECT " + strings.Join(names, ", ") + " FROM " + t.name + " ORDER BY " + t.columns[0].name
}

func (t table) values(row Row) []any {
	values := make([]any, len(t.columns))
	col := 0
	for i, c := range t.columns {
		if !row.IsNull(col) {
			values[i] = c.value(row, col)
		}
		if c.kind == blob {
			col++
		}
		col++
	}
	return values
}

func (c column) value(row Row, col int) any {
	switch c.kind {
	case text:
		return row.Text(col)
	case boolean:
		return row.Bool(col)
	case blob:
		bytes := make([]byte, row.Int64(col+1))
		return bytes[:row.Bytes(col, bytes)]
	}
	return row.Int64(col)
}
