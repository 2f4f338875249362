package marketplace

import (
	"sync"

	"zombiezen.com/go/sqlite"
)

// listing is the order of the projects that are in the market, so that a page
// is found by its position without counting the pages before it. It is read
// again when a project has entered or left the market.
type listing struct {
	mu      sync.Mutex
	version int64
	numbers []int64
}

// projects returns the numbers of the listed projects as the transaction of
// conn sees them. The slice is shared and not to be changed.
func (l *listing) projects(conn *sqlite.Conn) ([]int64, error) {
	var version int64
	if _, err := find(conn, "SELECT listing FROM market_state", func(stmt *sqlite.Stmt) {
		version = stmt.ColumnInt64(0)
	}); err != nil {
		return nil, err
	}
	l.mu.Lock()
	kept, numbers := l.version, l.numbers
	l.mu.Unlock()
	if kept == version {
		return numbers, nil
	}
	numbers = nil
	err := each(conn, "SELECT number FROM projects WHERE live_orders > 0 ORDER BY number", func(stmt *sqlite.Stmt) error {
		numbers = append(numbers, stmt.ColumnInt64(0))
		return nil
	})
	if err != nil {
		return nil, err
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	if version > l.version {
		l.version, l.numbers = version, numbers
	}
	return numbers, nil
}
