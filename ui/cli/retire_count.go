package cli

import (
	"context"
	"os"
	"sync"

	"tonne/api/retire"
)

// notKnown counts the calls whose outcome is not known, for a dashboard that only
// looks, as often as that asks.
type notKnown struct {
	path string
	read func(ctx context.Context) (unsettled []retire.Call, err error)

	// turn guards all below.
	turn sync.Mutex
	// n was counted when the files of the journal were as seen; counted says that it
	// stands for as long as they are.
	n       int
	seen    [2]fileMark
	counted bool
}

// fileMark tells a file from what it was before; it is zero for one that is not
// there.
type fileMark struct{ size, modified int64 }

func markOf(path string) fileMark {
	info, err := os.Stat(path)
	if err != nil {
		return fileMark{}
	}
	return fileMark{info.Size(), info.ModTime().UnixNano()}
}

// count reads the journal if one of its files changed since it was read. A program
// that dies while it sends changes none, so that it is read as well while one does.
func (k *notKnown) count(ctx context.Context) (int, error) {
	k.turn.Lock()
	defer k.turn.Unlock()
	is := [2]fileMark{markOf(k.path), markOf(k.path + "-wal")}
	if k.counted && is == k.seen {
		return k.n, nil
	}
	calls, err := k.read(ctx)
	if err != nil {
		k.counted = false
		return 0, err
	}
	k.n, k.seen, k.counted = len(retire.NotKnown(calls)), is, true
	for _, c := range calls {
		k.counted = k.counted && !c.UnderWay
	}
	return k.n, nil
}
