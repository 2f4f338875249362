package inventory

import (
	"fmt"
	"strings"

	"tonne/ui/tab"
)

// Status tells the page and the filters. The totals tell the wallets.
func (t *Tab) Status() string {
	if t.inventory == nil {
		return ""
	}
	parts := []string{t.pageStatus()}
	if t.query.TradeType != "" {
		parts = append(parts, "trades: "+string(t.query.TradeType))
	}
	if t.query.TradesPerWallet > 0 {
		parts = append(parts, tab.Count(t.query.TradesPerWallet, "trade", "trades")+" a wallet")
	}
	if t.query.WalletMinQuantity > 0 {
		parts = append(parts, "non-empty wallets")
	}
	if n := len(t.inventory.Faults); n > 0 {
		parts = append(parts, "⚠ "+tab.Count(n, "value", "values")+" not readable")
	}
	return strings.Join(parts, " · ")
}

func (t *Tab) pageStatus() string {
	switch {
	case t.waiting() && t.event.Err != nil:
		return fmt.Sprintf("page %d was not read yet", t.query.Page)
	case t.waiting():
		return fmt.Sprintf("reading page %d …", t.query.Page)
	}
	p := t.page
	status := fmt.Sprintf("page %d/%d", max(p.Current, 1), max(p.TotalPages, 1))
	if n := len(t.inventory.Projects); n > 0 && p.PerPage > 0 {
		first := (max(p.Current, 1)-1)*p.PerPage + 1
		status += fmt.Sprintf(" · projects %s–%s of %s", tab.Number(int64(first)), tab.Number(int64(first+n-1)), tab.Number(int64(p.TotalItems)))
	}
	return status
}

// whyEmpty says why there are no rows, and what to do.
func (t *Tab) whyEmpty() []string {
	s := t.event.Status
	switch {
	case t.table.Query() != "":
		return []string{"", "No wallet on this page matches " + t.table.Query() + ".", "Esc clears the filter."}
	case t.inventory != nil && t.page.TotalPages > 0 && t.shown.Page > t.page.TotalPages:
		return []string{"", "The inventory has become shorter: it has " + tab.Count(t.page.TotalPages, "page", "pages") + " now.", "[ goes back."}
	case t.inventory != nil && t.query.WalletMinQuantity > 0:
		return []string{"", "No wallet holds anything on this page.", "z shows the empty ones too."}
	case t.inventory != nil:
		return []string{"", "There is nothing in the inventory.", "Who always retires whole tonnes owns nothing here: they are retired when they are bought."}
	case s.Err != nil:
		return []string{"", "⚠ " + s.Err.Error(), tab.Advice(s.Err)}
	}
	return []string{"", "Reading the inventory …"}
}
