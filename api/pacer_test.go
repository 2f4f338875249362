package api_test

import (
	"context"
	"fmt"
	"io"
	"math"
	"net/http"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"golang.org/x/time/rate"

	"tonne/api"
	"tonne/api/apitest"
	"tonne/api/worker"
	"tonne/model/longtest"
	must "tonne/model/musttest"
)

// limit is how a service limits its callers.
type limit interface {
	// take counts a request that is made a while after the start. Where it is
	// one too many it returns how long to wait.
	take(at time.Duration) time.Duration
}

// bucket accumulates a burst while there are no requests.
type bucket struct{ *rate.Limiter }

func newBucket(perSecond, burst float64) bucket {
	return bucket{rate.NewLimiter(rate.Limit(perSecond), int(burst))}
}

func (b bucket) take(at time.Duration) time.Duration {
	now := time.Unix(0, 0).Add(at)
	turn := b.ReserveN(now, 1)
	wait := turn.DelayFrom(now)
	if wait > 0 {
		turn.CancelAt(now)
	}
	return wait
}

// windows let so many requests through in each window. The first one has been
// open for a while.
type windows struct {
	size   int
	every  time.Duration
	open   time.Duration
	window int
	count  int
}

func (w *windows) take(at time.Duration) time.Duration {
	at += w.open
	if now := int(at / w.every); now != w.window {
		w.window, w.count = now, 0
	}
	if w.count == w.size {
		return w.every - at%w.every
	}
	w.count++
	return 0
}

// limited is a service that looks up retirement requests within a limit.
type limited struct {
	limit   limit
	latency time.Duration
	// tells says that a refusal comes with the seconds to wait. queues says
	// that none is refused: each request waits for its turn, as one would of a
	// caller that knows the limit.
	tells, queues bool

	start   time.Time
	mu      sync.Mutex
	refused int
	// most is how many were refused within one latency.
	most, row int
	rowAt     time.Time
}

func (l *limited) RoundTrip(r *http.Request) (*http.Response, error) {
	time.Sleep(l.latency / 2)
	wait := l.judge(time.Now())
	for ; wait > 0 && l.queues; wait = l.judge(time.Now()) {
		time.Sleep(wait)
	}
	time.Sleep(l.latency / 2)
	header := make(http.Header)
	if wait > 0 {
		if l.tells {
			header.Set("Retry-After", strconv.Itoa(int(math.Ceil(wait.Seconds()))))
		}
		return &http.Response{StatusCode: http.StatusTooManyRequests, Header: header, Body: http.NoBody}, nil
	}
	body := strings.Replace(retirement, `"r1"`, strconv.Quote(r.URL.Query().Get("id")), 1)
	if strings.HasSuffix(r.URL.Path, ".pdf") {
		body = pdf
	}
	return &http.Response{StatusCode: http.StatusOK, Header: header, Body: io.NopCloser(strings.NewReader(body))}, nil
}

func (l *limited) judge(now time.Time) time.Duration {
	l.mu.Lock()
	defer l.mu.Unlock()
	wait := l.limit.take(now.Sub(l.start))
	if wait == 0 {
		return 0
	}
	if l.refused++; now.Sub(l.rowAt) > l.latency {
		l.row, l.rowAt = 0, now
	}
	l.row++
	l.most = max(l.most, l.row)
	return wait
}

// lookUpAll looks up n requests, eight at once, and returns how long that took
// and how many failed.
func lookUpAll(t *testing.T, c *api.Client, n int) (took time.Duration, failed int) {
	t.Helper()
	started := time.Now()
	l := lookUpFor(t, c, "", int64(n), 8)
	l.all.Wait()
	return time.Since(started), int(l.failed.Load())
}

func (l *limited) client(t *testing.T, change ...func(*api.Options)) *api.Client {
	l.start = time.Now()
	return newClient(t, nil, append(change, retries(4), func(o *api.Options) { o.Transport = l })...)
}

