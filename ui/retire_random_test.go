package ui

import (
	"context"
	"math/rand/v2"
	"net/http"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"tonne/api"
	"tonne/api/apitest"
	"tonne/api/retire"
	"tonne/api/wire"
	"tonne/model"
	"tonne/model/longtest"
	"tonne/model/retirement"
)

// newUnreliableMarket returns an unreliable marketplace.
func newUnreliableMarket(t testing.TB, seed uint64) *apitest.Market {
	m := apitest.NewMarket(t, apitest.Order{ID: "006a", VintageID: "004bale0", Tonnes: 3, Price: 600}, apitest.Order{ID: "006b", VintageID: "004bale0", Tonnes: 4, Price: 700})
	m.Project, m.Held, m.Endless, m.Rand = "003bale", 874_900, true, apitest.Guarded(seed)
	return m
}

// crashingClient is a client whose program sometimes crashes before it sends or before it reads the
// response.
type crashingClient struct {
	*api.Client
	m *apitest.Market
}

func (c crashingClient) RequestRetirement(ctx context.Context, body []byte) (wire.RetireAccepted, error) {
	if c.m.Unreliable() && c.m.Rand.IntN(12) == 0 {
		runtime.Goexit()
	}
	answer, err := c.Client.RequestRetirement(ctx, body)
	if c.m.Unreliable() && c.m.Rand.IntN(12) == 0 {
		runtime.Goexit()
	}
	return answer, err
}

// deskUser is a user of a dashboard that crashes and is restarted.
type deskUser struct {
	*robot
	m      *apitest.Market
	path   string
	client *api.Client
	flow   *retire.Workflow
	// requested is the quantity that the user requested last, in grams.
	requested model.Grams
}

var deskAccount = retire.Account{Origin: "https://market.example", Profile: "desk"}

func newDeskUser(t *testing.T, m *apitest.Market) *deskUser {
	client, err := api.New(api.Options{BaseURL: "https://market.example", Key: "k", Transport: apitest.Transport(m), MayRetire: true, Timeout: 10 * time.Second})
	if err != nil {
		t.Fatal(err)
	}
	d := &deskUser{m: m, path: filepath.Join(t.TempDir(), "journal.db"), client: client}
	t.Cleanup(func() {
		_ = d.flow.Close(time.Minute)
		client.Close()
	})
	d.start(t)
	return d
}

// start starts a dashboard with the existing journal.
func (d *deskUser) start(t *testing.T) {
	d.flow = &retire.Workflow{Path: d.path, Account: deskAccount, Client: crashingClient{d.client, d.m}, By: "ann", Now: time.Now}
	if err := d.flow.Open(t.Context()); err != nil {
		t.Fatal(err)
	}
	d.robot = newRobotWith(t, 120, 36, func(o *Options) { o.Retire, o.Now = d.flow, time.Now })
	d.run(d.app.Init())
	d.settle()
}

// does runs an action of the user and restarts the program if it crashes.
func (d *deskUser) does(t *testing.T, something func()) {
	died, ended := true, make(chan struct{})
	go func() {
		defer close(ended)
		something()
		died = false
	}()
	<-ended
	if died {
		if err := d.flow.Close(time.Minute); err != nil {
			t.Fatal(err)
		}
		d.start(t)
	}
}

// hand presses keys at the speed of a person.
func (d *deskUser) hand(keys ...string) {
	for _, key := range keys {
		time.Sleep(100 * time.Millisecond)
		d.press(key)
	}
}

// confirms types the quantity and presses ↵ once or several times.
func (d *deskUser) confirms(quantity string) {
	time.Sleep(time.Second)
	d.hand(strings.Split(quantity, "")...)
	d.hand(slices.Repeat([]string{"enter"}, 1+d.m.Rand.IntN(3))...)
}

// retires retires once or several times.
func (d *deskUser) retires() {
	quantity := one(&chance{Rand: d.m.Rand}, "0.5", "2", "2.5", "5.5", "7.5", "20")
	d.requested, _ = model.ParseTonnes(quantity)
	d.hand("esc", "esc", "R")
	d.hand(strings.Split(quantity, "")...)
	d.hand("enter", "enter")
	if d.m.Rand.IntN(3) == 0 {
		d.hand("f", string(rune('a'+d.m.Rand.IntN(26))))
	}
	d.hand("enter")
	// The user must type the remaining quantity of the reference.
	time.Sleep(time.Second)
	if at := strings.Index(d.Text(), "type "); at >= 0 {
		quantity, _, _ = strings.Cut(d.Text()[at+len("type "):], " to ")
	}
	d.confirms(quantity)
	for range d.m.Rand.IntN(4) {
		time.Sleep(time.Second)
		d.hand("enter")
		if at := strings.Index(d.Text(), "type "); at >= 0 {
			again, _, _ := strings.Cut(d.Text()[at+len("type "):], " to ")
			d.confirms(again)
		}
	}
	d.hand("esc")
}

// settles goes through the unresolved calls.
func (d *deskUser) settles(key string) {
	d.hand("esc", "esc", "U")
	time.Sleep(time.Second)
	d.hand(key)
	if at := strings.Index(d.Text(), "type "); at >= 0 {
		quantity, _, _ := strings.Cut(d.Text()[at+len("type "):], " to ")
		d.confirms(quantity)
	}
	d.hand("esc", "esc")
}

