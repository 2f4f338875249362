package model

import (
	"maps"
	"slices"
	"strings"
)

// DisclosureShare tells retired credits apart by one property.
type DisclosureShare struct {
	// Name is what tells them apart: standard, country_group, removal, ccp,
	// article6.
	Name string
	// Parts are the values with their grams, in the order of the values.
	Parts []SharePart
	// Unclassified are the grams of which the value is not known.
	Unclassified Grams
}

// SharePart is the grams of one value.
type SharePart struct {
	Value string
	Grams Grams
}

// The country groups: disclosures under the European standards tell credits of
// projects in the European Union from others.
const (
	InEU      = "European Union"
	OutsideEU = "elsewhere"
)

var euCountries = strings.Fields("AT BE BG CY CZ DE DK EE ES FI FR GR HR HU IE IT LT LU LV MT NL PL PT RO SE SI SK")

func (b *statementBuilder) shares() []DisclosureShare {
	all := []DisclosureShare{
		b.share("standard", b.standard), b.share("country_group", b.countryGroup),
	}
	for _, a := range []Attribute{Removal, CCP, Article6} {
		all = append(all, b.share(string(a), func(r Retirement) map[string]Grams { return b.attribute(r, a) }))
	}
	return all
}

func (b *statementBuilder) share(name string, values func(Retirement) map[string]Grams) DisclosureShare {
	sums := make(map[string]Grams)
	s := DisclosureShare{Name: name}
	for _, r := range b.retired {
		rest := r.TotalQuantity
		of := values(r)
		for _, value := range slices.Sorted(maps.Keys(of)) {
			if g := min(of[value], rest); value != "" && g > 0 {
				sums[value] += g
				rest -= g
			}
		}
		b.grams(&s.Unclassified, rest)
	}
	for value, g := range sums {
		s.Parts = append(s.Parts, SharePart{value, g})
	}
	slices.SortFunc(s.Parts, func(a, b SharePart) int { return strings.Compare(a.Value, b.Value) })
	return s
}

// standard is the registry of the project, or else of the serial numbers.
func (b *statementBuilder) standard(r Retirement) map[string]Grams {
	p := b.Projects[r.ProjectID]
	if registry, _ := p.RegistryNumber(); registry != "" {
		return map[string]Grams{registry: r.TotalQuantity}
	}
	sums := make(map[string]Grams)
	for _, s := range r.Serials() {
		tonnes, err := WholeTonnes(s.Tonnes)
		if err == nil && s.Registry != "" {
			sums[s.Registry] = sums[s.Registry].AddUpTo(tonnes)
		}
	}
	if len(sums) == 0 && p.RegistryName != "" {
		sums[p.RegistryName] = r.TotalQuantity
	}
	return sums
}

func (b *statementBuilder) countryGroup(r Retirement) map[string]Grams {
	switch country := b.Projects[r.ProjectID].Country; {
	case country == "":
		return nil
	case slices.Contains(euCountries, country):
		return map[string]Grams{InEU: r.TotalQuantity}
	}
	return map[string]Grams{OutsideEU: r.TotalQuantity}
}

func (b *statementBuilder) attribute(r Retirement, a Attribute) map[string]Grams {
	key := VintageKey{r.ProjectID, r.VintageID}
	sums := make(map[string]Grams)
	if why := r.noSerials(r.Serials()); why != "" {
		if fact, ok := b.Facts.Vintage(a, key); ok {
			sums[fact.Value] = r.TotalQuantity
		}
		return sums
	}
	for _, s := range r.Serials() {
		for _, part := range b.Facts.Serial(a, key, s) {
			if tonnes, err := WholeTonnes(part.Tonnes); err == nil {
				sums[part.Fact.Value] = sums[part.Fact.Value].AddUpTo(tonnes)
			}
		}
	}
	return sums
}
