package statement

import (
	"maps"
	"slices"
	"strings"

	"tonne/model"
	"tonne/model/attribute"
	"tonne/model/retirement"
)

// DisclosureShare tells retired credits apart by one property.
type DisclosureShare struct {
	// Name is what tells them apart: standard, country_group, removal, ccp,
	// article6.
	Name string
	// Parts are the values with their grams, in the order of the values.
	Parts []SharePart
	// Unclassified are the grams of which the value is not known.
	Unclassified model.Grams
}

// SharePart is the grams of one value.
type SharePart struct {
	Value string
	Grams model.Grams
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
	for _, a := range []attribute.Attribute{attribute.Removal, attribute.CCP, attribute.Article6} {
		all = append(all, b.share(string(a), func(r *retirement.Request) map[string]model.Grams { return b.attribute(r, a) }))
	}
	return all
}

func (b *statementBuilder) share(name string, values func(*retirement.Request) map[string]model.Grams) DisclosureShare {
	sums := make(map[string]model.Grams)
	s := DisclosureShare{Name: name}
	for n, r := range b.retired {
		rest := b.counted[n]
		of := values(r)
		if rest < r.TotalQuantity && !slices.Contains(slices.Collect(maps.Values(of)), r.TotalQuantity) {
			of = nil // It is unknown which of the credits are for the chosen beneficiaries.
		}
		for _, value := range slices.Sorted(maps.Keys(of)) {
			if g := min(of[value], rest); value != "" && g > 0 {
				sums[value] += g
				rest -= g
			}
		}
		b.Grams(&s.Unclassified, rest)
	}
	for value, g := range sums {
		s.Parts = append(s.Parts, SharePart{value, g})
	}
	slices.SortFunc(s.Parts, func(a, b SharePart) int { return strings.Compare(a.Value, b.Value) })
	return s
}

func (b *statementBuilder) standard(r *retirement.Request) map[string]model.Grams {
	p := b.Projects[r.ProjectID]
	if registry, _ := retirement.RegistryNumber(p); registry != "" {
		return map[string]model.Grams{registry: r.TotalQuantity}
	}
	sums := make(map[string]model.Grams)
	for _, s := range r.Serials() {
		tonnes, err := model.WholeTonnes(s.Tonnes)
		if err == nil && s.Registry != "" {
			sums[s.Registry] = sums[s.Registry].Plus(tonnes)
		}
	}
	if len(sums) == 0 && p.RegistryName != "" {
		sums[p.RegistryName] = r.TotalQuantity
	}
	return sums
}

func (b *statementBuilder) countryGroup(r *retirement.Request) map[string]model.Grams {
	switch country := b.Projects[r.ProjectID].Country; {
	case country == "":
		return nil
	case slices.Contains(euCountries, country):
		return map[string]model.Grams{InEU: r.TotalQuantity}
	}
	return map[string]model.Grams{OutsideEU: r.TotalQuantity}
}

func (b *statementBuilder) attribute(r *retirement.Request, a attribute.Attribute) map[string]model.Grams {
	if b.Facts.None() {
		return nil
	}
	key := r.Vintage()
	sums := make(map[string]model.Grams)
	if why := r.NoSerials(); why != "" {
		if fact, ok := b.Facts.Vintage(a, key); ok {
			sums[fact.Value] = r.TotalQuantity
		}
		return sums
	}
	for _, s := range r.Serials() {
		for _, part := range b.Facts.Serial(a, key, s) {
			if tonnes, err := model.WholeTonnes(part.Tonnes); err == nil {
				sums[part.Fact.Value] = sums[part.Fact.Value].Plus(tonnes)
			}
		}
	}
	return sums
}
