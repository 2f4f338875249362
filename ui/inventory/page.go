package inventory

import (
	"cmp"
	"fmt"

	"tonne/api"
	"tonne/api/session"
	"tonne/model"
	"tonne/ui/tab"
)

type page struct {
	query, shown api.InventoryQuery
	event        session.InventoryEvent
	wallets      *model.Positions
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
	if p.wallets != nil && again {
		return true
	}
	p.wallets = model.NewPositions(e.Inventory, cmp.Or(e.Purchases, e.Inventory))
	return true
}

func (p *page) positions() *model.Positions { return p.wallets }
func (p *page) filters() api.InventoryQuery { return p.shown }
func (p *page) health() session.Status      { return p.event.Status }
func (p *page) extent() string              { return " on this page" }

func (p *page) waiting() bool { return p.wallets != nil && p.shown != p.query }

func (p *page) stale() bool {
	return p.event.State == session.Loading || p.event.Old() || p.waiting()
}

func (p *page) where() (where, projects string) {
	switch {
	case p.waiting() && p.event.Err != nil:
		return fmt.Sprintf("page %d was not read yet", p.query.Page), ""
	case p.waiting():
		return fmt.Sprintf("reading page %d …", p.query.Page), ""
	}
	at := p.place
	where = fmt.Sprintf("page %d/%d", max(at.Current, 1), max(at.TotalPages, 1))
	if n := len(p.wallets.ProjectIDs()); n > 0 && at.PerPage > 0 {
		first := (max(at.Current, 1)-1)*at.PerPage + 1
		projects = fmt.Sprintf("projects %s–%s of %s", tab.Number(int64(first)), tab.Number(int64(first+n-1)), tab.Number(int64(at.TotalItems)))
	}
	return where, projects
}

func (p *page) whyEmpty(filter string, advice func(error) string) []string {
	err := p.event.Err
	switch {
	case filter != "":
		return []string{"", "No wallet on this page matches " + tab.Typed(filter) + ".", "Esc clears the filter."}
	case p.wallets != nil && p.place.TotalPages > 0 && p.shown.Page > p.place.TotalPages:
		return []string{"", "The inventory has become shorter: it has " + model.Count(p.place.TotalPages, "page", "pages") + " now.", "[ goes back."}
	case p.wallets != nil && p.query.WalletMinQuantity > 0:
		return []string{"", "No wallet holds anything on this page.", "z shows the empty ones too."}
	case p.wallets != nil:
		return []string{"", noneOwned[0], noneOwned[1]}
	case err != nil:
		return []string{"", "⚠ " + err.Error(), advice(err)}
	}
	return []string{"", "Reading the inventory …"}
}
