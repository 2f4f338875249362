package apitest

import (
	"encoding/json"
	"fmt"
	"io"
	"maps"
	"math/rand/v2"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"
)

// Order is a sell order of a Market.
type Order struct {
	ID, VintageID string
	Tonnes        int64
	// Price is in cents per tonne.
	Price int
}

// Market is a marketplace over HTTP with correct accounts, even if its responses are faulty:
// an external id has one body and takes effect at most once, and an order sells its quantity
// at its price. NewMarket returns one.
type Market struct {
	Project string
	// Orders are the orders for sale. They must not be changed during a request.
	Orders []Order
	// Held is the balance of the wallet of the first vintage, in grams.
	Held int64
	// Endless reports that orders are never used up.
	Endless bool
	// Answer, if not nil, answers the n-th retirement call, unless it returns nil. commit
	// executes the call.
	Answer func(n int, commit func()) http.Handler
	// Rand makes the market unreliable: prices move, and calls are lost, rejected, or
	// executed and answered with a fault. If nil, the market is reliable.
	Rand *rand.Rand
	// Late is how long after its response an unreliable market may still execute a call,
	// also after other calls. 0 means never.
	Late time.Duration

	t     testing.TB
	turn  sync.Mutex
	calm  bool
	stock []Order
	posts int
	calls map[string]*marketCall
}

type marketCall struct {
	Order string      `json:"sell_order_id"`
	Price json.Number `json:"expected_price_cents"`
	Grams json.Number `json:"quantity_grams"`
	body  string
	// carried reports that the call took effect. due is when it will take effect, or zero.
	carried bool
	due     time.Time
}

// NewMarket returns a market of orders.
func NewMarket(t testing.TB, orders ...Order) *Market {
	return &Market{Project: "003a", Orders: orders, t: t, stock: slices.Clone(orders), calls: make(map[string]*marketCall)}
}

// Guarded returns a source of random numbers for concurrent use.
func Guarded(seed uint64) *rand.Rand { return rand.New(&guarded{Source: rand.NewPCG(seed, 7)}) }

type guarded struct {
	sync.Mutex
	rand.Source
}

// Uint64 returns the next number.
func (g *guarded) Uint64() uint64 {
	g.Lock()
	defer g.Unlock()
	return g.Source.Uint64()
}

// Calm makes the market reliable.
func (m *Market) Calm() {
	m.turn.Lock()
	defer m.turn.Unlock()
	m.calm = true
}

// Restock restores the orders of NewMarket.
func (m *Market) Restock() { m.Orders = slices.Clone(m.stock) }

// Posts returns the number of retirement calls received.
func (m *Market) Posts() int {
	m.turn.Lock()
	defer m.turn.Unlock()
	return m.posts
}

// Carried returns the grams retired by each call that took effect.
func (m *Market) Carried() map[string]int64 {
	m.turn.Lock()
	defer m.turn.Unlock()
	m.catchUp()
	carried := make(map[string]int64)
	for id, c := range m.calls {
		if c.carried {
			carried[id], _ = c.Grams.Int64()
		}
	}
	return carried
}

// Retired returns the grams retired by all calls.
func (m *Market) Retired() (sum int64) {
	for grams := range maps.Values(m.Carried()) {
		sum += grams
	}
	return sum
}

// Pending reports whether a call will still take effect.
func (m *Market) Pending(id string) bool {
	m.turn.Lock()
	defer m.turn.Unlock()
	return m.calls[id] != nil && !m.calls[id].due.IsZero()
}

// Body returns the body of a call, or "" if it was not received.
func (m *Market) Body(id string) string {
	m.turn.Lock()
	defer m.turn.Unlock()
	if m.calls[id] == nil {
		return ""
	}
	return m.calls[id].body
}

// ServeHTTP serves the market, the inventory and retirement calls.
func (m *Market) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	const pages = `"pagination":{"per_page":20,"total_pages":1,"total_items":1,"current_page":1,` +
		`"previous_page":null,"next_page":null}}`
	switch {
	case strings.HasSuffix(r.URL.Path, "/api/market"):
		JSON(fmt.Sprintf(`{"projects":[{"project_id":"%s","vintages":[%s]}],`, m.Project, m.listed())+pages).ServeHTTP(w, r)
	case strings.HasSuffix(r.URL.Path, "/api/inventory"):
		JSON(fmt.Sprintf(`{"projects":[{"project_id":"%s","vintages":[{"vintage_id":"%s",`+
			`"wallets":[{"type":"CAAS","quantity_grams":"%d","trades":[]}]}]}],`,
			m.Project, m.Orders[0].VintageID, m.Held)+pages).ServeHTTP(w, r)
	default:
		m.retire(r).ServeHTTP(w, r)
	}
}

