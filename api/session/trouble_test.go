package session_test

import (
	"context"
	"slices"
	"sync/atomic"
	"testing"
	"time"

	"tonne/api"
	"tonne/api/session"
	"tonne/model"
	"tonne/model/market"
	"tonne/model/store"
)

func TestADeskTellsOnceThatItsServiceIsAwayAndOnceThatItIsBack(t *testing.T) {
	t.Parallel()
	in(t, func(t *testing.T) {
		var now atomic.Value
		now.Store(api.Kind(0))
		f := &fake{market: func(context.Context, func(*market.Page, model.Page)) (*market.Market, error) {
			if kind := now.Load().(api.Kind); kind != 0 {
				return nil, failing(kind)
			}
			return offer(100), nil
		}}
		own := store.Open("")
		defer own.Close()
		var told []api.Kind
		d := session.NewShared(f, session.Options{Origin: origin, Store: own, Trouble: func(err error) { told = append(told, api.KindOf(err)) }})
		ctx, cancel := context.WithCancel(t.Context())
		ended := make(chan error, 1)
		go func() { ended <- d.Run(ctx) }()
		for _, kind := range []api.Kind{0, api.Unreachable, api.ServerError, 0, api.Unauthorized} {
			now.Store(kind)
			time.Sleep(10 * time.Minute)
		}
		cancel()
		if err := <-ended; err != nil {
			t.Error(err)
		}
		if want := []api.Kind{api.Unreachable, api.ServerError, 0, api.Unauthorized}; !slices.Equal(told, want) {
			t.Errorf("told is %v, want %v", told, want)
		}
	})
}
