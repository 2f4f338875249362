package dashboard

import (
	"context"
	"errors"
	"strconv"
	"strings"

	"tonne/api"
	"tonne/api/audit"
	"tonne/api/worker"
	"tonne/model"
	"tonne/model/store"
	"tonne/ui/cli/command"
	"tonne/ui/cli/filing"
	"tonne/ui/cli/listing"
)

func (p *plainTab) market(ctx context.Context) error {
	var held listing.FilterFlags
	market, _, err := p.Connection.ReadMarket(ctx, new(listing.PagingFlags), &held)
	if err != nil {
		return err
	}
	p.Connection.Progress.Clear()
	p.heading("Market", "Vintages", market.Vintages())
	for i := range market.Vintages() {
		v, key := market.Vintage(i), market.Key(i)
		p.vintage(key, v.Year)
		p.fact("Best ask", p.price(v.BestAsk))
		paid := held.Paid.Of(key)
		p.fact("Last paid", p.price(paid.Price))
		if d, ok := model.Difference(v.BestAsk, paid.Price); ok {
			p.fact("Best ask against last paid", compared(d))
		}
		p.fact("Available", v.Available.FormatTonnes())
		p.fact("Sell orders", strconv.Itoa(v.Asks()))
	}
	return nil
}

func compared(d model.PerMille) string {
	switch {
	case d > 0:
		return d.String()[len("+"):] + " dearer"
	case d < 0:
		return (-d).String()[len("+"):] + " cheaper"
	}
	return "the same"
}

func (p *plainTab) inventory(ctx context.Context) error {
	var market *model.Market
	asked := worker.Start(func() (err error) {
		market, err = p.Connection.Client.Market(ctx, 0, nil)
		return err
	})
	inv, err := p.Connection.Client.Inventory(ctx, api.InventoryQuery{}, nil)
	if err := errors.Join(p.Connection.Partly(err), p.Connection.Partly(asked())); err != nil {
		return err
	}
	if inv.Unreadable() {
		p.Connection.Unread = append(p.Connection.Unread, listing.NoneReadable)
	}
	p.Connection.ProjectDetails.Need(ctx, inv.ProjectIDs())
	p.Connection.Progress.Clear()
	count := 0
	for _, v := range listing.Vintages(inv) {
		count += len(v.Wallets)
	}
	p.heading("Inventory", "Wallets", count)
	paid := inv.LastPaid()
	for key, v := range listing.Vintages(inv) {
		for _, w := range v.Wallets {
			p.vintage(key, p.Connection.ProjectDetails.Year(key.ProjectID, key.VintageID))
			p.wallet(w, paid.Of(key), bestAsk(market, key))
		}
	}
	return nil
}

func bestAsk(market *model.Market, key model.VintageKey) model.PriceCents {
	if i, ok := market.Find(key); ok {
		return market.Vintage(i).BestAsk
	}
	return model.UnknownPrice
}

// wallet says what is owned, what it cost and what replacing it would cost.
// Nothing can be sold here, so that there is no value and no gain.
func (p *plainTab) wallet(w model.Wallet, paid model.LastPaid, ask model.PriceCents) {
	p.fact("Wallet", w.Type)
	p.fact("Balance", w.Quantity.FormatTonnes())
	p.fact("Last paid", p.price(paid.Price))
	if paid.Price.Known() {
		p.fact("Last paid on", command.Day(paid.ExecutionDate))
	}
	if bought, err := w.Purchases(); err == nil {
		if average, ok := bought.AverageCost(); ok {
			p.fact("Average cost", command.PerTonne(average))
		}
	}
	p.fact("Best ask", p.price(ask))
	value := w.Value(ask)
	if value.HasBasis {
		p.fact("Cost of the balance", value.Basis.FormatDollars())
	}
	if value.HasValue {
		p.fact("Replacing it at the best ask would cost", value.Value.FormatDollars())
	}
	p.fact("Trades", strconv.Itoa(len(w.Trades)))
}

