package api_test

import (
	"fmt"
	"net/http"
	"slices"
	"testing"
	"testing/synctest"
	"time"

	"tonne/api"
	"tonne/api/apitest"
	must "tonne/model/musttest"
)

func TestTenFailuresInARow(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := newService(t, retries(10))
		s.on("", slices.Repeat([]http.Handler{apitest.Status(500, "{}")}, 10)...)
		s.on("", marketOf(1, 1, "p"))
		must.Equal(t, s.page(), []string{"page p", "11 requests in a while"})
		// 0.5, 1, 2, 4, 8, 16 and four times 30 seconds at most.
		must.Hold(t, s.took <= 151500*time.Millisecond, s.took)
	})
}

func TestTryEndsInTime(t *testing.T) {
	for _, c := range []struct {
		retries int
		answer  http.Handler
		sent    string
	}{
		{retries: 0, answer: apitest.Hang(), sent: "1 requests in 10s"},
		{retries: 3, answer: apitest.Hang(), sent: "4 requests in a while"},
		{retries: 0, answer: apitest.Slow(marketPage(1, 1, 1, "p"), time.Second), sent: "1 requests in 10s"},
		{retries: 3, answer: apitest.Slow(marketPage(1, 1, 1, "p"), time.Second), sent: "4 requests in a while"},
	} {
		bubble(t, c.sent, func(t *testing.T) {
			s := newService(t, retries(c.retries))
			s.on("", c.answer)
			must.Equal(t, s.page(), []string{"timed out: the service did not answer in time", c.sent})
		})
	}
}

// abroad is a clock that is far from the local one.
const abroad = "Wed, 02 Jan 2030 03:04:05 GMT"

func TestClientWaitsAsTheServiceAsks(t *testing.T) {
	for _, c := range []struct {
		retryAfter, sent string
	}{
		{retryAfter: "1", sent: "2 requests in 1s, asked to wait [1s]"},
		{retryAfter: "60", sent: "2 requests in 1m0s, asked to wait [1m0s]"},
		{retryAfter: "99999999999999999999999", sent: "2 requests in a while"},
		{retryAfter: "-1", sent: "2 requests in a while"},
		{retryAfter: "soon", sent: "2 requests in a while"},
		{retryAfter: "", sent: "2 requests in a while"},
		{retryAfter: "1.5", sent: "2 requests in a while"},
		{retryAfter: "Wed, 02 Jan 2030 03:04:10 GMT", sent: "2 requests in 5s, asked to wait [5s]"},
		{retryAfter: "Wed, 02 Jan 2030 03:05:05 GMT", sent: "2 requests in 1m0s, asked to wait [1m0s]"},
		{retryAfter: "Wed, 02 Jan 2030 02:04:05 GMT", sent: "2 requests in a while"},
	} {
		bubble(t, c.retryAfter, func(t *testing.T) {
			s := newService(t, retries(1))
			s.on("", headed("Date", abroad, apitest.RateLimited(c.retryAfter)), marketOf(1, 1, "p"))
			must.Equal(t, s.page(), []string{"page p", c.sent})
			// Without a time that makes sense, it is a short pause.
			must.Hold(t, s.waits != nil || s.took <= 500*time.Millisecond, s.took)
		})
	}
}

func TestCommandDoesNotWaitLongerThanAMinute(t *testing.T) {
	for _, c := range []struct {
		status     int
		retryAfter string
		// wait is what the first call says. The next one fails as well, without a request.
		wait, next string
	}{
		{
			status: 429, retryAfter: "61", wait: "of 61 s (again in 1m1s, 61 s)",
			next: "of 61 s (again in 1m1s, 61 s)",
		},
		{
			status: 503, retryAfter: "61", wait: "of 61 s (again in 1m1s, 61 s)",
			next: "of 61 s (again in 1m1s, 61 s)",
		},
		{
			status: 429, retryAfter: "3600", wait: "of 3600 s (again in 1h0m0s, 3600 s)",
			next: "of 3600 s (again in 1h0m0s, 3600 s)",
		},
		{
			status: 503, retryAfter: "3600", wait: "of 3600 s (again in 1h0m0s, 3600 s)",
			next: "of 3600 s (again in 1h0m0s, 3600 s)",
		},
		{
			status: 429, retryAfter: "9223372037", wait: "of 9223372037 s (again in 2562047h47m16s, 9223372036 s)",
			next: "of 3600 s (again in 1h0m0s, 3600 s)",
		},
		{
			status: 503, retryAfter: "9223372037", wait: "of 9223372037 s (again in 2562047h47m16s, 9223372036 s)",
			next: "of 3600 s (again in 1h0m0s, 3600 s)",
		},
		{
			status: 429, retryAfter: "Wed, 02 Jan 2030 04:04:05 GMT",
			wait: "until Wed, 02 Jan 2030 04:04:05 GMT (again in 1h0m0s, 3600 s)",
			next: "of 3600 s (again in 1h0m0s, 3600 s)",
		},
		{
			status: 503, retryAfter: "Wed, 02 Jan 2030 04:04:05 GMT",
			wait: "until Wed, 02 Jan 2030 04:04:05 GMT (again in 1h0m0s, 3600 s)",
			next: "of 3600 s (again in 1h0m0s, 3600 s)",
		},
	} {
		bubble(t, fmt.Sprint(c.status, " ", c.retryAfter), func(t *testing.T) {
			s := newService(t, retries(3))
			s.on("", headed("Date", abroad, headed("Retry-After", c.retryAfter, apitest.Status(c.status, ""))))
			const limited, asks = "rate limited: the service asks for fewer requests", "; it asks for a wait "
			reason := map[int]string{429: limited, 503: "server error: the service answered 503"}[c.status]
			must.Equal(t, s.market(0), []string{reason + asks + c.wait + " (a long wait)", "1 requests"})
			must.Equal(t, s.lookUp("r1"), []string{limited + asks + c.next + " (a long wait)", "0 requests"})
		})
	}
}

