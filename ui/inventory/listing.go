package inventory

import (
	"fmt"
	"slices"
	"strings"

	"tonne/api"
	"tonne/api/session"
	"tonne/model"
	"tonne/ui/tab"
)

// listing is what wallets are shown of: the whole book, or a page of the
// service.
type listing interface {
	positions() *model.Positions
	filters() api.InventoryQuery
	// health is the state of what is shown, stale reports whether it is older
	// than it should be.
	health() session.Status
	stale() bool
	// where says for the footer which part is shown, if that is not clear, and
	// of how many projects.
	where() (where, projects string)
	extent() string
	// whyEmpty says why no row matches a filter, and what to do: advice says so about an error.
	whyEmpty(filter string, advice func(error) string) []string
}

func (t *Tab) listing() listing {
	if t.paging {
		return &t.page
	}
	return &t.book
}

func (t *Tab) status() string {
	l := t.listing()
	shown := l.positions()
	if shown == nil {
		return ""
	}
	where, projects := l.where()
	q := l.filters()
	parts := []string{where}
	if !t.paging {
		parts = append(parts, t.wallets.onScreen())
	}
	if q.TradeType != "" {
		parts = append(parts, "trades: "+string(q.TradeType))
	}
	if q.TradesPerWallet > 0 {
		parts = append(parts, model.Count(q.TradesPerWallet, "trade", "trades")+" a wallet")
	}
	if q.WalletMinQuantity > 0 {
		parts = append(parts, t.hidden())
	}
	parts = append(parts, projects, t.wallets.unvalued())
	if n := len(shown.Faults()); n > 0 {
		parts = append(parts, "⚠ "+model.Count(n, "value", "values")+" not readable")
	}
	return strings.Join(slices.DeleteFunc(parts, func(part string) bool { return part == "" }), " · ")
}

func (t *Tab) hidden() string {
	n := t.listing().positions().Len() - t.wallets.table.Total()
	switch {
	case t.paging:
		return "without empty wallets"
	case n > 0:
		return model.Count(n, "empty wallet", "empty wallets") + " hidden"
	}
	return ""
}

type book struct {
	event session.PortfolioEvent
	// query holds the filters. The rest of it is of the service's pages.
	query *api.InventoryQuery
}

func (b *book) positions() *model.Positions { return b.event.Positions }
func (b *book) filters() api.InventoryQuery { return *b.query }
func (b *book) health() session.Status      { return b.event.Status }

func (b *book) stale() bool {
	return b.event.Old() || b.event.Positions != nil && b.event.Err != nil
}

func (b *book) part() string {
	switch s := b.event.Status; {
	case !b.event.Partial:
		return ""
	case s.Err != nil:
		return "only a part was read"
	case s.Total == 0:
		return "reading"
	default:
		return fmt.Sprintf("page %d of %d read", s.Done, s.Total)
	}
}

func (b *book) where() (where, projects string) {
	return b.part(), model.Count(len(b.event.Positions.ProjectIDs()), "project", "projects") + b.extent()
}

func (b *book) extent() string {
	if b.event.Partial {
		return " so far"
	}
	return ""
}

func (b *book) listed() []int32 {
	if b.query.WalletMinQuantity <= 0 {
		return nil
	}
	listed := make([]int32, 0, b.event.Positions.Len())
	for i := range b.event.Positions.Len() {
		if g := b.event.Positions.At(i).Wallet.Quantity; !g.Known() || g >= b.query.WalletMinQuantity {
			listed = append(listed, int32(i))
		}
	}
	return listed
}

func (b *book) whyEmpty(filter string, advice func(error) string) []string {
	switch {
	case filter != "" && b.query.WalletMinQuantity > 0:
		return []string{"", "No wallet" + b.extent() + " matches " + tab.Typed(filter) + ".", "Esc clears the filter. z shows the empty wallets too."}
	case filter != "":
		return []string{"", "No wallet" + b.extent() + " matches " + tab.Typed(filter) + ".", "Esc clears the filter."}
	case b.event.Partial:
		return []string{"", "No wallet so far: " + b.part() + "."}
	case b.event.Positions != nil && b.event.Positions.Len() > 0:
		return []string{"", "No wallet holds anything.", "z shows the empty ones too."}
	case b.event.Positions != nil:
		return []string{"", noneOwned[0], noneOwned[1]}
	case b.event.Err != nil:
		return []string{"", "⚠ " + b.event.Err.Error(), advice(b.event.Err)}
	}
	return []string{"", "Reading the inventory …"}
}

var noneOwned = [2]string{
	"There is nothing in the inventory.",
	"Who always retires whole tonnes owns nothing here: they are retired when they are bought.",
}
