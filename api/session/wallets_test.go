package session_test

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"tonne/api"
	"tonne/api/session"
	"tonne/model"
	"tonne/model/portfolio"
)

// owning is a page of one wallet.
func owningPage(page int) *portfolio.Inventory {
	return &portfolio.Inventory{Projects: []portfolio.Project{{ID: fmt.Sprintf("p%d", page), Vintages: []portfolio.Vintage{
		{ID: "v", Wallets: []portfolio.Wallet{{Type: portfolio.WalletCAAS, Quantity: model.Grams(page), Trades: []portfolio.Trade{{Quantity: 1, Price: model.PriceCents(page), Type: portfolio.Buy}}}}},
	}}}}
}

// paged hands over so many pages of an inventory of seven, each after a second,
// and then fails or ends.
func paged(pages int, failure error) func(each func(*portfolio.Inventory, model.Page)) (*portfolio.Inventory, error) {
	return func(each func(*portfolio.Inventory, model.Page)) (*portfolio.Inventory, error) {
		var read []*portfolio.Inventory
		for n := 1; n <= pages; n++ {
			time.Sleep(time.Second)
			read = append(read, owningPage(n))
			each(read[n-1], model.Page{PerPage: 1, Current: n, TotalPages: 7, TotalItems: 7})
		}
		if failure != nil {
			return nil, failure
		}
		return portfolio.JoinInventory(read...), nil
	}
}

func TestTheFirstPageOfTheBookIsThereBeforeTheOthers(t *testing.T) {
	t.Parallel()
	f := &fake{whole: paged(7, nil)}
	polling(t, f, session.Options{Portfolio: true}, func(t *testing.T, d *session.Session, read *running) {
		if e := must[session.PortfolioEvent](read); e.Positions != nil || e.State != session.Loading {
			t.Errorf("event is %+v", e)
		}
		time.Sleep(time.Second)
		if e := must[session.PortfolioEvent](read); !e.Partial || e.Positions.Len() != 1 || e.Done != 1 || e.Total != 7 || e.State != session.Loading {
			t.Errorf("event is %+v", e)
		}
		time.Sleep(3 * time.Second)
		if e := must[session.PortfolioEvent](read); !e.Partial || e.Positions.Len() < 2 || e.Done != 4 || e.Total != 7 {
			t.Errorf("event is %+v", e)
		}
		time.Sleep(3 * time.Second)
		key := model.VintageKey{ProjectID: "p7", VintageID: "v"}
		e := must[session.PortfolioEvent](read)
		if e.Partial || e.Positions.Len() != 7 || e.State != session.Live || e.LastPaid[key].Price != 7 || e.Balances[key] != 7 {
			t.Errorf("event is %+v", e)
		}
	})
}

func TestABookThatWasReadStaysWholeWhileItIsReadAgain(t *testing.T) {
	t.Parallel()
	reads := 0
	f := &fake{whole: func(each func(*portfolio.Inventory, model.Page)) (*portfolio.Inventory, error) {
		reads++
		if reads == 1 {
			return paged(7, nil)(each)
		}
		return paged(3, failing(api.Unreachable))(each)
	}}
	polling(t, f, session.Options{Portfolio: true}, func(t *testing.T, d *session.Session, read *running) {
		time.Sleep(8 * time.Second)
		was := must[session.PortfolioEvent](read)
		time.Sleep(16 * time.Second)
		if e := must[session.PortfolioEvent](read); e.Partial || e.Positions != was.Positions || !e.Fetching || e.Done == 0 {
			t.Errorf("event is %+v", e)
		}
		time.Sleep(2 * time.Second)
		if e := must[session.PortfolioEvent](read); e.Partial || e.Positions != was.Positions || e.State != session.Stale || e.Err == nil || !e.At.Equal(was.At) {
			t.Errorf("event is %+v", e)
		}
	})
}

