package postgres

import (
	"context"
	"errors"
	"testing"
	"testing/synctest"

	must "tonne/model/musttest"
)

func TestChangesOfAKeyTakeTurnsInTheOrderOfArrival(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		var locks keyLocks
		release := must.Get(locks.lock(t.Context(), []string{"tenant 1", "vintage v"}))
		var order []int
		for n := range 5 {
			go func() {
				mine := must.Get(locks.lock(t.Context(), []string{"tenant 1", "vintage w"}))
				order = append(order, n)
				mine()
			}()
			synctest.Wait()
		}
		other := must.Get(locks.lock(t.Context(), []string{"tenant 2"}))
		other()
		must.Equal(t, order, nil, "before the first change ended")
		release()
		synctest.Wait()
		must.Equal(t, order, []int{0, 1, 2, 3, 4})
		must.Equal(t, len(locks.keys), 0, "keys that no change holds")
	})
}

func TestAChangeThatGivesUpLeavesItsKeys(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		var locks keyLocks
		tired := errors.New("tired")
		release := must.Get(locks.lock(t.Context(), []string{"b"}))
		ctx, cancel := context.WithCancelCause(t.Context())
		given := make(chan error)
		go func() { given <- must.Err(locks.lock(ctx, []string{"a", "b"})) }()
		synctest.Wait()
		cancel(tired)
		must.Fail(t, <-given, tired)
		must.Get(locks.lock(t.Context(), []string{"a"}))()
		release()
		must.Equal(t, len(locks.keys), 0)
	})
}
