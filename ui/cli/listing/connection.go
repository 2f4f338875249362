// Package listing contains the code shared by commands that read listings: the connection,
// the flags for pages and filters, project details, and the polls of --watch. It prints
// through Formats. Start reading at Connection.
package listing

import (
	"cmp"
	"context"
	"errors"
	"iter"
	"math"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"tonne/api"
	"tonne/model"
	"tonne/model/advice"
	"tonne/model/field"
	"tonne/model/market"
	"tonne/model/portfolio"
	"tonne/model/statement"
	"tonne/ui/cli/command"
	"tonne/ui/output"
)

// DocumentForm describes a JSON document that lists items under a name.
func DocumentForm(name string, of func(prefix string) []field.Path) command.OutputForm {
	fields := append(command.FieldsOf[Envelope](""), field.Path{Name: name, Types: []string{"array"}})
	return command.OutputForm{Formats: []output.Format{output.JSON}, Fields: append(fields, of(name+"[].")...)}
}

// Connection is the state of a command that reads from the configured marketplace.
type Connection struct {
	App     *command.App
	Client  *api.Client
	BaseURL string
	// Account is the owner of the wallets.
	Account string
	// Statements names the account on statements.
	Statements     statement.Account
	ProjectDetails *ProjectDetails
	// Missing names incomplete listings, and Unread unreadable values.
	Missing, Unread []string
}

// Connect connects to the configured marketplace. The caller closes the connection.
func Connect(ctx context.Context, a *command.App) (*Connection, error) {
	client, settings, err := a.Connect()
	if err != nil {
		return nil, err
	}
	return &Connection{
		App: a, Client: client, BaseURL: string(settings.BaseURL), Account: settings.BookAccount(),
		Statements:     settings.StatementAccount(),
		ProjectDetails: NewDetails(ctx, a, client, a.OpenStore()),
	}, nil
}

// Open checks the flags of a listing and connects for it. The caller closes the connection.
func Open(ctx context.Context, a *command.App, cmd *cobra.Command, l *PagingFlags, n *FilterFlags) (*Connection,
	error) {
	if err := cmp.Or(l.CheckFlags(cmd), n.Parse()); err != nil {
		return nil, err
	}
	r, err := Connect(ctx, a)
	if err != nil {
		return nil, err
	}
	if err := n.ReadLabels(ctx, r.ProjectDetails); err != nil {
		r.Close()
		return nil, err
	}
	return r, nil
}

// Partly records an incomplete listing, and returns any other error.
func (r *Connection) Partly(err error) error {
	if api.KindOf(err) != api.Incomplete {
		return err
	}
	if !slices.Contains(r.Missing, err.Error()) {
		r.Missing = append(r.Missing, err.Error())
	}
	return nil
}

// Beside handles the error of a secondary listing. If it is incomplete and only one page was requested,
// Beside warns; otherwise it acts like Partly.
func (r *Connection) Beside(l *PagingFlags, err error) error {
	if !l.AllPages() && api.KindOf(err) == api.Incomplete {
		r.App.Warn("some values may be missing: %v", err)
		return nil
	}
	return r.Partly(err)
}

// Listed returns the number read, or the service's count after an incomplete listing.
func Listed(read int, err error) int {
	if e, ok := errors.AsType[*api.Error](err); ok && e.Kind == api.Incomplete {
		return e.Total
	}
	return read
}

// Unseen returns an error if a part could not be read.
func (r *Connection) Unseen() error {
	if all := slices.Concat(r.Missing, r.Unread); len(all) > 0 {
		return command.Incomplete("%s", strings.Join(all, "; "))
	}
	return nil
}

// Close ends the connection.
func (r *Connection) Close() {
	r.App.ClearProgress()
	_ = r.ProjectDetails.Store.Close()
	r.App.Disconnect(r.Client)
}

// Envelope has the fields of a JSON document before the projects.
type Envelope struct {
	FetchedAt string `json:"fetched_at"`
	// At is the time asked for, if the market is a recorded one.
	At            string `json:"at,omitempty"`
	BaseURL       string `json:"base_url"`
	TotalProjects int    `json:"total_projects"`
	Complete      bool   `json:"complete"`
}

// NewEnvelope returns the envelope of a listing.
func NewEnvelope(at time.Time, baseURL string, total int, complete bool) Envelope {
	return Envelope{FetchedAt: command.Rfc3339(at), BaseURL: baseURL, TotalProjects: total, Complete: complete}
}

