// Package attribute has properties of credits that users enter because the service does not
// supply them, such as the methodology or a label, each with its source. It does not store
// them. Start reading at Fact.
package attribute

import (
	"cmp"
	"errors"
	"fmt"
	"net/url"
	"slices"
	"strings"
	"time"

	"tonne/model"
	"tonne/model/retirement"
)

// Scope is the kind of subject of a fact.
type Scope string

// The scopes. Facts about a serial number override facts about its vintage, which override
// facts about its project.
const (
	OfProject Scope = "project"
	OfVintage Scope = "vintage"
	OfSerial  Scope = "serial"
)

// Attribute is a property of credits that the interface does not have.
type Attribute string

// The attributes.
const (
	Methodology Attribute = "methodology"
	// Removal is RemovesCarbon or ReducesEmissions.
	Removal Attribute = "removal"
	// CCP is Labelled or NotLabelled: the Core Carbon Principles label.
	CCP Attribute = "ccp"
	// CORSIA is the phase that they are eligible for.
	CORSIA Attribute = "corsia"
	// Article6 is their status under Article 6 of the Paris Agreement.
	Article6 Attribute = "article6"
	Verifier Attribute = "verifier"
)

// Attributes returns the attributes in the order in which they are listed.
func Attributes() []Attribute {
	return []Attribute{Methodology, Removal, CCP, CORSIA, Article6, Verifier}
}

// The values of attributes that have no others.
const (
	RemovesCarbon    = "removal"
	ReducesEmissions = "reduction"
	Labelled         = "yes"
	NotLabelled      = "no"
)

// NotSupplied is shown for a value that no user has entered.
const NotSupplied = "not supplied"

// Fact is a value that a user entered, with its source.
type Fact struct {
	Scope Scope
	// ID is the id of the project or the vintage, or a serial number.
	ID        string
	Attribute Attribute
	// Value is empty for a fact that was deleted.
	Value string
	// Source is the https address of a page with the value. Checked is the day on which the
	// user read it.
	Source  string
	Checked time.Time
}

// Check returns an error if a fact is invalid on a day, or nil.
func (f Fact) Check(today time.Time) error {
	switch f.Scope {
	case OfProject, OfVintage:
	case OfSerial:
		if _, ok := retirement.ParseSerial(f.ID); !ok {
			return fmt.Errorf("%q is not a serial number of a registry that tonne can read", f.ID)
		}
	default:
		return fmt.Errorf("the scope %q is not project, vintage or serial", f.Scope)
	}
	switch {
	case f.ID == "":
		return errors.New("the id is empty")
	case !slices.Contains(Attributes(), f.Attribute):
		return fmt.Errorf("there is no attribute %q", f.Attribute)
	case !model.IsLine(f.ID), !model.IsLine(f.Value), !model.IsLine(f.Source):
		return fmt.Errorf("a value is longer than %d bytes or holds control characters", model.LongestLine)
	case f.Checked.IsZero() || f.Checked.After(today):
		return errors.New("the date on which it was checked is none, or lies ahead")
	}
	if err := f.checkValue(); err != nil {
		return err
	}
	return checkSource(f.Source)
}

func (f Fact) checkValue() error {
	var allowed []string
	switch f.Attribute {
	case Removal:
		allowed = []string{RemovesCarbon, ReducesEmissions}
	case CCP:
		allowed = []string{Labelled, NotLabelled}
	}
	switch {
	case f.Value == "" || allowed == nil || slices.Contains(allowed, f.Value):
		return nil
	}
	return fmt.Errorf("%s is %s, not %q", f.Attribute, strings.Join(allowed, " or "), f.Value)
}

func checkSource(source string) error {
	u, err := url.Parse(source)
	if err != nil || u.Scheme != "https" || u.Hostname() == "" || u.User != nil {
		return errors.New("the source is not an https address")
	}
	return nil
}

// Facts is an immutable index of facts. Nil is an empty index.
type Facts struct {
	whole   map[factKey]Fact
	serials []serialFact
}

type serialFact struct {
	retirement.Serial
	fact Fact
}

type factKey struct {
	scope     Scope
	id        string
	attribute Attribute
}

// NewFacts returns an index of facts. Of several facts about the same subject, the last counts.
func NewFacts(facts []Fact) *Facts {
	f := &Facts{whole: make(map[factKey]Fact)}
	for _, fact := range facts {
		f.whole[factKey{fact.Scope, fact.ID, fact.Attribute}] = fact
	}
	f.serials = serialFacts(slices.DeleteFunc(slices.Clone(facts), func(fact Fact) bool {
		return f.whole[factKey{fact.Scope, fact.ID, fact.Attribute}] != fact
	}))
	return f
}

