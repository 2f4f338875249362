package marketplace

import (
	"sync"

	"tonne/api/marketplace/exchange"
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
// tx sees them, and with it the version of the listing. The slice is shared
// and not to be changed.
func (l *listing) projects(tx exchange.Tx, version int64) ([]int64, error) {
	l.mu.Lock()
	kept, numbers := l.version, l.numbers
	l.mu.Unlock()
	if kept == version {
		return numbers, nil
	}
	numbers, err := exchange.ListedProjects(tx)
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
