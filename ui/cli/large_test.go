package cli

import (
	"fmt"
	"net"
	"net/http"
	"os"
	"strconv"
	"sync"

	"tonne/api/wire"
	"tonne/model"
	must "tonne/model/musttest"
)

// The large market: 45,000 sell orders on five pages.
const (
	largeProjects = 450
	largePage     = 100
	largeBook     = 100
)

// large is the test service with a large market. It reprices an order on every request
// for the first page.
type large struct {
	service
	projects, book int
	mu             sync.Mutex
	prices         []model.PriceCents
	polls          int
	// encoded are the pages. A page is encoded again if a price on it has changed, so that the server costs
	// little of the machine.
	encoded map[int][]byte
}

func newLarge(projects, book int) *large {
	l := &large{projects: projects, book: book, prices: make([]model.PriceCents, projects*book),
		encoded: make(map[int][]byte)}
	for i := range l.prices {
		l.prices[i] = model.PriceCents(500 + i%book)
	}
	return l
}

func (l *large) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	if r.URL.Path != "/api/market" {
		l.service.ServeHTTP(w, r)
		return
	}
	page, err := strconv.Atoi(r.URL.Query().Get("page"))
	if err != nil {
		page = 1
	}
	w.Header().Set("Content-Type", "application/json")
	_, _ = w.Write(l.page(page))
}

func (l *large) page(page int) []byte {
	l.mu.Lock()
	defer l.mu.Unlock()
	if page == 1 {
		l.polls++
		changed := l.polls * 7919 % len(l.prices)
		l.prices[changed] = model.PriceCents(500 + l.polls%400)
		delete(l.encoded, changed/l.book/largePage+1)
	}
	if l.encoded[page] == nil {
		l.encoded[page] = l.encode(page)
	}
	return l.encoded[page]
}

func (l *large) encode(page int) []byte {
	e := wire.NewMarketEncoder(nil)
	for p := (page - 1) * largePage; p < min(page*largePage, l.projects); p++ {
		e.Project(fmt.Sprintf("003project%08d", p))
		e.Vintage(fmt.Sprintf("004vintage%08d", p), 2020)
		for o := p * l.book; o < (p+1)*l.book; o++ {
			e.Order(fmt.Appendf(nil, "006order%010d", o), 5_000_000, l.prices[o])
		}
	}
	return e.Finish(model.Page{PerPage: largePage, TotalPages: (l.projects + largePage - 1) / largePage,
		TotalItems: l.projects, Current: page})
}

// serveLarge prints an address and serves the large market there until it is killed.
func serveLarge(projects, book string) int {
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	fmt.Println("listening on http://" + listener.Addr().String())
	fmt.Fprintln(os.Stderr, http.Serve(listener, newLarge(must.Get(strconv.Atoi(projects)), must.Get(strconv.Atoi(book)))))
	return 1
}