func (p *plainTab) retirements(ctx context.Context) error {
	ledger, err := p.Connection.ProjectDetails.Store.Ledger(ctx, p.Connection.ProjectDetails.Origin)
	if err != nil {
		return err
	}
	if err := p.lookUpOpen(ctx, ledger); err != nil {
		return err
	}
	p.Connection.Progress.Clear()
	p.heading("Retirement requests", "Requests", len(ledger))
	if len(ledger) == 0 {
		p.gap()
		p.fact("To look one up", "tonne retirement ID; the dashboard keeps the ids that are looked up in it")
	}
	requests, err := p.examined(ctx, ledger)
	if err != nil {
		return err
	}
	for _, e := range ledger {
		p.request(e, requests[e.ID])
	}
	return nil
}

func (p *plainTab) examined(ctx context.Context, ledger []store.LedgerEntry) (map[string]*audit.Request, error) {
	var answers []audit.Answer
	for _, answer := range audit.Answered(ledger) {
		answers = append(answers, audit.Answer{ID: answer.ID, Retirement: *answer})
	}
	evidence, err := p.auditor().Examine(ctx, answers)
	p.Connection.Progress.Clear()
	if evidence.Records.Problem != nil {
		p.run.Warn("%v", evidence.Records.Problem)
	}
	requests := make(map[string]*audit.Request)
	for i := range evidence.Requests {
		requests[answers[i].ID] = &evidence.Requests[i]
	}
	return requests, err
}

func (p *plainTab) auditor() *audit.Auditor {
	auditor := filing.Auditor(p.Connection)
	auditor.Origin = p.Connection.ProjectDetails.Origin
	return auditor
}

func (p *plainTab) lookUpOpen(ctx context.Context, ledger []store.LedgerEntry) error {
	var ids []string
	at := make(map[string]*store.LedgerEntry)
	for i := range ledger {
		if e := &ledger[i]; e.Answer == nil || !e.Status.Final() {
			ids, at[e.ID] = append(ids, e.ID), e
		}
	}
	answers, err := p.auditor().LookUp(ctx, audit.LookUp{}, ids)
	if err != nil {
		return err
	}
	for i, a := range answers {
		e := at[a.ID]
		if a.Err != nil {
			e.Error = command.Explain(a.Err).What
			continue
		}
		e.Answer, e.Status, e.AnsweredAt, e.Error = &answers[i].Retirement, a.Retirement.Status, p.run.Now(), ""
	}
	return nil
}

func (p *plainTab) request(e store.LedgerEntry, source *audit.Request) {
	p.gap()
	p.fact("Request", e.ID)
	if e.Label != "" {
		p.fact("Label", e.Label)
	}
	if e.Error != "" {
		p.fact("The look-up failed", e.Error)
	}
	t := e.Answer
	if t == nil {
		return
	}
	p.fact("Status", string(t.Status))
	p.fact("Quantity", t.TotalQuantity.FormatTonnes())
	p.fact("Project", p.Connection.ProjectDetails.Known.Name(t.ProjectID))
	p.fact("Vintage", command.Dash(command.YearText(p.Connection.ProjectDetails.Year(t.ProjectID, t.VintageID))))
	p.fact("Created", command.Day(t.CreatedAt))
	if t.RetiredAt.Known() {
		p.fact("Retired", command.Day(t.RetiredAt))
	}
	for _, serial := range t.SerialNumbers {
		p.fact("Serial number", serial)
	}
	checks := source.AllChecks()
	p.fact("Checks", filing.Tally(checks))
	for _, c := range checks {
		if c.Result == model.Fail {
			p.fact("Check that fails", strings.ReplaceAll(c.Name, "_", " ")+": "+c.Detail)
		}
	}
	if t.CertificateURL != "" {
		p.fact("Certificate", t.CertificateURL)
	}
	if e.Certificate.Path != "" {
		p.fact("Certificate saved as", e.Certificate.Path)
	}
}
