package marketplace

import (
	"context"
	"errors"

	"tonne/api/marketplace/exchange"
	"tonne/model"
)

// ImportCatalogue adds the projects and vintages of a file, and changes those
// that differ from what is there, or nothing of it: the error is then an
// *exchange.FileError.
func (m *Marketplace) ImportCatalogue(ctx context.Context, projects []exchange.CatalogueProject) (exchange.CatalogueCounts, error) {
	return operated(ctx, m, "import the catalogue", func(c *exchange.Change) (exchange.CatalogueCounts, error) {
		return c.ImportCatalogue(projects)
	})
}

// Catalogue lists all projects with their vintages.
func (m *Marketplace) Catalogue(ctx context.Context) ([]model.Project, error) {
	projects, err := exchange.Read(ctx, m.db, exchange.AllProjects)
	return projects, failedAt("read the catalogue", err)
}

// ImportOrders puts the sell orders of a file on the market, for a seller that
// is a tenant, and changes those that differ, or nothing of it. The error is
// exchange.ErrUnknownTenant or an *exchange.FileError.
func (m *Marketplace) ImportOrders(ctx context.Context, seller string, lines []exchange.OrderLine) ([]exchange.ImportedOrder, error) {
	return operated(ctx, m, "import sell orders", func(c *exchange.Change) ([]exchange.ImportedOrder, error) {
		of, found, err := c.FindTenant(seller)
		if err == nil && !found {
			err = exchange.ErrUnknownTenant
		}
		if err != nil {
			return nil, err
		}
		return c.ImportOrders(of.Number, lines)
	})
}

// Orders lists sell orders in the order in which they came.
func (m *Marketplace) Orders(ctx context.Context, filter exchange.OrderFilter) ([]exchange.OfferedOrder, error) {
	orders, err := exchange.Read(ctx, m.db, func(tx exchange.Tx) ([]exchange.OfferedOrder, error) { return exchange.Orders(tx, filter) })
	return orders, failedAt("list sell orders", err)
}

// RepriceOrder changes the price of a live sell order. The error is
// exchange.ErrUnknownOrder, exchange.ErrOrderEnded or ErrPrice.
func (m *Marketplace) RepriceOrder(ctx context.Context, id string, price model.PriceCents) error {
	if price <= 0 {
		return ErrPrice
	}
	return m.operate(ctx, "reprice sell order", func(c *exchange.Change) error { return c.Reprice(id, price) })
}

// ErrPrice is returned for a price that is not more than 0.
var ErrPrice = errors.New("a price is more than 0 cents")

// WithdrawOrder takes a live sell order off the market for good and returns it
// as it was: what it still offered is in its seller's wallet. The error is
// exchange.ErrUnknownOrder or exchange.ErrOrderEnded.
func (m *Marketplace) WithdrawOrder(ctx context.Context, id string) (exchange.SellOrder, error) {
	return operated(ctx, m, "withdraw sell order", func(c *exchange.Change) (exchange.SellOrder, error) { return c.WithdrawOrder(id) })
}
