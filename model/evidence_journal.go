package model

import (
	"cmp"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"strconv"
	"strings"
	"time"
)

// JournalEntry is a call of the retirement-request operation as it was written
// down before it was sent, with what became of it.
type JournalEntry struct {
	// Account is in whose name it was made, in the words of this machine: calls of
	// two accounts may be of two tenants.
	Account string
	// ExternalID is the id that makes a second sending harmless, Batch and
	// Reference are the wish that the call serves.
	ExternalID, Batch, Reference string
	Call                         RetireCall
	// Body is what was sent, to the byte.
	Body []byte
	// MadeBy is who prepared it, MadeAt when by the clock of the machine.
	MadeBy string
	MadeAt time.Time
	// State is how far it has come, in the words of the journal; Tries is how
	// often it was sent.
	State string
	Tries int
	// RequestID is the retirement request that it went into, Remark what is to
	// be said of it: why it is not done.
	RequestID, Remark string
	// Parts are where the grams of a call stand that moved on from its request,
	// oldest first; nil if all of them are in it, unless that is unclear. See
	// FollowCalls.
	Parts []CallPart
	// Unclear says that the answers of the service do not tell which of several
	// calls an item is of: what of this one stands in its request is not known.
	Unclear bool
}

type journalColumn struct {
	name  string
	value func(e JournalEntry, showTaxIDs bool) string
}

func journalColumns() []journalColumn {
	text := func(name string, value func(JournalEntry) string) journalColumn {
		return journalColumn{name, func(e JournalEntry, _ bool) string { return value(e) }}
	}
	return []journalColumn{
		text("external_id", func(e JournalEntry) string { return e.ExternalID }),
		text("batch", func(e JournalEntry) string { return e.Batch }),
		text("reference", func(e JournalEntry) string { return e.Reference }),
		text("state", func(e JournalEntry) string { return e.State }),
		text("retirement_request_id", func(e JournalEntry) string { return e.RequestID }),
		text("grams_by_request", JournalEntry.byRequest),
		text("vintage_id", func(e JournalEntry) string { return e.Call.VintageID }),
		text("quantity_grams", func(e JournalEntry) string { return e.Call.Quantity.String() }),
		text("from_inventory_grams", func(e JournalEntry) string { return e.Call.FromInventory.String() }),
		text("bought_tonnes", func(e JournalEntry) string { return strconv.FormatInt(e.Call.BuyTonnes, 10) }),
		text("sell_order_id", func(e JournalEntry) string { return e.Call.SellOrderID }),
		text("price_cents", JournalEntry.price),
		text("cost_cents", func(e JournalEntry) string { return e.Call.Cost.String() }),
		text("retiree_name", func(e JournalEntry) string { return e.Call.Retiree.Name }),
		{"retiree_tax_id", JournalEntry.taxID},
		text("retiree_country", func(e JournalEntry) string { return e.Call.Retiree.Country }),
		text("retiree_id", func(e JournalEntry) string { return e.Call.Retiree.ID }),
		text("made_by", func(e JournalEntry) string { return e.MadeBy }),
		text("made_at", func(e JournalEntry) string { return At(e.MadeAt).UTC() }),
		text("tries", func(e JournalEntry) string { return strconv.Itoa(e.Tries) }),
		text("remark", func(e JournalEntry) string { return e.Remark }),
		text("body_sha256", JournalEntry.bodyHash),
	}
}

// JournalColumns returns the names of the columns of JournalEntry.Row.
func JournalColumns() []string {
	var names []string
	for _, c := range journalColumns() {
		names = append(names, c.name)
	}
	return names
}

// Row returns the entry as text, a value for each of JournalColumns. Tax ids
// are masked unless they are to be shown.
func (e JournalEntry) Row(showTaxIDs bool) []string {
	var row []string
	for _, c := range journalColumns() {
		row = append(row, c.value(e, showTaxIDs))
	}
	return row
}

// notKnown stands for the grams of a call that is unclear.
const notKnown = "not known"

func (e JournalEntry) byRequest() string {
	if e.Unclear {
		return notKnown
	}
	var parts []string
	for _, p := range e.Parts {
		parts = append(parts, cmp.Or(p.RequestID, "the next month's request")+": "+p.Quantity.String())
	}
	return strings.Join(parts, "; ")
}

func (e JournalEntry) price() string {
	if !e.Call.Price.Known() {
		return ""
	}
	return e.Call.Price.String()
}

func (e JournalEntry) taxID(show bool) string {
	if show {
		return e.Call.Retiree.TaxID
	}
	return MaskTaxID(e.Call.Retiree.TaxID)
}

func (e JournalEntry) bodyHash() string {
	sum := sha256.Sum256(e.Body)
	return hex.EncodeToString(sum[:])
}

// namedCalls is how many calls of a request stand in each of its rows. The
// manifest has all.
const namedCalls = 50

func callColumns() []evidenceColumn {
	of := func(value func(JournalEntry) string) func(*evidenceRow) string {
		return func(e *evidenceRow) string { return e.ofCalls(value) }
	}
	return []evidenceColumn{
		{name: "call_external_ids", value: of(func(c JournalEntry) string { return c.ExternalID })},
		{name: "call_references", value: of(func(c JournalEntry) string { return c.Reference })},
		{name: "call_quantities_grams", value: of(func(c JournalEntry) string { return c.Call.Quantity.String() })},
		{name: "call_grams_in_request", value: func(e *evidenceRow) string {
			return e.ofCalls(func(c JournalEntry) string {
				if c.Unclear {
					return notKnown
				}
				here, _ := c.In(e.Retirement.ID)
				return here.String()
			})
		}},
		{name: "call_costs_cents", value: of(func(c JournalEntry) string { return c.Call.Cost.String() })},
		{name: "call_made_by", value: of(func(c JournalEntry) string { return c.MadeBy })},
		{name: "call_made_at", value: of(func(c JournalEntry) string { return At(c.MadeAt).UTC() })},
	}
}

func (e *evidenceRow) ofCalls(value func(JournalEntry) string) string {
	var values []string
	for _, c := range e.Calls[:min(len(e.Calls), namedCalls)] {
		values = append(values, value(c))
	}
	if more := len(e.Calls) - namedCalls; more > 0 {
		values = append(values, fmt.Sprintf("and %d more", more))
	}
	return strings.Join(values, "; ")
}