func serialFacts(facts []Fact) []serialFact {
	var serials []serialFact
	for _, fact := range facts {
		if s, ok := retirement.ParseSerial(fact.ID); ok && fact.Scope == OfSerial && fact.Value != "" {
			serials = append(serials, serialFact{s, fact})
		}
	}
	slices.SortStableFunc(serials, func(a, b serialFact) int {
		return cmp.Or(a.compareBlock(b.fact.Attribute, b.Block), cmp.Compare(a.Start, b.Start), cmp.Compare(a.End, b.End))
	})
	return serials
}

func (s serialFact) compareBlock(a Attribute, block string) int {
	return cmp.Or(cmp.Compare(s.fact.Attribute, a), cmp.Compare(s.Block, block))
}

// None reports whether there are no facts.
func (f *Facts) None() bool { return f == nil || len(f.whole) == 0 }

// Contradictions returns pairs of facts that give credits of one block
// different values of an attribute.
func Contradictions(facts []Fact) [][2]Fact {
	var pairs [][2]Fact
	serials := serialFacts(facts)
	for n, a := range serials {
		for _, b := range serials[n+1:] {
			if a.compareBlock(b.fact.Attribute, b.Block) != 0 || b.Start > a.End {
				break
			}
			if a.fact.Value != b.fact.Value {
				pairs = append(pairs, [2]Fact{a.fact, b.fact})
			}
		}
	}
	return pairs
}

// FactPart is the fact about a part of a serial number. Without a fact it is the zero Fact.
type FactPart struct {
	Tonnes int64
	Fact   Fact
}

// Vintage returns the fact about a vintage or, without one, about its project.
func (f *Facts) Vintage(a Attribute, key model.VintageKey) (Fact, bool) {
	if f == nil {
		return Fact{}, false
	}
	fact, ok := f.whole[factKey{OfVintage, key.VintageID, a}]
	if !ok || fact.Value == "" {
		fact, ok = f.whole[factKey{OfProject, key.ProjectID, a}]
	}
	if !ok || fact.Value == "" {
		return Fact{}, false
	}
	return fact, true
}

// Labels returns the facts of a vintage as people look for them: "ccp", "removal" or
// "reduction", and others with their attribute, "corsia first phase".
func (f *Facts) Labels(key model.VintageKey) (labels []string) {
	if f == nil {
		return nil
	}
	for _, a := range Attributes() {
		fact, ok := f.Vintage(a, key)
		switch {
		case !ok || a == CCP && fact.Value != Labelled:
		case a == CCP:
			labels = append(labels, string(CCP))
		case a == Removal:
			labels = append(labels, fact.Value)
		default:
			labels = append(labels, string(a)+" "+fact.Value)
		}
	}
	return labels
}

// Serial returns the facts of a serial number of a vintage, in parts that add up to it.
// The zero Serial is one part of no tonnes.
func (f *Facts) Serial(a Attribute, key model.VintageKey, s retirement.Serial) []FactPart {
	rest, _ := f.Vintage(a, key)
	if f == nil || s == (retirement.Serial{}) {
		return []FactPart{{s.Tonnes, rest}}
	}
	var parts []FactPart
	at := s.Start
	first, _ := slices.BinarySearchFunc(f.serials, s.Block,
		func(f serialFact, block string) int { return f.compareBlock(a, block) })
	for _, block := range f.serials[first:] {
		if block.compareBlock(a, s.Block) != 0 || block.Start > s.End || at > s.End {
			break
		}
		if block.End < at {
			continue
		}
		if block.Start > at {
			parts = append(parts, FactPart{block.Start - at, rest})
			at = block.Start
		}
		end := min(block.End, s.End)
		parts = append(parts, FactPart{end - at + 1, block.fact})
		at = end + 1
	}
	if at <= s.End {
		parts = append(parts, FactPart{s.End - at + 1, rest})
	}
	return parts
}

// FactValue returns what parts say of an attribute: one value, "part of them: a, b", or
// NotSupplied.
func FactValue(parts []FactPart) string {
	var values []string
	for _, part := range parts {
		if value := cmp.Or(part.Fact.Value, NotSupplied); !slices.Contains(values, value) {
			values = append(values, value)
		}
	}
	if len(values) > 1 {
		return "part of them: " + strings.Join(values, ", ")
	}
	return values[0]
}

// SortFacts sorts facts by scope, id and attribute.
func SortFacts(facts []Fact) {
	slices.SortFunc(facts, func(a, b Fact) int {
		return cmp.Or(cmp.Compare(a.Scope, b.Scope), cmp.Compare(a.ID, b.ID),
			cmp.Compare(slices.Index(Attributes(), a.Attribute), slices.Index(Attributes(), b.Attribute)))
	})
}
