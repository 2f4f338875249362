package inventory

import (
	"cmp"
	"fmt"

	"tonne/api"
	"tonne/api/session"
	"tonne/model"
	"tonne/model/portfolio"
	"tonne/ui/tab"
)

// listing is the source of the wallets on the screen: the whole inventory or one page of the API.
type listing struct {
	positions *portfolio.Positions
	filters   api.InventoryQuery
	// health is the state of the source. stale reports that its data is too old.
	health session.Status
	stale  bool
	// where and projects describe the part that is shown. extent is appended to counts, such as " so far".
	where, projects, extent string
}

func (t *Tab) listing() listing {
	if t.paging {
		return t.page.listing()
	}
	e := t.book
	l := listing{positions: e.Positions, filters: t.page.query, health: e.Status,
		stale: e.Old() || e.Positions != nil && e.Err != nil}
	if e.Partial {
		l.extent = " so far"
		switch {
		case e.Err != nil:
			l.where = "only a part was read"
		case e.Total == 0:
			l.where = "reading"
		default:
			l.where = fmt.Sprintf("page %d of %d read", e.Done, e.Total)
		}
	}
	if e.Positions != nil {
		l.projects = model.Count(len(e.Positions.ProjectIDs()), "project", "projects") + l.extent
	}
	return l
}

// holding returns the indexes of the wallets that are not empty, or nil for all wallets.
func (t *Tab) holding() []int32 {
	if t.page.query.WalletMinQuantity <= 0 {
		return nil
	}
	all := t.book.Positions
	listed := make([]int32, 0, all.Len())
	for i := range all.Len() {
		if g := all.At(i).Wallet.Quantity; !g.Known() || g >= t.page.query.WalletMinQuantity {
			listed = append(listed, int32(i))
		}
	}
	return listed
}

func (t *Tab) status() (parts tab.Parts) {
	l := t.listing()
	if l.positions == nil {
		return nil
	}
	parts = parts.Say(l.where)
	if !t.paging {
		parts = parts.Say(t.wallets.onScreen())
	}
	if l.filters.TradeType != "" {
		parts = parts.Say("trades: " + string(l.filters.TradeType))
	}
	if limit := l.filters.TradesPerWallet; limit > 0 {
		parts = parts.Say(model.Count(limit, "trade", "trades") + " per wallet")
	}
	switch hidden := l.positions.Len() - t.wallets.table.Total(); {
	case l.filters.WalletMinQuantity <= 0:
	case t.paging:
		parts = parts.Say("without empty wallets")
	case hidden > 0:
		parts = parts.Say(model.Count(hidden, "empty wallet", "empty wallets") + " hidden")
	}
	parts = parts.Say(l.projects, t.wallets.unvalued())
	if n := len(l.positions.Inventory().Faults); n > 0 {
		parts = parts.Warn(model.Count(n, "value", "values") + " unreadable")
	}
	return parts
}

func (t *Tab) whyEmpty(l listing) []string {
	filter, nonempty := t.wallets.table.Query(), t.page.query.WalletMinQuantity > 0
	matching := "No wallet" + l.extent + " matches " + tab.Typed(filter) + "."
	switch pages := t.page.place.TotalPages; {
	case filter != "" && nonempty && !t.paging:
		return []string{matching, "Esc clears the filter. z also shows empty wallets."}
	case filter != "":
		return []string{matching, "Esc clears the filter."}
	case !t.paging && t.book.Partial:
		return []string{"No wallets so far: " + l.where + "."}
	case l.positions == nil && l.health.Err != nil:
		return []string{"⚠ " + l.health.Err.Error(), t.view.Advice(l.health.Err)}
	case l.positions == nil:
		return []string{"Reading the inventory …"}
	case t.paging && pages > 0 && t.page.shown.Page > pages:
		return []string{"The inventory is shorter now: " + model.Count(pages, "page", "pages") + ".", "[ goes back."}
	case t.paging && nonempty || !t.paging && l.positions.Len() > 0:
		return []string{"All wallets" + l.extent + " are empty.", "z shows empty wallets."}
	}
	return []string{
		"The inventory is empty.",
		"If you only retire whole tonnes, it stays empty: they are retired as you buy them.",
	}
}

// page is one page of the API. query is the last requested query, and shown the query of the wallets.
type page struct {
	query, shown api.InventoryQuery
	event        session.InventoryEvent
	wallets      *portfolio.Positions
	place        model.Page
}

func (p *page) ask(change func(q *api.InventoryQuery)) bool {
	before := p.query
	change(&p.query)
	if p.query == before {
		return false
	}
	p.event.Err = nil
	return true
}

func (p *page) take(e session.InventoryEvent) bool {
	if e.Query != p.query {
		return false
	}
	again := e.Inventory == p.event.Inventory && e.Purchases == p.event.Purchases
	p.event = e
	if e.Inventory == nil {
		return false
	}
	p.place, p.shown = e.Page, e.Query
	if p.wallets == nil || !again {
		p.wallets = portfolio.NewPositions(e.Inventory, cmp.Or(e.Purchases, e.Inventory))
	}
	return true
}

func (p *page) listing() listing {
	waiting := p.wallets != nil && p.shown != p.query
	l := listing{
		positions: p.wallets, filters: p.shown, health: p.event.Status, extent: " on this page",
		stale: p.event.State == session.Loading || p.event.Old() || waiting,
	}
	switch {
	case waiting && p.event.Err != nil:
		l.where = fmt.Sprintf("page %d not read yet", p.query.Page)
		return l
	case waiting:
		l.where = fmt.Sprintf("reading page %d …", p.query.Page)
		return l
	case p.wallets == nil:
		return l
	}
	at := p.place
	l.where = fmt.Sprintf("page %d/%d", max(at.Current, 1), max(at.TotalPages, 1))
	if n := len(p.wallets.ProjectIDs()); n > 0 && at.PerPage > 0 {
		first := (max(at.Current, 1)-1)*at.PerPage + 1
		l.projects = fmt.Sprintf("projects %s–%s of %s",
			tab.Number(int64(first)), tab.Number(int64(first+n-1)), tab.Number(int64(at.TotalItems)))
	}
	return l
}
