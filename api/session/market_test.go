package session_test

import (
	"context"
	"testing"
	"time"

	"tonne/api"
	"tonne/api/session"
	"tonne/model"
	"tonne/model/market"
)

// markets answers each poll with the next market and then with the last.
func markets(all ...*market.Market) *fake {
	next := 0
	return &fake{market: func(context.Context, func(*market.Page, model.Page)) (*market.Market, error) {
		m := all[min(next, len(all)-1)]
		next++
		return m, nil
	}}
}

func TestChangesAreToldOnceAndByID(t *testing.T) {
	t.Parallel()
	f := markets(
		market.New(part(500, "a", "b")),
		market.New(part(700, "a"), part(500, "c")),
	)
	polling(t, f, session.Options{}, func(t *testing.T, d *session.Session, read *running) {
		if e := must[session.MarketEvent](read); e.Generation != 1 || !e.Changes.Empty() {
			t.Errorf("the first read has changes: %+v", e.Changes)
		}
		time.Sleep(5 * time.Second)
		e := must[session.MarketEvent](read)
		kinds := make(map[string]market.ChangeKind)
		for _, c := range e.Changes.Orders {
			kinds[max(c.Was.ID, c.Now.ID)] = c.Kind
		}
		if e.Generation != 2 || len(kinds) != 3 || kinds["o-a"] != market.Repriced || kinds["o-b"] != market.Vanished || kinds["o-c"] != market.Appeared {
			t.Errorf("changes are %v", kinds)
		}
		d.Pause(true)
		if e := must[session.MarketEvent](read); !e.Changes.Empty() {
			t.Errorf("changes are sent again: %+v", e.Changes)
		}
	})
}

func TestConfirmedMarketHasNewAgeAndNoChanges(t *testing.T) {
	t.Parallel()
	market := market.New(part(500, "a", "b"))
	polling(t, markets(market), session.Options{}, func(t *testing.T, d *session.Session, read *running) {
		first := must[session.MarketEvent](read)
		time.Sleep(5 * time.Second)
		e := must[session.MarketEvent](read)
		if e.Market != market || e.Generation != first.Generation || !e.Changes.Empty() || e.At.Sub(first.At) != 5*time.Second {
			t.Errorf("confirmed: generation %d, changes %+v, %v later", e.Generation, e.Changes, e.At.Sub(first.At))
		}
	})
}

func TestSlowReaderLearnsOfEveryChange(t *testing.T) {
	t.Parallel()
	f := markets(
		market.New(part(500, "a", "b")),
		market.New(part(600, "a", "b")),
		market.New(part(600, "a")),
		market.New(part(500, "a")),
	)
	polling(t, f, session.Options{}, func(t *testing.T, d *session.Session, read *running) {
		must[session.MarketEvent](read)
		time.Sleep(15 * time.Second)
		news := read.news()
		changes := news[0].(session.MarketEvent).Changes.Orders
		if len(changes) != 1 || changes[0].Kind != market.Vanished || changes[0].Was.ID != "o-b" {
			t.Errorf("changes are %+v", changes)
		}
	})
}

// slowRead reports ten pages, one a second.
func slowRead(_ context.Context, each func(*market.Page, model.Page)) (*market.Market, error) {
	var parts []*market.Page
	for page := range 10 {
		time.Sleep(time.Second)
		p := part(500, "p"+string(rune('0'+page)))
		parts = append(parts, p)
		each(p, model.Page{Current: page + 1, TotalPages: 10})
	}
	return market.New(parts...), nil
}

func TestPagesOfTheFirstReadAreShownAsTheyArrive(t *testing.T) {
	t.Parallel()
	polling(t, &fake{market: slowRead}, session.Options{}, func(t *testing.T, d *session.Session, read *running) {
		if e := must[session.MarketEvent](read); e.State != session.Loading || !e.Fetching || e.Market != nil {
			t.Errorf("before the first page: %+v", e)
		}
		time.Sleep(time.Second)
		if e := must[session.MarketEvent](read); !e.Partial || e.Market.Projects() != 1 || e.Done != 1 || e.Total != 10 || e.Generation != 0 {
			t.Errorf("after the first page: %+v", e)
		}
		time.Sleep(5 * time.Second)
		if e := must[session.MarketEvent](read); !e.Partial || e.Market.Projects() < 3 || e.Done != 6 {
			t.Errorf("after the sixth page: %+v", e)
		}
		time.Sleep(4 * time.Second)
		if e := must[session.MarketEvent](read); e.Partial || e.Market.Projects() != 10 || e.State != session.Live || e.Generation != 1 || !e.Changes.Empty() {
			t.Errorf("at the end: %+v", e)
		}
		time.Sleep(7 * time.Second)
		if e := must[session.MarketEvent](read); e.Partial || e.Market.Projects() != 10 || !e.Fetching || e.Done != 2 {
			t.Errorf("in the second read: %+v", e)
		}
	})
}

func TestFirstReadThatBreaksKeepsWhatArrived(t *testing.T) {
	t.Parallel()
	f := &fake{market: func(_ context.Context, each func(*market.Page, model.Page)) (*market.Market, error) {
		for page, id := range []string{"a", "b", "c"} {
			each(part(500, id), model.Page{Current: page + 1, TotalPages: 9})
			time.Sleep(time.Second)
		}
		return nil, failing(api.Unreachable)
	}}
	polling(t, f, session.Options{}, func(t *testing.T, d *session.Session, read *running) {
		time.Sleep(3 * time.Second)
		if e := must[session.MarketEvent](read); !e.Partial || e.Market.Projects() != 3 || e.Err == nil || e.State != session.Loading {
			t.Errorf("event is %+v", e)
		}
		time.Sleep(time.Second) // the next read is at its first page
		if e := must[session.MarketEvent](read); !e.Partial || e.Market.Projects() != 3 || e.Done > 2 {
			t.Errorf("event is %+v", e)
		}
	})
}

func TestAMarketThatEndsEarlyTakesThePlaceOfNoCompleteOne(t *testing.T) {
	t.Parallel()
	whole, some := market.New(part(500, "a", "b", "c")), market.New(part(500, "a"))
	poll := 0
	f := &fake{market: func(context.Context, func(*market.Page, model.Page)) (*market.Market, error) {
		if poll++; poll == 2 {
			return whole, nil
		}
		return some, &api.Error{Kind: api.Incomplete, Read: 1, Total: 3}
	}}
	polling(t, f, session.Options{}, func(t *testing.T, d *session.Session, read *running) {
		if e := must[session.MarketEvent](read); e.Market != some || !e.Partial || e.Generation != 0 || e.State != session.Loading || api.KindOf(e.Err) != api.Incomplete {
			t.Errorf("the first read: %+v", e)
		}
		time.Sleep(time.Second)
		if e := must[session.MarketEvent](read); e.Market != whole || e.Partial || e.State != session.Live || !e.Changes.Empty() {
			t.Errorf("the second read: %+v", e)
		}
		time.Sleep(5 * time.Second)
		if e := must[session.MarketEvent](read); e.Market != whole || e.Partial || e.State != session.Stale || api.KindOf(e.Err) != api.Incomplete {
			t.Errorf("the third read: %+v", e)
		}
	})
}
