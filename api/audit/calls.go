package audit

import (
	"cmp"
	"crypto/sha256"
	"encoding/hex"
	"strings"

	"tonne/model"
	"tonne/model/field"
	"tonne/model/retirement"
)

type call = retirement.JournalEntry

var callColumns = field.Columns[call]{
	field.TextColumn("external_id", func(c call) string { return c.ExternalID }),
	field.TextColumn("batch", func(c call) string { return c.Batch }),
	field.TextColumn("reference", func(c call) string { return c.Reference }),
	field.TextColumn("state", func(c call) string { return c.State }),
	field.TextColumn("retirement_request_id", func(c call) string { return c.RequestID }),
	field.TextColumn("grams_by_request", gramsByRequest),
	field.TextColumn("vintage_id", func(c call) string { return c.Call.VintageID }),
	field.TextColumn("quantity_grams", func(c call) string { return c.Call.Quantity.String() }),
	field.TextColumn("from_inventory_grams", func(c call) string { return c.Call.FromInventory.String() }),
	{Name: "bought_tonnes", Value: func(c call) field.Value { return field.Tonnes(c.Call.BuyTonnes) }},
	field.TextColumn("sell_order_id", func(c call) string { return c.Call.SellOrderID }),
	{Name: "price_cents", Value: func(c call) field.Value { return field.Price(c.Call.Price) }},
	{Name: "cost_cents", Value: func(c call) field.Value { return field.Cost(c.Call.Cost) }},
	field.TextColumn("retiree_name", func(c call) string { return c.Call.Retiree.Name }),
	field.TextColumn("retiree_tax_id", func(c call) string { return c.Call.Retiree.TaxID }),
	field.TextColumn("retiree_country", func(c call) string { return c.Call.Retiree.Country }),
	field.TextColumn("retiree_id", func(c call) string { return c.Call.Retiree.ID }),
	field.TextColumn("made_by", func(c call) string { return c.MadeBy }),
	{Name: "made_at", Value: func(c call) field.Value { return field.UTC(model.At(c.MadeAt)) }},
	{Name: "tries", Value: func(c call) field.Value { return field.Number(c.Tries) }},
	field.TextColumn("remark", func(c call) string { return c.Remark }),
	{Name: "body_sha256", Value: func(c call) field.Value {
		sum := sha256.Sum256(c.Body)
		return field.Text(hex.EncodeToString(sum[:]))
	}},
}

func gramsByRequest(c call) string {
	if c.Unclear {
		return "not known"
	}
	var parts []string
	for _, p := range c.Parts {
		parts = append(parts, cmp.Or(p.RequestID, "the next month's request")+": "+p.Quantity.String())
	}
	return strings.Join(parts, "; ")
}
