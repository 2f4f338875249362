package api_test

import (
	"testing"
	"testing/synctest"

	"tonne/api/apitest"
	must "tonne/model/musttest"
)

func TestMarketThatDidNotChangeIsConfirmed(t *testing.T) {
	for _, c := range []struct {
		name           string
		tags, versions bool
		again, sent    string
	}{
		{
			name: "by its version", tags: true, versions: true, again: "market a b c d e f as before",
			sent: "1 requests, 0 pages are sent and 1 unchanged, 1 with a tag",
		},
		{
			name: "page by page", tags: true, again: "market a b c d e f as before",
			sent: "3 requests, 0 pages are sent and 3 unchanged, 3 with a tag",
		},
		{
			name: "by the version alone", versions: true, again: "market a b c d e f as before",
			sent: "1 requests, 1 pages are sent and 0 unchanged, 0 with a tag",
		},
		{
			name: "not at all", again: "market a b c d e f",
			sent: "3 requests, 3 pages are sent and 0 unchanged, 0 with a tag",
		},
	} {
		bubble(t, c.name, func(t *testing.T) {
			s := newService(t)
			s.listing.Offer(c.tags, c.versions)
			s.listing.Set(listed(6, "a b", "c d", "e f")...)
			must.Equal(t, s.market(0), []string{
				"market a b c d e f", "3 requests, 3 pages are sent and 0 unchanged, 0 with a tag",
			})
			for range 2 {
				must.Equal(t, s.market(0), []string{c.again, c.sent})
			}
		})
	}
}

func TestNotModifiedWithoutACondition(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := newService(t)
		s.on("", apitest.Status(304, ""))
		must.Equal(t, s.market(0), []string{
			"not the API: the service answered 304 to a request without a condition",
			"1 requests",
		})
	})
}

func TestNotModifiedForAnotherTag(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := newService(t)
		s.on("", headed("ETag", `"a"`, marketOf(1, 1, "p")), headed("ETag", `"b"`, apitest.Status(304, "")))
		must.Equal(t, s.market(0), []string{"market p", "1 requests"})
		must.Equal(t, s.market(0), []string{
			"not the API: the service answered 304 for another tag than it was asked with",
			"1 requests",
		})
	})
}

func TestWeakTag(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		// A proxy that compresses makes a tag weak. It still names the answer.
		s := newService(t)
		s.on("", headed("ETag", `W/"a"`, marketOf(1, 1, "p")), headed("ETag", `"a"`, apitest.Status(304, "")))
		must.Equal(t, s.market(0), []string{"market p", "1 requests"})
		must.Equal(t, s.asked(), []string{"GET /api/market?page=1&per_page=100"})
		must.Equal(t, s.market(0), []string{"market p as before", "1 requests"})
		must.Equal(t, s.asked(), []string{`GET /api/market?page=1&per_page=100 unless it is W/"a"`})
	})
}

func TestOnlyChangedPagesAreSentAgain(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := newService(t)
		s.listing.Offer(true, true)
		s.listing.Set(listed(6, "a b", "c d", "e f")...)
		must.Equal(t, s.market(0), []string{
			"market a b c d e f",
			"3 requests, 3 pages are sent and 0 unchanged, 0 with a tag",
		})
		s.listing.Set(listed(6, "a b", "c d", "e f=900")...)
		must.Equal(t, s.market(0), []string{
			"market a b c d e f for 900",
			"3 requests, 1 pages are sent and 2 unchanged, 3 with a tag",
		})
		s.listing.Set(listed(6, "a b", "c d", "e f=901")...)
		must.Equal(t, s.market(0), []string{
			"market a b c d e f for 901",
			"3 requests, 1 pages are sent and 2 unchanged, 3 with a tag",
		})
		s = newService(t)
		s.listing.Offer(true, false)
		s.listing.Set(listed(6, "a b", "c d", "e f")...)
		must.Equal(t, s.market(0), []string{
			"market a b c d e f",
			"3 requests, 3 pages are sent and 0 unchanged, 0 with a tag",
		})
		s.listing.Set(listed(6, "a b", "c d", "e f=900")...)
		must.Equal(t, s.market(0), []string{
			"market a b c d e f for 900",
			"3 requests, 1 pages are sent and 2 unchanged, 3 with a tag",
		})
		s.listing.Set(listed(6, "a b", "c d", "e f=901")...)
		must.Equal(t, s.market(0), []string{
			"market a b c d e f for 901",
			"3 requests, 1 pages are sent and 2 unchanged, 3 with a tag",
		})
	})
}

func TestMarketThatChangedWhileItWasRead(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := newService(t)
		s.listing.Offer(true, true)
		s.listing.Set(listed(3, "a", "b", "c")...)
		s.later = listed(3, "a", "b", "c=900")
		must.Equal(t, s.market(0), []string{
			"market a b c for 900",
			"3 requests, 3 pages are sent and 0 unchanged, 0 with a tag",
		})
		must.Equal(t, s.market(0), []string{
			"market a b c for 900 as before",
			"3 requests, 0 pages are sent and 3 unchanged, 3 with a tag",
		})
	})
}

func TestTagsAreOfOneAddress(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := newService(t)
		s.listing.Offer(true, true)
		s.listing.Set(listed(2, "a", "b")...)
		must.Equal(t, s.market(0), []string{
			"market a b",
			"2 requests, 2 pages are sent and 0 unchanged, 0 with a tag",
		})
		must.Equal(t, s.market(7), []string{
			"market a b",
			"2 requests, 2 pages are sent and 0 unchanged, 0 with a tag",
		})
		must.Equal(t, s.market(0), []string{
			"market a b",
			"2 requests, 2 pages are sent and 0 unchanged, 0 with a tag",
		})
	})
}

func TestIncompleteMarketIsNotConfirmed(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		// What was read of it is not what the next poll asks changes of.
		s := newService(t)
		s.listing.Offer(true, true)
		s.listing.Set(listed(2, "a")...)
		must.Equal(t, s.market(0), []string{
			"market a",
			"incomplete: the market is incomplete: 1 of 2 projects were read (1 of 2)",
			"1 requests, 1 pages are sent and 0 unchanged, 0 with a tag",
		})
		must.Equal(t, s.market(0), []string{
			"market a",
			"incomplete: the market is incomplete: 1 of 2 projects were read (1 of 2)",
			"1 requests, 1 pages are sent and 0 unchanged, 0 with a tag",
		})
	})
}
