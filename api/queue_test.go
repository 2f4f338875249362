package api_test

import (
	"fmt"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"tonne/api"
	"tonne/api/apitest"
)

// lookUps are the look-ups of one person.
type lookUps struct {
	left, answered atomic.Int64
	all            sync.WaitGroup
}

// lookUpFor begins to look up n requests of a person, so many at once.
func lookUpFor(t *testing.T, c *api.Client, person string, n int64, atOnce int) *lookUps {
	t.Helper()
	ctx := api.OnBehalfOf(t.Context(), person)
	l := new(lookUps)
	l.left.Store(n)
	for range atOnce {
		l.all.Go(func() {
			for i := l.left.Add(-1); i >= 0; i = l.left.Add(-1) {
				if _, err := c.Retirement(ctx, fmt.Sprint(person, i)); err != nil {
					t.Error(err)
					return
				}
				l.answered.Add(1)
			}
		})
	}
	return l
}

func TestALookUpIsAmongTheNextHoweverManyAnotherPersonAsksFor(t *testing.T) {
	t.Parallel()
	for name, limit := range map[string]limit{
		"a hundred a second":                 newBucket(100, 100),
		"a hundred in a window of a second":  &windows{size: 100, every: time.Second},
		"as many as there are places for":    newBucket(1e9, 1e9),
		"a hundred a second, ten at a burst": newBucket(100, 10),
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				service := &limited{limit: limit, latency: 40 * time.Millisecond, tells: true}
				c := service.client(t)
				many := lookUpFor(t, c, "ada", 54_000, 48)
				for range 20 {
					time.Sleep(777 * time.Millisecond)
					before := many.answered.Load()
					lookUpFor(t, c, "ben", 1, 1).all.Wait()
					between := many.answered.Load()
					// What else the person asks for does not wait for all of them either: here
					// it is answered with something else.
					if _, _, err := c.MarketPage(api.OnBehalfOf(t.Context(), "ada"), api.MarketQuery{}); api.KindOf(err) != api.NotTheAPI {
						t.Error(err)
					}
					if one, other := between-before, many.answered.Load()-between; max(one, other) > 24 {
						t.Errorf("%d are answered before the one of another person, %d before another call", one, other)
					}
				}
				answered, left := many.answered.Load(), many.left.Swap(0)
				many.all.Wait()
				if answered < 100 || left <= 0 || service.most > 8 {
					t.Errorf("%d are answered; up to %d are refused at once", answered, service.most)
				}
			})
		})
	}
}

func TestWhatBreaksGivesItsTurnBack(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		c := newClient(t, nil, func(o *api.Options) {
			o.Transport = panicking{apitest.Transport(apitest.JSON(marketPage(1, 1, 1, "p")))}
		})
		for range 20 {
			func() {
				defer func() { _ = recover() }()
				_, _, _ = c.MarketPage(t.Context(), api.MarketQuery{Page: 2})
			}()
		}
		if _, _, err := c.MarketPage(t.Context(), api.MarketQuery{}); err != nil {
			t.Error(err)
		}
	})
}
