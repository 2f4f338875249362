package retire

import (
	"time"

	"zombiezen.com/go/sqlite"

	"tonne/model"
	"tonne/model/fold"
	"tonne/model/retirement"
)

const insertCall = `INSERT INTO call (origin, profile, key_mark, external_id, batch, reference, identity,
	vintage, retiree_id, retiree_name, retiree_tax_id, retiree_country, quantity_grams, sell_order,
	call_grams, from_inventory_grams, buy_tonnes, buy_order, price_cents, cost_cents, body, made_by, made_at, state)
	VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, nullif(?, 0), ?, ?, ?, ?, ?, nullif(?, -1), ?, ?, ?, ?, 'prepared')`

// values returns the arguments of insertCall. A call has the vintage and the retiree of its request.
func (c Call) values() []any {
	p := c.Plan
	return []any{
		c.Origin, c.Profile, c.KeyMark, c.ExternalID, c.Batch, c.Reference, fold.Identity(c.Reference),
		p.VintageID, p.Retiree.ID, p.Retiree.Name, p.Retiree.TaxID, p.Retiree.Country, c.Request.Quantity,
		c.Request.SellOrderID,
		p.Quantity, p.FromInventory, p.BuyTonnes, p.SellOrderID, p.Price, p.Cost, c.Body, c.MadeBy, c.MadeAt.UnixMilli(),
	}
}

// moment returns a time in milliseconds, or the zero time for 0.
func moment(ms int64) time.Time {
	if ms == 0 {
		return time.Time{}
	}
	return time.UnixMilli(ms)
}

func readCall(stmt *sqlite.Stmt) Call {
	text, number := stmt.GetText, stmt.GetInt64
	by := retirement.Retiree{ID: text("retiree_id"), Name: text("retiree_name"), TaxID: text("retiree_tax_id"),
		Country: text("retiree_country")}
	c := Call{
		id:         number("id"),
		Account:    Account{text("origin"), text("profile"), text("key_mark")},
		ExternalID: text("external_id"), Batch: text("batch"), Reference: text("reference"),
		Request: retirement.RetireRequest{
			VintageID: text("vintage"), Retiree: by, Quantity: model.Grams(number("quantity_grams")),
			SellOrderID: text("sell_order"),
		},
		Plan: retirement.Call{
			VintageID: text("vintage"), Retiree: by, Quantity: model.Grams(number("call_grams")),
			FromInventory: model.Grams(number("from_inventory_grams")), BuyTonnes: number("buy_tonnes"),
			SellOrderID: text("buy_order"),
			Price:       model.PriceCents(number("price_cents")), Cost: model.Cents(number("cost_cents")),
		},
		Body:   make([]byte, stmt.GetLen("body")),
		MadeBy: text("made_by"), MadeAt: time.UnixMilli(number("made_at")),
		SentAt: moment(number("sent_at")), AnsweredAt: moment(number("answered_at")),
		State: State(text("state")), Tries: int(number("tries")), Unsure: stmt.GetBool("unsure"), owner: text("owner"),
		RequestID: text("request_id"), Code: text("code"), Message: text("message"), TurnedAway: int(number("turned_away")),
		GivenUp: stmt.GetBool("given_up"), Elsewhere: stmt.GetBool("elsewhere"),
	}
	if stmt.IsNull("price_cents") {
		c.Plan.Price = model.UnknownPrice
	}
	stmt.GetBytes("body", c.Body)
	return c
}