// ReadMarket reads the part of the market that the flags select, and the holdings in it.
func (r *Connection) ReadMarket(ctx context.Context, l *PagingFlags, n *FilterFlags) (*market.Market, int, error) {
	held := r.StartHoldings(ctx, n)
	market, total, err := r.MarketPages(ctx, l, func(_ *market.Page, page model.Page) {
		r.App.ShowProgress("page %d of %d", page.Current, page.TotalPages)
	})
	if err := r.Partly(err); err != nil {
		return nil, 0, err
	}
	if market.Unreadable() {
		r.Unread = append(r.Unread, "no price or no quantity of the market is readable")
	}
	r.ProjectDetails.Need(ctx, market.ProjectIDs())
	return market, total, r.Beside(l, held())
}

// MarketPages reads the chosen pages of the market, and returns the total number of projects.
func (r *Connection) MarketPages(ctx context.Context, l *PagingFlags,
	each func(*market.Page, model.Page)) (*market.Market, int, error) {
	if l.AllPages() {
		market, err := r.Client.Market(ctx, 0, each)
		if market == nil {
			return nil, 0, err
		}
		return market, Listed(market.Projects(), err), err
	}
	part, page, err := r.Client.MarketPage(ctx, api.MarketQuery{Page: l.Page, PerPage: l.PerPage})
	if err != nil {
		return nil, 0, err
	}
	each(part, page)
	return market.New(part), page.TotalItems, nil
}

// EachPage passes the chosen pages of the market on, and keeps none. If the market changes during
// the read, it calls again, and passes the pages on from page 1.
func (r *Connection) EachPage(ctx context.Context, l *PagingFlags, each func(*market.Page, model.Page),
	again func()) error {
	if l.AllPages() {
		return r.Client.EachMarketPage(ctx, each, again)
	}
	_, _, err := r.MarketPages(ctx, l, each)
	return err
}

// TonnesText returns whole tonnes with their unit.
func TonnesText(n int64) string { return model.FormatNumber(n) + " t" }

// Vintages iterates over the vintages of an inventory.
func Vintages(inv *portfolio.Inventory) iter.Seq2[model.VintageKey, portfolio.Vintage] {
	return func(yield func(model.VintageKey, portfolio.Vintage) bool) {
		for _, p := range inv.Projects {
			for _, v := range p.Vintages {
				if !yield(model.VintageKey{ProjectID: p.ID, VintageID: v.ID}, v) {
					return
				}
			}
		}
	}
}

// Ambiguous explains an error for a vintage whose id several projects have. todo is the advice.
func Ambiguous[T command.Said](err error, todo T) error {
	if ambiguous, ok := errors.AsType[*market.AmbiguousError](err); ok {
		return command.Usage(todo, "%v", ambiguous)
	}
	return err
}

// ParseTonnes reads a quantity above 0 in tonnes, with at most six decimals. The error is wrong
// usage.
func ParseTonnes(flag, text string) (model.Grams, error) {
	g, err := model.ParseTonnes(text)
	return g, wrongQuantity(flag, text, "tonnes, such as 500, 1,000 or 2.5", int64(g), math.MaxInt64/model.GramsPerTonne,
		err)
}

// ParseWholeTonnes reads a number of tonnes above 0. The error is wrong usage.
func ParseWholeTonnes(flag, text string) (model.Grams, error) {
	g, err := ParseTonnes(flag, text)
	if err == nil && !g.IsWhole() {
		return 0, command.Usage("give a whole number of tonnes, such as 500 or 1,000",
			"%s %q is not whole: only whole tonnes are sold",
			flag, text)
	}
	return g, err
}

// ParseGrams reads a number of grams above 0. The error is wrong usage.
func ParseGrams(flag, text string) (model.Grams, error) {
	n, err := model.ParseNumber(text)
	return model.Grams(n), wrongQuantity(flag, text, "a whole number above 0, such as 500 or 1,000", n, math.MaxInt64, err)
}

func wrongQuantity(flag, text, like string, n, most int64, err error) error {
	if twice, ok := errors.AsType[*model.AmbiguousError](err); ok {
		return command.Usage("write it as one of them", "%s %v", flag, twice)
	}
	switch {
	case errors.Is(err, model.ErrOutOfRange):
		return command.Usage("give at most "+model.FormatNumber(most), "the number of %s is too large", flag)
	case err != nil || n == 0:
		return command.Usage("give "+like, "%s %q is not a quantity", flag, text)
	}
	return nil
}

// NotForSale is the failure of a vintage without sell orders.
func NotForSale(vintage string) error {
	return command.Unmet("not_found",
		advice.Format("check the id: %s lists the vintages for sale", advice.Tonne("market")),
		"the vintage %s is not for sale", vintage)
}