func TestLookUpsKeepTheServicesPace(t *testing.T) {
	t.Parallel()
	speeds := []int{10, 100}
	if longtest.Factor() > 0 {
		speeds = append(speeds, 1000)
	}
	for _, perSecond := range speeds {
		second := float64(perSecond)
		for name, of := range map[string]func() limit{
			"a second gathers":   func() limit { return newBucket(second, second) },
			"two seconds gather": func() limit { return newBucket(second, 2*second) },
			"ten seconds gather": func() limit { return newBucket(second, 10*second) },
			"almost none gather": func() limit { return newBucket(second, max(second/10, 1)) },
			"windows of a second": func() limit {
				return &windows{size: perSecond, every: time.Second, open: 300 * time.Millisecond}
			},
			"windows of ten": func() limit {
				return &windows{size: 10 * perSecond, every: 10 * time.Second, open: 3 * time.Second}
			},
			"windows of a minute": func() limit {
				return &windows{size: 60 * perSecond, every: time.Minute, open: 20 * time.Second}
			},
		} {
			for _, tells := range []bool{true, false} {
				most := 1.2
				switch {
				case name == "almost none gather" && perSecond == 1000:
					continue
				case name == "almost none gather":
					// Each refusal costs a second. The pace is found all the same.
					most = 2
				case name == "windows of a second" && perSecond == 1000:
					// After a second, one comes too late for the next window.
					most = 1.5
				}
				t.Run(fmt.Sprintf("%d a second, %s, tells %v", perSecond, name, tells), func(t *testing.T) {
					t.Parallel()
					keepsPace(t, of, tells, perSecond, most)
				})
			}
		}
	}
}

// keepsPace looks up requests three times and checks that none fails, that it takes no longer
// than a part of the ideal time, and how many the service refuses on average: the pauses
// between retries are random.
func keepsPace(t *testing.T, of func() limit, tells bool, perSecond int, most float64) {
	synctest.Test(t, func(t *testing.T) {
		const rounds = 3
		n, refused := min(max(20*perSecond, 1000), 5000), 0
		for range rounds {
			service := &limited{limit: of(), latency: 2 * time.Millisecond, tells: tells}
			took, failed := lookUpAll(t, service.client(t), n)
			known := &limited{limit: of(), latency: service.latency, queues: true}
			ideal, _ := lookUpAll(t, known.client(t, func(o *api.Options) { o.Timeout = time.Hour }), n)
			ratio := float64(took) / float64(ideal)
			t.Logf("%d in %v, %.2f of the ideal; %d refused, %d at once", n, took, ratio, service.refused, service.most)
			must.Hold(t, failed <= 0 && ratio <= most && service.most <= 8, failed, took, ratio, service.most)
			refused += service.refused
		}
		must.Hold(t, refused <= rounds*n/8, refused, n)
	})
}

func TestIdleClientKeepsThePaceAtItsFirstRefusal(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		service := &limited{limit: newBucket(100, 100), latency: 2 * time.Millisecond, tells: true}
		c := service.client(t)
		for range 100 {
			lookUpAll(t, c, 1)
			time.Sleep(5 * time.Second)
		}
		took, failed := lookUpAll(t, c, 1000)
		must.Hold(t, failed <= 0 && took <= 12*time.Second, failed, took)
	})
}

func TestAListingThatIsRefusedHalfwayIsReadToItsEnd(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		var refused sync.Map
		c := newClient(t, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			page := r.URL.Query().Get("page")
			if _, before := refused.LoadOrStore(page, true); !before && page != "1" {
				apitest.RateLimited("3").ServeHTTP(w, r)
				return
			}
			pages(func(page int) string { return marketPage(page, 20, 20, "p"+strconv.Itoa(page)) }).ServeHTTP(w, r)
		}))
		must.Equal(t, len(projectIDs(t, c)), 20)
	})
}

func TestALookUpGivesUpWhereEverythingIsRefused(t *testing.T) {
	t.Parallel()
	for _, header := range []string{"", "1", "60"} {
		synctest.Test(t, func(t *testing.T) {
			var requests atomic.Int64
			c := newClient(t, counted(apitest.RateLimited(header), &requests), retries(4))
			started := time.Now()
			_, failed := lookUpAll(t, c, 20)
			// One after the other is refused at once when the first was for two
			// minutes.
			took := time.Since(started)
			must.Hold(t, failed == 20 && took >= 2*time.Minute && took <= 25*time.Minute && requests.Load() <= 200,
				header, failed, took, requests.Load())
		})
	}
}

// lookUps are the look-ups of one person.
type lookUps struct {
	left, answered, failed atomic.Int64
	all                    sync.WaitGroup
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
					l.failed.Add(1)
				} else {
					l.answered.Add(1)
				}
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
					ben := lookUpFor(t, c, "ben", 1, 1)
					ben.all.Wait()
					must.Equal(t, ben.failed.Load(), 0)
					between := many.answered.Load()
					// What else the person asks for does not wait for all of them either: here
					// it is answered with something else.
					_, _, err := c.MarketPage(api.OnBehalfOf(t.Context(), "ada"), api.MarketQuery{})
					must.Hold(t, api.KindOf(err) == api.NotTheAPI, err)
					one, other := between-before, many.answered.Load()-between
					must.Hold(t, max(one, other) <= 24, one, other)
				}
				answered, left := many.answered.Load(), many.left.Swap(0)
				many.all.Wait()
				must.Hold(t, answered >= 100 && left > 0 && service.most <= 8 && many.failed.Load() == 0, answered, service.most,
					many.failed.Load())
			})
		})
	}
}

