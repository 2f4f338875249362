package api_test

import (
	"fmt"
	"testing"
	"testing/synctest"
	"time"

	"tonne/api/apitest"
	must "tonne/model/musttest"
)

func TestWholeListingIsInOrder(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := newService(t)
		s.on("", numbered(40, 40))
		all := "market"
		for n := range 40 {
			all += fmt.Sprint(" p", n+1)
		}
		must.Equal(t, s.market(0), []string{all, "40 requests"})
	})
}

func TestEmptyPagesOfABillion(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := newService(t)
		s.on("page=1", marketOf(1000000000, 3, "p1"))
		s.on("page=2", marketOf(1000000000, 3, "p2"))
		s.on("page=3", marketOf(1000000000, 3, "p3"))
		s.on("", marketOf(1000000000, 3))
		s.most = 20
		must.Equal(t, s.market(0), []string{"market p1 p2 p3", "at most 20 requests"})
	})
}

func TestPagesThatLoop(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := newService(t)
		s.on("page=1", marketOf(1000000000, 3, "p1"))
		s.on("page=2", marketOf(1000000000, 3, "p2"))
		s.on("page=3", marketOf(1000000000, 3, "p0"))
		s.on("", marketOf(1000000000, 3, "p1"))
		s.most = 20
		must.Equal(t, s.market(0), []string{"market p1 p2 p0", "at most 20 requests"})
	})
}

func TestEveryPageIsTheFirst(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := newService(t)
		s.on("", apitest.JSON(marketPage(1, 9, 2, "a", "b")))
		s.most = 20
		must.Equal(t, s.market(0), []string{"market a b", "at most 20 requests"})
	})
}

func TestListingsOfOnePage(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := newService(t)
		s.on("", marketOf(1, 1, "a"))
		must.Equal(t, s.market(0), []string{"market a", "1 requests"})
		s = newService(t)
		s.on("", marketOf(0, 0))
		must.Equal(t, s.market(0), []string{"market", "1 requests"})
		s = newService(t)
		s.on("", marketOf(0, 0, "a"))
		must.Equal(t, s.market(0), []string{"market a", "1 requests"})
	})
}

func TestProjectsOnTwoPagesOfTheMarket(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := newService(t)
		s.on("page=1", marketOf(3, 4, "a", "b"))
		s.on("page=2", marketOf(3, 4, "b", "c"))
		s.on("page=3", marketOf(3, 4, "c", "d"))
		must.Equal(t, s.market(0), []string{"market a b c d", "3 requests"})
	})
}

func TestProjectsOnTwoPagesOfTheInventory(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := newService(t)
		s.on("page=1", inventoryOf(3, 4, "a", "b"))
		s.on("page=2", inventoryOf(3, 4, "b", "c"))
		s.on("page=3", inventoryOf(3, 4, "c", "d"))
		must.Equal(t, s.inventory(), []string{"inventory a b c d", "3 requests"})
	})
}

func TestProjectThatWasSoldOutMeanwhile(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		// The next moved up.
		s := newService(t)
		s.on("page=1", marketOf(2, 4, "a", "b"), marketOf(2, 3, "b", "c"))
		s.on("page=2", marketOf(2, 3, "d"))
		must.Equal(t, s.market(0), []string{"market in pages [1 2 1 2] b c d", "4 requests"})
	})
}

func TestPageThatFails(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := newService(t)
		s.on("", late(numbered(9, 9), time.Second))
		s.on("page=5", late(apitest.Status(403, ""), 5*time.Second))
		must.Equal(t, s.market(0), []string{
			`forbidden: the user of the API key does not hold the role "API User" (the role is API User)`,
			"9 requests in 6s",
		})
	})
}

func TestListingThatAlwaysMoves(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := newService(t)
		s.on("", numbered(2, 1), numbered(2, 2), numbered(2, 3), numbered(2, 4), numbered(2, 5), numbered(2, 6),
			numbered(2, 7))
		must.Equal(t, s.market(0), []string{
			"market in pages [1 2 1 2 1 2] p1 p2",
			"incomplete: the market is incomplete: 2 of 6 projects were read (2 of 6)",
			"6 requests",
		})
	})
}

func TestMarketThatEndsEarly(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := newService(t)
		s.on("", marketOf(1, 17, "a"))
		must.Equal(t, s.market(0), []string{
			"market a",
			"incomplete: the market is incomplete: 1 of 17 projects were read (1 of 17)",
			"1 requests",
		})
		s = newService(t)
		s.on("page=1", marketOf(2, 17, "a", "b"))
		s.on("page=2", marketOf(2, 17))
		must.Equal(t, s.market(0), []string{
			"market a b",
			"incomplete: the market is incomplete: 2 of 17 projects were read (2 of 17)",
			"3 requests",
		})
		s = newService(t)
		s.on("", marketOf(1, 17))
		must.Equal(t, s.market(0), []string{
			"market",
			"incomplete: the market is incomplete: 0 of 17 projects were read (0 of 17)",
			"2 requests",
		})
		s = newService(t)
		s.on("", marketOf(2, 17, "a", "b"))
		must.Equal(t, s.market(0), []string{
			"market a b",
			"incomplete: the market is incomplete: 2 of 17 projects were read (2 of 17)",
			"3 requests",
		})
	})
}

