package inventory

import (
	"fmt"
	"strings"

	"tonne/api"
	"tonne/api/feed"
	"tonne/model"
	"tonne/ui/tab"
)

// page is the part of the inventory that is shown.
type page struct {
	// query is what was asked for last, shown what the rows answer.
	query, shown api.InventoryQuery
	event        feed.InventoryEvent
	// inventory is what is shown, purchases the same with all that was bought.
	inventory, purchases *model.Inventory
	place                model.Page
}

// ask changes the query and reports whether it is another one now.
func (p *page) ask(change func(q *api.InventoryQuery)) bool {
	before := p.query
	change(&p.query)
	if p.query == before {
		return false
	}
	p.event.Err = nil
	return true
}

// take takes an answer and reports whether there are rows to show.
func (p *page) take(e feed.InventoryEvent) bool {
	if e.Query != p.query {
		return false
	}
	p.event = e
	if e.Inventory == nil {
		return false
	}
	p.inventory, p.purchases, p.place, p.shown = e.Inventory, e.Purchases, e.Page, e.Query
	if p.purchases == nil {
		p.purchases = e.Inventory
	}
	return true
}

// waiting reports whether the rows answer an older question than the last.
func (p *page) waiting() bool { return p.inventory != nil && p.shown != p.query }

// stale reports whether the rows are older than they should be.
func (p *page) stale() bool {
	s := p.event.State
	return s == feed.Loading || s == feed.Stale || s == feed.Refused || p.waiting()
}

// status tells the page, the filters and the projects: what is cut off first
// comes last. The totals tell the wallets.
func (p *page) status() string {
	if p.inventory == nil {
		return ""
	}
	where, projects := p.where()
	parts := []string{where}
	if p.query.TradeType != "" {
		parts = append(parts, "trades: "+string(p.query.TradeType))
	}
	if p.query.TradesPerWallet > 0 {
		parts = append(parts, tab.Count(p.query.TradesPerWallet, "trade", "trades")+" a wallet")
	}
	if p.query.WalletMinQuantity > 0 {
		parts = append(parts, "non-empty wallets")
	}
	if projects != "" {
		parts = append(parts, projects)
	}
	if n := len(p.inventory.Faults); n > 0 {
		parts = append(parts, "⚠ "+tab.Count(n, "value", "values")+" not readable")
	}
	return strings.Join(parts, " · ")
}

// where tells the page, and which projects stand on it where that is known.
func (p *page) where() (where, projects string) {
	switch {
	case p.waiting() && p.event.Err != nil:
		return fmt.Sprintf("page %d was not read yet", p.query.Page), ""
	case p.waiting():
		return fmt.Sprintf("reading page %d …", p.query.Page), ""
	}
	at := p.place
	where = fmt.Sprintf("page %d/%d", max(at.Current, 1), max(at.TotalPages, 1))
	if n := len(p.inventory.Projects); n > 0 && at.PerPage > 0 {
		first := (max(at.Current, 1)-1)*at.PerPage + 1
		projects = fmt.Sprintf("projects %s–%s of %s", tab.Number(int64(first)), tab.Number(int64(first+n-1)), tab.Number(int64(at.TotalItems)))
	}
	return where, projects
}

// whyEmpty says why there are no rows that match a filter, and what to do.
func (p *page) whyEmpty(filter string) []string {
	err := p.event.Err
	switch {
	case filter != "":
		return []string{"", "No wallet on this page matches " + tab.Typed(filter) + ".", "Esc clears the filter."}
	case p.inventory != nil && p.place.TotalPages > 0 && p.shown.Page > p.place.TotalPages:
		return []string{"", "The inventory has become shorter: it has " + tab.Count(p.place.TotalPages, "page", "pages") + " now.", "[ goes back."}
	case p.inventory != nil && p.query.WalletMinQuantity > 0:
		return []string{"", "No wallet holds anything on this page.", "z shows the empty ones too."}
	case p.inventory != nil:
		return []string{"", "There is nothing in the inventory.", "Who always retires whole tonnes owns nothing here: they are retired when they are bought."}
	case err != nil:
		return []string{"", "⚠ " + err.Error(), tab.Advice(err)}
	}
	return []string{"", "Reading the inventory …"}
}
