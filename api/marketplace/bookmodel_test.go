package marketplace

import (
	"errors"

	"tonne/model"
	"tonne/model/retirement"
)

// bookModel is the marketplace as simply as it can be said: maps and lists,
// nothing stored, no concurrency. What the service does is checked against it.
type bookModel struct {
	orders   map[string]*modelOrder
	wallets  map[modelHolding]model.Grams
	requests []*modelRequest
	invoices map[modelAccount]*modelInvoice
	done     map[string]*modelRequest
	period   int
}

// modelHolding is a vintage of a tenant, modelAccount a tenant's month.
type (
	modelHolding struct {
		tenant  string
		vintage string
	}
	modelAccount struct {
		tenant string
		period int
	}
)

type modelOrder struct {
	vintage string
	price   model.PriceCents
	left    model.Grams
	live    bool
}

type modelInvoice struct {
	state  string
	total  model.Cents
	bought map[string]bool
}

type modelRequest struct {
	id, tenant, vintage string
	kind                retirement.Type
	status              retirement.Status
	items               []model.Grams
	period              int
	// waits are the unsettled invoices that had bought the vintage when the
	// request closed.
	waits []*modelInvoice
}

func newBookModel() *bookModel {
	return &bookModel{
		orders: make(map[string]*modelOrder), wallets: make(map[modelHolding]model.Grams),
		invoices: make(map[modelAccount]*modelInvoice), done: make(map[string]*modelRequest),
	}
}

func (r *modelRequest) total() (sum model.Grams) {
	for _, grams := range r.items {
		sum += grams
	}
	return sum
}

// modelCall is one call of POST /api/caas/request-retirement.
type modelCall struct {
	tenant, external, vintage, order string
	grams                            model.Grams
	price                            model.PriceCents
}

// retire returns the request that a call goes into, or its error code.
func (b *bookModel) retire(c modelCall) (r *modelRequest, replayed bool, code string) {
	if r := b.done[c.tenant+c.external]; r != nil {
		return r, true, ""
	}
	wallet := modelHolding{c.tenant, c.vintage}
	if tonnes := (c.grams - b.wallets[wallet]).TonnesUp(); tonnes > 0 {
		if code := b.buy(c, tonnes); code != "" {
			return nil, false, code
		}
		b.wallets[wallet] += model.Grams(tonnes * model.GramsPerTonne)
	}
	b.wallets[wallet] -= c.grams
	r = b.requestFor(c)
	r.items = append(r.items, c.grams)
	b.done[c.tenant+c.external] = r
	if r.kind == retirement.Whole {
		b.close(r)
	}
	return r, false, ""
}

func (b *bookModel) buy(c modelCall, tonnes int64) string {
	o := b.orders[c.order]
	account := modelAccount{c.tenant, b.period}
	invoice := b.invoices[account]
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
	}
	if invoice == nil {
		invoice = &modelInvoice{state: "LIVE", bought: make(map[string]bool)}
		b.invoices[account] = invoice
	}
	invoice.total += model.Cents(tonnes) * model.Cents(o.price)
	invoice.bought[c.vintage] = true
	o.left -= model.Grams(tonnes * model.GramsPerTonne)
	if o.left < model.GramsPerTonne {
		b.wallets[modelHolding{sellerTenant, o.vintage}] += o.left
		o.left, o.live = 0, false
	}
	return ""
}

// supply puts an order on the market out of the seller's wallet, with what has
// to be taken in for it.
func (b *bookModel) supply(id, vintage string, price model.PriceCents, grams model.Grams) {
	b.draw(vintage, grams)
	b.orders[id] = &modelOrder{vintage, price, grams, true}
}

// reoffer changes what a live order offers.
func (b *bookModel) reoffer(o *modelOrder, price model.PriceCents, grams model.Grams) {
	b.draw(o.vintage, grams-o.left)
	o.left, o.price = grams, price
}

// recall ends a live order and gives what is left of it back.
func (b *bookModel) recall(o *modelOrder) {
	b.wallets[modelHolding{sellerTenant, o.vintage}] += o.left
	o.left, o.live = 0, false
}

// draw takes grams out of the seller's wallet; fewer than none go back.
func (b *bookModel) draw(vintage string, grams model.Grams) {
	wallet := modelHolding{sellerTenant, vintage}
	if short := grams - b.wallets[wallet]; short > 0 && grams > 0 {
		b.wallets[wallet] += model.Grams(short.TonnesUp() * model.GramsPerTonne)
	}
	b.wallets[wallet] -= grams
}

func (b *bookModel) requestFor(c modelCall) *modelRequest {
	kind := retirement.Fractionalised
	if c.grams.IsWhole() {
		kind = retirement.Whole
	}
	return b.request(c.tenant, c.vintage, kind)
}

// request finds the request that gathers a vintage's fractions this month, or
// makes one.
func (b *bookModel) request(tenant, vintage string, kind retirement.Type) *modelRequest {
	for _, r := range b.requests {
		if kind == retirement.Fractionalised && r.kind == kind && r.tenant == tenant && r.vintage == vintage && r.period == b.period {
			return r
		}
	}
	r := &modelRequest{tenant: tenant, vintage: vintage, kind: kind, status: retirement.Open, period: b.period}
	b.requests = append(b.requests, r)
	return r
}

func (b *bookModel) close(r *modelRequest) {
	r.status = retirement.Closed
	for account, invoice := range b.invoices {
		if account.tenant == r.tenant && invoice.state != "SETTLED" && invoice.bought[r.vintage] {
			r.waits = append(r.waits, invoice)
		}
	}
	b.release(r)
}

func (b *bookModel) release(r *modelRequest) {
	for _, invoice := range r.waits {
		if invoice.state != "SETTLED" {
			return
		}
	}
	r.status = retirement.InProgress
}

func (b *bookModel) closeMonth() {
	b.period++
	for account, invoice := range b.invoices {
		if account.period < b.period && invoice.state == "LIVE" {
			invoice.state = "ISSUED"
		}
	}
	for _, r := range append([]*modelRequest(nil), b.requests...) {
		if r.status == retirement.Open {
			b.closeOpenRequest(r)
		}
	}
}

func (b *bookModel) closeOpenRequest(r *modelRequest) {
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

// settle pays an invoice, and reports false for one that was paid before.
func (b *bookModel) settle(invoice *modelInvoice) bool {
	if invoice.state == "SETTLED" {
		return false
	}
	invoice.state = "SETTLED"
	for _, r := range b.requests {
		if r.status == retirement.Closed {
			b.release(r)
		}
	}
	return true
}

func (b *bookModel) complete(r *modelRequest) error {
	if r.status != retirement.InProgress {
		return errors.New("not in progress")
	}
	r.status = retirement.Complete
	return nil
}
