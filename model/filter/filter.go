// Package filter parses and evaluates the filters of a list of vintages, such as
//
//	bale "clean cooking"|stove !wind ask<10 vintage>=2022 available>=500 type:cookstoves country:kenya,uganda paid
//
// A filter consists of words and conditions on fields, and all of them must match. An
// exclamation mark negates a part. Bars separate alternative words, commas alternative values
// of a field. A word is searched in ids only if it has a digit and is not a number below
// five digits. The package does not read data; callers pass in rows. Start reading at Parse.
package filter

import (
	"bytes"
	"slices"
	"unicode/utf8"

	"tonne/model"
	"tonne/model/alert"
	"tonne/model/fold"
)

// Row is a vintage. Unknown values are empty, 0, UnknownPrice or UnknownGrams.
type Row struct {
	Name, ProjectID, VintageID string
	// Wallet is the type of a wallet, for a list of wallets.
	Wallet string
	// Country is an ISO 3166-1 alpha-2 code.
	Type, Country, Registry, RegistryID string
	Year                                int
	BestAsk, LastPaid                   model.PriceCents
	// Available is the quantity for sale, and Held the quantity in the wallets.
	Available, Held model.Grams
	// Labels is attribute.Facts.Labels of the credits, or nil without labels.
	Labels func() []string
}

// Filter is a parsed expression. The zero value matches all rows. It is immutable.
type Filter struct {
	words      []word
	conditions []condition
}

// Empty reports whether the filter matches all rows.
func (f Filter) Empty() bool { return len(f.words) == 0 && len(f.conditions) == 0 }

// Words reports whether the filter has words.
func (f Filter) Words() bool { return len(f.words) > 0 }

// Needs are the expensive parts of a row that a filter uses.
type Needs struct {
	// Details are the details of the project.
	Details            bool
	Paid, Held, Labels bool
}

// Needs returns the parts that the filter uses. A row may omit the others.
func (f Filter) Needs() (n Needs) {
	n.Details = f.Words()
	for _, c := range f.conditions {
		n.Details, n.Paid = n.Details || c.needs.Details, n.Paid || c.needs.Paid
		n.Held, n.Labels = n.Held || c.needs.Held, n.Labels || c.needs.Labels
	}
	return n
}

// MaxAsk returns the highest best ask that matches, if the filter limits it.
func (f Filter) MaxAsk() (price model.PriceCents, ok bool) {
	for _, c := range f.conditions {
		if c.field != ask || c.without || c.op == alert.Above || c.op == alert.AtLeast {
			continue
		}
		most := model.PriceCents(c.limit)
		if c.op == alert.Below {
			most--
		}
		if most >= 0 && (!ok || most < price) {
			price, ok = most, true
		}
	}
	return price, ok
}

// Market reports whether the filter uses the best ask or the available quantity.
func (f Filter) Market() bool {
	return slices.ContainsFunc(f.conditions, func(c condition) bool { return c.field == ask || c.field == available })
}

// Match reports whether a row matches.
func (f Filter) Match(r *Row) bool {
	for i := range f.conditions {
		if c := &f.conditions[i]; c.isMet(r) == c.without {
			return false
		}
	}
	if !f.Words() {
		return true
	}
	var x Index
	x.add(r)
	return f.found(&x.rows[0], x.text)
}

// Without returns the filter without its words.
func (f Filter) Without() Filter { return Filter{conditions: f.conditions} }

// Span is a part of a text in bytes. To is exclusive.
type Span struct{ From, To int }

// widest limits the part of a text that Spans searches, in bytes: names may be pages long.
const widest = 1000

// Spans returns the matches of words and conditions in the first 1,000 bytes of a text, in
// order. It omits matches whose letters are not adjacent.
func (f Filter) Spans(text string) (spans []Span) {
	if len(text) > widest {
		end := widest
		for !utf8.RuneStart(text[end]) {
			end--
		}
		text = text[:end]
	}
	folded, from := fold.Origins(text)
	marked := make([]bool, len(text))
	for _, part := range f.parts() {
		for at := 0; bytes.Contains(folded[at:], part); at++ {
			at += bytes.Index(folded[at:], part)
			for i := from[at]; i < from[at+len(part)]; i++ {
				marked[i] = true
			}
		}
	}
	for i := range len(text) {
		switch {
		case !marked[i]:
		case i > 0 && marked[i-1]:
			spans[len(spans)-1].To = i + 1
		default:
			spans = append(spans, Span{i, i + 1})
		}
	}
	return spans
}

func (f Filter) parts() (parts [][]byte) {
	for _, w := range f.words {
		if !w.without {
			parts = append(parts, w.bytes)
		}
	}
	for _, c := range f.conditions {
		for _, text := range c.parts {
			if !c.without && c.marked {
				parts = append(parts, []byte(text))
			}
		}
	}
	return parts
}