func TestAReadThatBreaksOffLeavesItsPartAndTheNextTakesNothingOfIt(t *testing.T) {
	t.Parallel()
	reads := 0
	f := &fake{whole: func(each func(*portfolio.Inventory, model.Page)) (*portfolio.Inventory, error) {
		reads++
		if reads == 1 {
			return paged(5, failing(api.Unreachable))(each)
		}
		return paged(7, nil)(each)
	}}
	polling(t, f, session.Options{Portfolio: true}, func(t *testing.T, d *session.Session, read *running) {
		time.Sleep(5 * time.Second)
		e := must[session.PortfolioEvent](read)
		if !e.Partial || e.Positions == nil || e.Err == nil || e.State != session.Loading {
			t.Errorf("event is %+v", e)
		}
		had := e.Positions.Len()
		for e.Partial {
			time.Sleep(time.Second)
			if e = must[session.PortfolioEvent](read); e.Positions.Len() < had {
				t.Errorf("%d wallets were there, %d are", had, e.Positions.Len())
			}
		}
		if e.Positions.Len() != 7 || e.State != session.Live {
			t.Errorf("event is %+v", e)
		}
	})
}

func TestWhoKeepsTheBookReadsNothingTwice(t *testing.T) {
	t.Parallel()
	f := &fake{}
	polling(t, f, session.Options{Portfolio: true}, func(t *testing.T, d *session.Session, read *running) {
		time.Sleep(65 * time.Second)
		if n := len(f.called("last paid")); n > 1 {
			t.Errorf("what was last paid is asked for %d times", n)
		}
		if n := len(f.called("whole {Page:0 PerPage:0 TradesPerWallet:0 TradeType: WalletMinQuantity:0}")); n != 5 {
			t.Errorf("the book is read %d times in a minute", n)
		}
		names := []string{}
		for _, name := range f.operations() {
			if strings.HasPrefix(name, "whole {") {
				names = append(names, name)
			}
		}
		if len(names) != 1 || slices.Contains(names, "inventory") {
			t.Errorf("asked for %q", names)
		}
		_ = read
	})
}

func TestOnlyWhoKeepsTheBookReadsIt(t *testing.T) {
	t.Parallel()
	f := &fake{}
	polling(t, f, session.Options{}, func(t *testing.T, d *session.Session, read *running) {
		time.Sleep(time.Minute)
		if e := must[session.PortfolioEvent](read); e.Positions != nil || len(f.called("last paid")) < 4 {
			t.Errorf("without the book the event is %+v", e)
		}
	})
}

func TestAnInventoryThatEndsEarlyTakesThePlaceOfNoCompleteOne(t *testing.T) {
	t.Parallel()
	poll := 0
	f := &fake{whole: func(func(*portfolio.Inventory, model.Page)) (*portfolio.Inventory, error) {
		if poll++; poll == 2 {
			return portfolio.JoinInventory(owningPage(1), owningPage(2)), nil
		}
		return owningPage(1), &api.Error{Kind: api.Incomplete, Read: 1, Total: 2}
	}, lastPaid: func(context.Context) (portfolio.LastPaidPrices, error) {
		return owningPage(1).LastPaid(), &api.Error{Kind: api.Incomplete, Read: 1, Total: 2}
	}}
	polling(t, f, session.Options{Portfolio: true}, func(t *testing.T, d *session.Session, read *running) {
		for n, want := range []struct {
			wallets, prices int
			state           session.State
			until           time.Duration
		}{{1, 0, session.Loading, time.Second}, {2, 2, session.Live, 15 * time.Second}, {2, 2, session.Stale, 0}} {
			e := must[session.PortfolioEvent](read)
			if e.Positions.Len() != want.wallets || e.Partial != (n == 0) || e.State != want.state || (e.Err == nil) != (n == 1) {
				t.Errorf("read %d: the book is %+v", n, e)
			}
			if len(e.LastPaid) != want.prices || (e.Balances == nil) != (n == 0) {
				t.Errorf("read %d: last paid is %+v", n, e)
			}
			time.Sleep(want.until)
		}
	})
}
