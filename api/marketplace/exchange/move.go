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
func Move(ctx context.Context, from, to Database) (moved []Moved, err error) {
	err = from.Read(ctx, func(source Tx) error {
		return to.Write(ctx, func(target Tx) error {
			target.Alone()
			moved = moved[:0]
			for _, t := range tables {
				if exists(target, "SELECT 1 FROM "+t.name+" LIMIT 1") {
					return ErrNotEmpty
				}
			}
			for _, t := range tables {
				moved = append(moved, t.move(source, target))
			}
			followMarket(source, target)
			return nil
		})
	})
	return moved, err
}

// followMarket makes the versions of the market go on where they were, so that
// they do not run backwards for a client. A file that is older than what its
// projects have been through knows them in the whole alone: one project stands
// for what is missing.
func followMarket(source, target Tx) {
	was := ReadMarket(source)
	marketVersions.move(source, target)
	is := ReadMarket(target)
	if first := number(target, "SELECT min(number) FROM projects"); first > 0 {
		moveProject(target, first, was.Version+1-is.Version, was.Listing+1-is.Listing)
	}
}

func (t table) move(source, target Tx) Moved {
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
	each(target, t.query(), func(row Row) { written.add(t.values(row)) })
	if err == nil && read != written {
		err = ErrDiffers
	}
	if err != nil {
		target.Fail(fmt.Errorf("table %s: %w", t.name, err))
	}
	return Moved{t.name, read}
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