// asks records the outcome of abandoned calls as reported by the operator of the service, like
// `tonne retire abandon`. Until then nothing is sent instead of them.
func (d *deskUser) asks(t *testing.T) {
	t.Helper()
	calls, err := d.flow.Unsettled(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range calls {
		if c.Open() {
			continue
		}
		request := ""
		if _, carried := d.m.Carried()[c.ExternalID]; carried {
			request = "00m" + c.ExternalID
		}
		if _, err := d.flow.Settle(t.Context(), c.ExternalID, request); err != nil {
			t.Fatal(err)
		}
	}
}

// check compares the journal with the records of the marketplace.
func (d *deskUser) check(t *testing.T) (open int) {
	t.Helper()
	all, err := d.flow.Calls(t.Context(), retire.OfAccount)
	if err != nil {
		t.Fatal(err)
	}
	known, carried := make(map[string]bool), d.m.Carried()
	served := make(map[string]model.Grams)
	for _, c := range all {
		known[c.ExternalID] = true
		reference := c.Reference + " " + c.Request
		served[reference] += model.Grams(carried[c.ExternalID])
		if whole, _ := retire.RequestQuantity(c.Request); c.Reference != "" && served[reference] > whole {
			t.Fatalf("%d g of %s are retired", served[reference], reference)
		}
		if c.Open() {
			open++
		}
		_, had := carried[c.ExternalID]
		body := d.m.Body(c.ExternalID)
		if c.State == retire.Done && !had || had && (c.State == retire.Refused || c.State == retire.Prepared || c.State == retire.Sent && !c.Unsure) ||
			string(c.Body) != body && body != "" || had && carried[c.ExternalID] != int64(c.Plan.Quantity) {
			t.Fatalf("%s is %s (unsure %t), but its effect is %t", c.ExternalID, c.State, c.Unsure, had)
		}
	}
	for id := range carried {
		if !known[id] {
			t.Fatalf("%s took effect and is not in the journal", id)
		}
	}
	return open
}

// With any failure of the service, the network or the dashboard, the service has each call at
// most once, and the journal has its outcome. The test presses the keys of a user.
func TestDashboardRetiresEachCallAtMostOnce(t *testing.T) {
	t.Parallel()
	seed := rand.Uint64()
	synctest.Test(t, func(t *testing.T) {
		t.Logf("seed %d", seed)
		m := newUnreliableMarket(t, seed)
		d := newDeskUser(t, m)
		runs := longtest.Runs(20, 150)
		for range runs {
			before := m.Retired()
			d.does(t, d.retires)
			if more := m.Retired() - before; more > int64(d.requested) {
				t.Fatalf("%d g retired, %d g requested", more, d.requested)
			}
			d.check(t)
			if m.Rand.IntN(3) == 0 {
				d.does(t, func() { d.settles(one(&chance{Rand: m.Rand}, "enter", "enter", "enter", "x")) })
				d.check(t)
			}
			if m.Rand.IntN(20) == 0 {
				d.asks(t)
				d.check(t)
			}
		}
		m.Calm()
		for range 500 {
			if d.check(t) == 0 {
				break
			}
			d.does(t, func() { d.settles("enter") })
		}
		if open := d.check(t); open > 0 {
			t.Errorf("%d calls are unresolved although the service responds:\n%s", open, d.Text())
		}
		if len(m.Carried()) < runs/10 {
			t.Errorf("only %d calls took effect: the test covers too little", len(m.Carried()))
		}
	})
}

func TestTwoDashboardsOnOneJournalSendACallOnce(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		m := newUnreliableMarket(t, 1)
		m.Calm()
		var posts atomic.Int64
		counted := http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			if r.Method == http.MethodPost {
				posts.Add(1)
				time.Sleep(time.Second)
			}
			m.ServeHTTP(w, r)
		})
		client, err := api.New(api.Options{BaseURL: "https://market.example", Key: "k", Transport: apitest.Transport(counted), MayRetire: true})
		if err != nil {
			t.Fatal(err)
		}
		defer client.Close()
		path := filepath.Join(t.TempDir(), "journal.db")
		var people []*robot
		for n := range 2 {
			flow := &retire.Workflow{Path: path, Account: deskAccount, Client: client, Now: time.Now}
			defer func() { _ = flow.Close(time.Second) }()
			if n == 0 {
				prepareUnsent(t, flow)
			}
			r := newRobotWith(t, 120, 36, func(o *Options) { o.Retire, o.Now = flow, time.Now })
			r.run(r.app.Init())
			r.settle()
			people = append(people, r)
		}
		ended := make(chan struct{})
		for _, r := range people {
			go func() {
				for _, key := range []string{"enter", "2", "enter", "enter"} {
					time.Sleep(time.Second)
					r.press(key)
				}
				ended <- struct{}{}
			}()
		}
		<-ended
		<-ended
		if posts.Load() != 1 || m.Carried()["tonne-left"] != 2_000_000 {
			t.Errorf("sent %d times:\n%s\n%s", posts.Load(), people[0].Text(), people[1].Text())
		}
	})
}

func prepareUnsent(t *testing.T, w *retire.Workflow) {
	t.Helper()
	plan := retirement.Call{VintageID: "004bale0", Quantity: 2_000_000, FromInventory: 0, BuyTonnes: 2, SellOrderID: "006a", Price: 600, Cost: 1200}
	call := retire.Call{ExternalID: "tonne-left", Plan: plan, Body: wire.AppendRetireCall(nil, "tonne-left", plan)}
	if err := w.Confirm(t.Context(), retire.Confirmed{Calls: []retire.Call{call}, Known: -1}); err != nil {
		t.Fatal(err)
	}
}