func TestInventoryThatEndsEarly(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := newService(t)
		s.on("", inventoryOf(1, 17, "a"))
		must.Equal(t, s.inventory(), []string{
			"inventory a",
			"incomplete: the inventory is incomplete: 1 of 17 projects were read (1 of 17)",
			"1 requests",
		})
		s = newService(t)
		s.on("page=1", inventoryOf(2, 17, "a", "b"))
		s.on("page=2", inventoryOf(2, 17))
		must.Equal(t, s.inventory(), []string{
			"inventory a b",
			"incomplete: the inventory is incomplete: 2 of 17 projects were read (2 of 17)",
			"3 requests",
		})
		s = newService(t)
		s.on("", inventoryOf(1, 17))
		must.Equal(t, s.inventory(), []string{
			"inventory",
			"incomplete: the inventory is incomplete: 0 of 17 projects were read (0 of 17)",
			"2 requests",
		})
		s = newService(t)
		s.on("", inventoryOf(2, 17, "a", "b"))
		must.Equal(t, s.inventory(), []string{
			"inventory a b",
			"incomplete: the inventory is incomplete: 2 of 17 projects were read (2 of 17)",
			"3 requests",
		})
	})
}

func TestPageThatIsEmptyOnce(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := newService(t)
		s.on("page=1", marketOf(3, 3), numbered(3, 3))
		s.on("", numbered(3, 3))
		must.Equal(t, s.market(0), []string{"market p1 p2 p3", "4 requests"})
		s = newService(t)
		s.on("page=2", marketOf(3, 3), numbered(3, 3))
		s.on("", numbered(3, 3))
		must.Equal(t, s.market(0), []string{"market p1 p2 p3", "4 requests"})
		s = newService(t)
		s.on("page=3", marketOf(3, 3), numbered(3, 3))
		s.on("", numbered(3, 3))
		must.Equal(t, s.market(0), []string{"market p1 p2 p3", "4 requests"})
	})
}

func TestPageThatIsRepeatedOnce(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := newService(t)
		s.on("page=1", marketOf(3, 3, "p1"), numbered(3, 3))
		s.on("", numbered(3, 3))
		must.Equal(t, s.market(0), []string{"market p1 p2 p3", "3 requests"})
		s = newService(t)
		s.on("page=2", marketOf(3, 3, "p1"), numbered(3, 3))
		s.on("", numbered(3, 3))
		must.Equal(t, s.market(0), []string{"market p1 p2 p3", "4 requests"})
		s = newService(t)
		s.on("page=3", marketOf(3, 3, "p1"), numbered(3, 3))
		s.on("", numbered(3, 3))
		must.Equal(t, s.market(0), []string{"market p1 p2 p3", "4 requests"})
	})
}

func TestPageWithoutNewsAfterTheEndIsNotReadAgain(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		// It is not asked for again.
		s := newService(t)
		s.on("page=1", marketOf(2, 2, "a", "b"))
		s.on("page=2", marketOf(2, 2))
		must.Equal(t, s.market(0), []string{"market a b", "2 requests"})
		s = newService(t)
		s.on("", marketOf(2, 2, "a", "b"))
		must.Equal(t, s.market(0), []string{"market a b", "2 requests"})
	})
}

func TestPageSizeThatIsNotAccepted(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := newService(t)
		s.on("", apitest.Status(422, ""), marketOf(1, 1, "p"))
		must.Equal(t, s.market(0), []string{"market p", "2 requests"})
		must.Equal(t, s.asked(), []string{"GET /api/market?page=1&per_page=100", "GET /api/market?page=1"})
		must.Equal(t, s.market(0), []string{"market p", "1 requests"})
		must.Equal(t, s.asked(), []string{"GET /api/market?page=1"})
		clear(s.answers)
		s.on("", apitest.Status(422, ""))
		must.Equal(t, s.market(60), []string{"invalid: the service does not accept the request", "1 requests"})
	})
}

func TestHoldingsOfOneSweep(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := newService(t)
		s.on("page=1", inventoryOf(2, 4, "p2", "p3"))
		s.on("page=2", inventoryOf(2, 4, "p4", "p5"))
		must.Equal(t, s.holdings(), []string{
			"{p2 v-p2} for 500, 0 g; {p3 v-p3} for 501, 0 g; {p4 v-p4} for 500, 0 g; {p5 v-p5} for 501, 0 g",
			"2 requests",
		})
		must.Equal(t, s.asked(), []string{
			"GET /api/inventory?page=1&per_page=100&trade_type=BUY&trades_per_wallet=1&wallet_min_quantity=0",
			"GET /api/inventory?page=2&per_page=100&trade_type=BUY&trades_per_wallet=1&wallet_min_quantity=0",
		})
	})
}