func TestRefreshDoesNotWaitForAnEarlierRefusal(t *testing.T) {
	const limited = "rate limited: the service asks for fewer requests; it asks for a wait "
	synctest.Test(t, func(t *testing.T) {
		s := newService(t)
		s.on("", apitest.RateLimited("3600"), apitest.RateLimited("3600"), marketOf(1, 1, "p"))
		must.Equal(t, s.market(0), []string{
			limited + "of 3600 s (again in 1h0m0s, 3600 s) (a long wait)", "1 requests",
		})
		time.Sleep(time.Second)
		must.Equal(t, s.market(0), []string{
			limited + "of 3599 s (again in 59m59s, 3599 s) (a long wait)", "0 requests",
		})
		time.Sleep(time.Second)
		s.ctx = api.Refreshed(t.Context(), time.Now())
		must.Equal(t, s.market(0), []string{
			limited + "of 3600 s (again in 1h0m0s, 3600 s) (a long wait)", "1 requests",
		})
		time.Sleep(time.Second)
		// Refused after the refresh.
		must.Equal(t, s.market(0), []string{
			limited + "of 3599 s (again in 59m59s, 3599 s) (a long wait)", "0 requests",
		})
		time.Sleep(time.Second)
		s.ctx = api.Refreshed(t.Context(), time.Now())
		must.Equal(t, s.market(0), []string{"market p", "1 requests"})
		time.Sleep(time.Second)
		s.ctx = t.Context()
		must.Equal(t, s.market(0), []string{"market p", "1 requests"})
	})
}

func TestPollReturnsTheLimitInsteadOfWaiting(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := newService(t)
		s.on("", apitest.RateLimited("30"), marketOf(1, 1, "p"))
		must.Equal(t, s.page(), []string{
			"rate limited: the service asks for fewer requests (again in 30s, 30 s)",
			"1 requests",
		})
		time.Sleep(10 * time.Second)
		must.Equal(t, s.page(), []string{
			"rate limited: the service asks for fewer requests (again in 20s, 20 s)",
			"0 requests",
		})
		time.Sleep(20 * time.Second)
		must.Equal(t, s.page(), []string{"page p", "1 requests"})
	})
}

func TestWaitEndsWithTheCaller(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := newService(t, retries(3))
		s.on("", apitest.RateLimited("60"))
		s.patience = 3 * time.Second
		must.Equal(t, s.page(), []string{
			"timed out: the service did not answer in time",
			"1 requests in 3s, asked to wait [1m0s]",
		})
	})
}

func TestRequestedWaitIsReported(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := newService(t, retries(2))
		s.on("", apitest.RateLimited("60"), apitest.Status(502, ""), marketOf(1, 1, "p"))
		must.Equal(t, s.page(), []string{"page p", "3 requests in a while, asked to wait [1m0s]"})
	})
}

func TestKeyThatIsRefusedLater(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := newService(t, retries(3))
		s.on("", marketOf(1, 1, "p"), apitest.Status(401, "{}"))
		must.Equal(t, s.page(), []string{"page p", "1 requests"})
		must.Equal(t, s.page(), []string{"unauthorized: the service does not accept the API key", "1 requests"})
		s = newService(t, retries(3))
		s.on("", marketOf(1, 1, "p"), apitest.Status(403, "{}"))
		must.Equal(t, s.page(), []string{"page p", "1 requests"})
		must.Equal(t, s.page(), []string{
			`forbidden: the user of the API key does not hold the role "API User" (the role is API User)`,
			"1 requests",
		})
	})
}
