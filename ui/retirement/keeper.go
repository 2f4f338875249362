package retirement

import (
	"context"
	"sync"
	"time"

	"tonne/model/store"
	"tonne/ui/effect"
)

// keeper writes to the store what changes in the ledger, in the order in
// which it changed. Update only queues the work: a command does it.
type keeper struct {
	store  *store.Store
	origin string

	// turn is held by whoever uses the store, mu by whoever uses the rest.
	turn  sync.Mutex
	mu    sync.Mutex
	queue []write
	// called says that a command is on its way that has not begun.
	called bool
	// queued counts what was queued so far, failed says that some of it could
	// not be written.
	queued int
	failed bool
}

// write is one piece of work: outcomes of look-ups, which are written
// together, or anything else.
type write struct {
	lookUps []store.LookUp
	do      func(ctx context.Context) error
}

// patience limits the writing of what is queued: another program may hold the
// file.
const patience = 10 * time.Second

// do queues work and returns the command that does it.
func (k *keeper) do(work func(ctx context.Context) error) effect.Effect {
	return k.enqueue(func() { k.queue = append(k.queue, write{do: work}) })
}

// record queues the outcome of a look-up.
func (k *keeper) record(l store.LookUp) effect.Effect {
	return k.enqueue(func() {
		if last := len(k.queue) - 1; last >= 0 && k.queue[last].do == nil {
			k.queue[last].lookUps = append(k.queue[last].lookUps, l)
			return
		}
		k.queue = append(k.queue, write{lookUps: []store.LookUp{l}})
	})
}

func (k *keeper) enqueue(add func()) effect.Effect {
	if k.store == nil {
		return nil
	}
	k.mu.Lock()
	defer k.mu.Unlock()
	add()
	k.queued++
	if k.called {
		return nil
	}
	k.called = true
	return effect.Work(func(context.Context) any {
		if err := k.flush(); err != nil {
			return effect.Warn("Not remembered: " + err.Error() + ".")
		}
		return nil
	})
}

// flush does what is queued. It ends only when that is done, whether or not
// the dashboard ends meanwhile.
func (k *keeper) flush() error {
	k.turn.Lock()
	defer k.turn.Unlock()
	return k.work()
}

// work does what is queued, for whoever has the turn.
func (k *keeper) work() error {
	k.mu.Lock()
	queue := k.queue
	k.queue, k.called = nil, false
	k.mu.Unlock()
	ctx, cancel := context.WithTimeout(context.Background(), patience)
	defer cancel()
	var first error
	for _, w := range queue {
		err := error(nil)
		if w.do != nil {
			err = w.do(ctx)
		} else {
			err = k.store.Record(ctx, k.origin, w.lookUps...)
		}
		if first == nil {
			first = err
		}
	}
	k.mu.Lock()
	k.failed = k.failed || first != nil
	k.mu.Unlock()
	return first
}

// ledgerRead is the ledger as it is in the store, after all that was queued
// before was written.
type ledgerRead struct {
	kept   []store.LedgerEntry
	queued int
}

// current reports whether all changes of the ledger are in what was read.
func (k *keeper) current(r ledgerRead) bool {
	k.mu.Lock()
	defer k.mu.Unlock()
	return r.queued == k.queued && !k.failed
}

// read leads to a ledgerRead.
func (k *keeper) read() effect.Effect {
	if k.store == nil {
		return nil
	}
	k.mu.Lock()
	queued := k.queued
	k.mu.Unlock()
	return effect.Work(func(ctx context.Context) any {
		k.turn.Lock()
		defer k.turn.Unlock()
		err := k.work()
		kept, failed := k.store.Ledger(ctx, k.origin)
		if err == nil {
			err = failed
		}
		if err != nil {
			return effect.Warn("The ledger was not read: " + err.Error() + ".")
		}
		return ledgerRead{kept, queued}
	})
}