func (m *Market) listed() string {
	m.turn.Lock()
	defer m.turn.Unlock()
	if m.unreliable() {
		m.movePrice(4)
	}
	var vintages, ids []string
	for _, of := range m.Orders {
		if slices.Contains(ids, of.VintageID) {
			continue
		}
		ids = append(ids, of.VintageID)
		var orders []string
		for _, o := range m.Orders {
			if o.VintageID == of.VintageID && o.Tonnes > 0 {
				orders = append(orders,
					fmt.Sprintf(`{"sell_order_id":"%s","quantity_grams":"%d","price_cents":"%d"}`, o.ID, o.Tonnes*1_000_000, o.Price))
			}
		}
		vintages = append(vintages,
			fmt.Sprintf(`{"vintage_id":"%s","vintage_year":2019,"sell_orders":[%s]}`, of.VintageID, strings.Join(orders, ",")))
	}
	return strings.Join(vintages, ",")
}

// movePrice changes the price of the first order in one of oneIn calls, and otherwise restores it.
func (m *Market) movePrice(oneIn int) {
	if m.Rand == nil {
		return
	}
	m.Orders[0].Price = m.stock[0].Price
	if m.Rand.IntN(oneIn) == 0 {
		m.Orders[0].Price += 1 + m.Rand.IntN(2)
	}
}

func (m *Market) unreliable() bool { return m.Rand != nil && !m.calm }

func (m *Market) retire(r *http.Request) http.Handler {
	body, _ := io.ReadAll(r.Body)
	m.turn.Lock()
	defer m.turn.Unlock()
	m.posts++
	m.catchUp()
	named := struct {
		ID string `json:"external_id"`
		marketCall
	}{}
	if err := json.Unmarshal(body, &named); err != nil {
		m.t.Errorf("%s: %v", body, err)
	}
	c := m.calls[named.ID]
	if c == nil {
		c = &named.marketCall
		c.body, m.calls[named.ID] = string(body), c
	}
	if c.body != string(body) {
		m.t.Errorf("%s was sent with two bodies:\n%s\n%s", named.ID, c.body, body)
	}
	if m.Answer != nil {
		if instead := m.Answer(m.posts, func() { m.commit(named.ID) }); instead != nil {
			return instead
		}
	}
	if m.unreliable() {
		return m.answer(named.ID)
	}
	return m.commit(named.ID)
}

// answer answers a call with a random failure of the network, a proxy or the service.
func (m *Market) answer(id string) http.Handler {
	oneIn := 4
	if !m.calls[id].due.IsZero() {
		// A call that is being carried out has taken the order from its own replay.
		oneIn = 2
	}
	m.movePrice(oneIn)
	switch m.Rand.IntN(10) {
	case 0, 1:
		m.commit(id)
		return m.fault()
	case 2:
		return m.fault()
	case 3, 4:
		if m.Late > 0 {
			m.calls[id].due = time.Now().Add(time.Duration(m.Rand.Int64N(int64(m.Late + 1))))
		}
		return m.fault()
	case 5:
		return Status([]int{401, 403, 429, 307}[m.Rand.IntN(4)], `{}`)
	}
	return m.commit(id)
}

func (m *Market) fault() http.Handler {
	faults := []http.Handler{
		Reset(), Hang(), HTML(), Status(500, `{"statusCode":500,"message":"Internal server error"}`), Status(504, `{}`),
		Status(404, "a proxy"),
		CutOff(`{"retirement_request_id":"00m","external_id_already_processed":false}`), JSON(`{}`), Status(422, `{}`),
		Refusal("CALL_UNDER_WAY"),
	}
	return faults[m.Rand.IntN(len(faults))]
}

// catchUp executes the calls that are due.
func (m *Market) catchUp() {
	for _, id := range slices.Sorted(maps.Keys(m.calls)) {
		if due := m.calls[id].due; !due.IsZero() && !due.After(time.Now()) {
			m.movePrice(4)
			m.commit(id)
			m.calls[id].due = time.Time{}
		}
	}
}

// commit executes a call, unless it has taken effect before, and answers it.
func (m *Market) commit(id string) http.Handler {
	c, replayed := m.calls[id], m.calls[id].carried
	if at := slices.IndexFunc(m.Orders, func(o Order) bool { return o.ID == c.Order }); !replayed && at >= 0 {
		grams, _ := c.Grams.Int64()
		o := &m.Orders[at]
		switch tonnes := grams / 1_000_000; {
		case !m.Endless && o.Tonnes < tonnes:
			return Refusal("SELL_ORDER_SUPPLY_TOO_LOW")
		case c.Price.String() != strconv.Itoa(o.Price):
			return Refusal("PRICE_SUPPLIED_DIFF_CURRENT_PRICE")
		case !m.Endless:
			o.Tonnes -= tonnes
		}
	}
	c.carried = true
	return JSON(fmt.Sprintf(`{"retirement_request_id":"00m%s","external_id_already_processed":%t}`, id, replayed))
}

// Refusal answers a call with the code of a refusal.
func Refusal(code string) http.Handler {
	return Status(http.StatusUnprocessableEntity, fmt.Sprintf(`{"statusCode":422,"error":%q,"message":"no"}`, code))
}