// TestCertificatesKeepTheirHostsPace fetches 500 certificates from a host with the limits of our
// own service, each after its request, as for a pack.
func TestCertificatesKeepTheirHostsPace(t *testing.T) {
	t.Parallel()
	const n, perSecond, burst = 500, 10, 50
	for name, of := range map[string]struct {
		tells bool
		burst int
	}{
		"with Retry-After": {true, burst}, "without": {false, burst},
		// An earlier command has used the burst.
		"after another": {true, 0},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				bucket := newBucket(perSecond, burst)
				bucket.ReserveN(time.Unix(0, 0), burst-of.burst)
				host := &limited{limit: bucket, latency: 20 * time.Millisecond, tells: of.tells, start: time.Now()}
				service := &limited{limit: newBucket(100, 200), latency: 20 * time.Millisecond, tells: true}
				c := service.client(t, func(o *api.Options) { o.Outside = host })
				started := time.Now()
				var failed atomic.Int64
				worker.Each(t.Context(), 8, n, func(i int) {
					id := fmt.Sprint("r", i)
					_, err := c.Retirement(t.Context(), id)
					if err == nil {
						_, err = c.Certificate(t.Context(), "https://host.example/"+id+".pdf", "", id, nil)
					}
					if err != nil {
						failed.Add(1)
					}
				})
				took, ideal := time.Since(started), time.Duration(n-of.burst)*time.Second/perSecond
				must.Hold(t, failed.Load() == 0 && took.Seconds() <= 1.1*ideal.Seconds() && host.refused <= n/5, failed.Load(),
					took, host.refused)
			})
		})
	}
}

func TestCertificateIsRepeatedAfterTemporaryFailures(t *testing.T) {
	t.Parallel()
	for name, tt := range map[string]struct {
		statuses []int
		kind     api.Kind
		tries    int32
	}{
		"too many requests":   {[]int{429, 429, 429, 429, 429, 429, 429}, 0, 8},
		"a server that fails": {[]int{500, 503, 502}, 0, 4},
		"one that stays so":   {[]int{500, 500, 500, 500, 500, 500}, api.ServerError, 5},
		"not found":           {[]int{404}, api.NotTheAPI, 1},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				var tries atomic.Int32
				host := apitest.Transport(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
					if n := int(tries.Add(1)); n <= len(tt.statuses) {
						w.WriteHeader(tt.statuses[n-1])
					}
					_, _ = io.WriteString(w, pdf)
				}))
				c := newClient(t, nil, retries(4), func(o *api.Options) { o.Outside = host })
				_, err := c.Certificate(t.Context(), "https://host.example/a.pdf", "", "a", nil)
				must.Hold(t, api.KindOf(err) == tt.kind && tries.Load() == tt.tries, err, tries.Load())
			})
		})
	}
}

// TestHostsOfCertificatesAreIndependent: a wait that one host demands delays neither another host
// nor the service.
func TestHostsOfCertificatesAreIndependent(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		host := apitest.Transport(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			if strings.HasPrefix(r.Host, "slow") {
				w.Header().Set("Retry-After", "50")
				w.WriteHeader(http.StatusTooManyRequests)
			}
			_, _ = io.WriteString(w, pdf)
		}))
		service := &limited{limit: newBucket(100, 200), tells: true}
		c := service.client(t, func(o *api.Options) { o.Outside = host })
		ctx, cancel := context.WithCancel(t.Context())
		ended := make(chan error)
		go func() { ended <- must.Err(c.Certificate(ctx, "https://slow.example/a.pdf", "", "a", nil)) }()
		synctest.Wait()
		started := time.Now()
		must.Succeed(t, must.Err(c.Certificate(t.Context(), "https://fast.example/a.pdf", "", "a", nil)))
		must.Succeed(t, must.Err(c.Retirement(t.Context(), "r1")))
		must.Equal(t, time.Since(started), 0)
		cancel()
		must.Equal(t, api.KindOf(<-ended), api.Cancelled)
	})
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
		_, _, err := c.MarketPage(t.Context(), api.MarketQuery{})
		must.Hold(t, err == nil, err)
	})
}
