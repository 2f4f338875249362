package marketplace

import (
	"cmp"
	"slices"

	"tonne/model"
	"tonne/model/retirement"
)

// book is a marketplace in its simplest form: maps and lists, no storage, no concurrency. A
// simulator compares the service with it.
type book struct {
	orders   map[string]*bookOrder
	wallets  map[holding]model.Grams
	requests []*bookRequest
	invoices map[account]*bookInvoice
	// done has the requests by tenant and external id.
	done   map[[2]string]*bookRequest
	period int
}

type holding struct{ tenant, vintage string }

// account is a tenant's month.
type account struct {
	tenant string
	period int
}

type bookOrder struct {
	vintage string
	price   model.PriceCents
	left    model.Grams
	live    bool
}

type bookInvoice struct {
	state  string
	total  model.Cents
	bought map[string]bool
}

type bookRequest struct {
	id, tenant, vintage string
	kind                retirement.Type
	status              retirement.Status
	items               []model.Grams
	period              int
	// waits are the unsettled invoices that had bought the vintage when the request closed.
	waits []*bookInvoice
}

// retirementCall is a call of POST /api/caas/request-retirement.
type retirementCall struct {
	tenant, external, vintage, order string
	grams                            model.Grams
	price                            model.PriceCents
}

func newBook() *book {
	return &book{
		orders: make(map[string]*bookOrder), wallets: make(map[holding]model.Grams),
		invoices: make(map[account]*bookInvoice), done: make(map[[2]string]*bookRequest),
	}
}

func (r *bookRequest) total() (sum model.Grams) {
	for _, grams := range r.items {
		sum += grams
	}
	return sum
}

// retire returns the request that a call goes into, or its error code.
func (b *book) retire(c retirementCall) (r *bookRequest, replayed bool, code string) {
	if r := b.done[[2]string{c.tenant, c.external}]; r != nil {
		return r, true, ""
	}
	wallet := holding{c.tenant, c.vintage}
	if tonnes := (c.grams - b.wallets[wallet]).TonnesUp(); tonnes > 0 {
		if code := b.buy(c, tonnes); code != "" {
			return nil, false, code
		}
		b.wallets[wallet] += model.Grams(tonnes * model.GramsPerTonne)
	}
	b.wallets[wallet] -= c.grams
	kind := retirement.Fractionalised
	if c.grams.IsWhole() {
		kind = retirement.Whole
	}
	r = b.request(c.tenant, c.vintage, kind)
	r.items = append(r.items, c.grams)
	b.done[[2]string{c.tenant, c.external}] = r
	if r.kind == retirement.Whole {
		b.close(r)
	}
	return r, false, ""
}

func (b *book) buy(c retirementCall, tonnes int64) (code string) {
	o, key := b.orders[c.order], account{c.tenant, b.period}
	invoice := b.invoices[key]
	switch {
	case c.order == "":
		return "MISSING_SELL_ORDER_ID"
	case o == nil:
		return "SELL_ORDER_NOT_EXISTS"
	case o.vintage != c.vintage:
		return "VINTAGE_SUPPLIED_DIFF_SELL_ORDER_VINTAGE"
	case !o.live:
		return "SELL_ORDER_NOT_LIVE"
	case o.price != c.price:
		return "PRICE_SUPPLIED_DIFF_CURRENT_PRICE"
	case o.left.Tonnes() < tonnes:
		return "SELL_ORDER_SUPPLY_TOO_LOW"
	case invoice != nil && invoice.state != "LIVE":
		return "INVOICE_NOT_LIVE"
	case invoice == nil:
		invoice = &bookInvoice{state: "LIVE", bought: make(map[string]bool)}
		b.invoices[key] = invoice
	}
	invoice.total += model.Cents(tonnes) * model.Cents(o.price)
	invoice.bought[c.vintage] = true
	o.left -= model.Grams(tonnes * model.GramsPerTonne)
	if o.left < model.GramsPerTonne {
		b.withdraw(o)
	}
	return ""
}

// offer puts an order on the market, or changes what a live order offers. The seller's wallet
// supplies it, after the missing whole tonnes were imported into it.
func (b *book) offer(id, vintage string, price model.PriceCents, grams model.Grams) {
	o := b.orders[id]
	if o == nil {
		o = &bookOrder{vintage: vintage, live: true}
		b.orders[id] = o
	}
	wallet, more := holding{sellerTenant, vintage}, grams-o.left
	if short := more - b.wallets[wallet]; short > 0 && more > 0 {
		b.wallets[wallet] += model.Grams(short.TonnesUp() * model.GramsPerTonne)
	}
	b.wallets[wallet] -= more
	o.left, o.price = grams, price
}

// withdraw ends a live order and returns what is left of it to the seller.
func (b *book) withdraw(o *bookOrder) {
	b.wallets[holding{sellerTenant, o.vintage}] += o.left
	o.left, o.live = 0, false
}

// request finds the request that collects the fractions of a vintage this month, or adds one.
func (b *book) request(tenant, vintage string, kind retirement.Type) *bookRequest {
	for _, r := range b.requests {
		if kind == retirement.Fractionalised && r.kind == kind && r.tenant == tenant && r.vintage == vintage &&
			r.period == b.period {
			return r
		}
	}
	r := &bookRequest{tenant: tenant, vintage: vintage, kind: kind, status: retirement.Open, period: b.period}
	b.requests = append(b.requests, r)
	return r
}

func (b *book) close(r *bookRequest) {
	r.status = retirement.Closed
	for key, invoice := range b.invoices {
		if key.tenant == r.tenant && invoice.state != "SETTLED" && invoice.bought[r.vintage] {
			r.waits = append(r.waits, invoice)
		}
	}
	r.release()
}

func (r *bookRequest) release() {
	if r.status == retirement.Closed &&
		!slices.ContainsFunc(r.waits, func(i *bookInvoice) bool { return i.state != "SETTLED" }) {
		r.status = retirement.InProgress
	}
}

func (b *book) closeMonth() {
	b.period++
	for key, invoice := range b.invoices {
		if key.period < b.period && invoice.state == "LIVE" {
			invoice.state = "ISSUED"
		}
	}
	for _, r := range slices.Clone(b.requests) {
		if r.status == retirement.Open {
			b.closeOpen(r)
		}
	}
}

// closeOpen keeps the whole tonnes of a request and moves the rest to the next month's.
func (b *book) closeOpen(r *bookRequest) {
	left := model.Grams(r.total().Tonnes() * model.GramsPerTonne)
	var stay, move []model.Grams
	for _, grams := range r.items {
		here := min(grams, left)
		left -= here
		if here > 0 {
			stay = append(stay, here)
		}
		if grams > here {
			move = append(move, grams-here)
		}
	}
	r.items = stay
	if len(move) > 0 {
		next := b.request(r.tenant, r.vintage, retirement.Fractionalised)
		next.items = append(next.items, move...)
	}
	r.status = retirement.NothingToProcess
	if len(stay) > 0 {
		b.close(r)
	}
}

// settle pays an invoice, and returns false if it was paid before.
func (b *book) settle(invoice *bookInvoice) bool {
	if invoice.state == "SETTLED" {
		return false
	}
	invoice.state = "SETTLED"
	for _, r := range b.requests {
		r.release()
	}
	return true
}

func (a account) compare(b account) int {
	return cmp.Or(cmp.Compare(a.period, b.period), cmp.Compare(a.tenant, b.tenant))
}
