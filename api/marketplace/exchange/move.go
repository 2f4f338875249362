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
	if first > 0 {
		moveProject(target, first, was.Version+1-is.Version, was.Listing+1-is.Listing)
	}
	return err
}

func (t table) move(source, target Tx) (Moved, error) {
	var read, written Digest
	var rows [][]any
	size := 0
	load := func() error {
		err := target.Load(t.name, t.columns, rows)
		rows, size = rows[:0], 0
		return err
	}
	err := source.Query(t.query(), func(row Row) error {
		values := t.values(row)
		size += read.add(values)
		if rows = append(rows, values); len(rows) < rowsOfLoad && size < bytesOfLoad {
			return nil
		}
		return load()
	})
	if err == nil {
		err = load()
	}
	if err != nil {
		return Moved{}, err
	}
	err = target.Query(t.query(), func(row Row) error {
		written.add(t.values(row))
		return nil
	})
	if err == nil && read != written {
		err = ErrDiffers
	}
	return Moved{t.name, read}, err
}

// The rows and the bytes of values that are loaded together at most, except for
// the last row.
const (
	rowsOfLoad  = 10_000
	bytesOfLoad = 8 << 20
)

func (t table) query() string {
	return "SELECT " + strings.Join(t.columns, ", ") + " FROM " + t.name + " ORDER BY " + t.columns[0]
}

func (t table) values(row Row) []any {
	values := make([]any, len(t.columns))
	for i := range values {
		values[i] = row.Value(i)
	}
	return values
}
