package pdftext

import (
	"cmp"
	"maps"
	"slices"
)

// page is a page with what it takes over from those above it.
type page struct {
	dict
	resources dict
}

const (
	// mostListed is how many pages are counted.
	mostListed = 10_000
	// mostCatalogues is how many starts are tried. A file that was never
	// changed has one.
	mostCatalogues = 4
)

// pages returns the pages in order.
func (f *file) pages() []page {
	catalogues := 0
	for _, number := range slices.Backward(slices.Sorted(maps.Keys(f.objects))) {
		d, ok := f.objects[number].value.(dict)
		if !ok || d["Type"] != name("Catalog") {
			continue
		}
		if found := f.walk(d["Pages"], nil, make(map[ref]bool), 0); len(found) > 0 {
			return found
		}
		if catalogues++; catalogues == mostCatalogues {
			break
		}
	}
	return f.loosePages()
}

// walk returns the pages below a node. Each node is visited once.
func (f *file) walk(node any, above dict, seen map[ref]bool, depth int) []page {
	r, ok := node.(ref)
	if !ok || seen[r] || depth > deepest || len(seen) > mostListed {
		return nil
	}
	seen[r] = true
	d := f.dict(r)
	resources := above
	if own := f.dict(d["Resources"]); own != nil {
		resources = own
	}
	if d["Type"] == name("Page") {
		return []page{{d, resources}}
	}
	var found []page
	for _, kid := range f.list(d["Kids"]) {
		found = append(found, f.walk(kid, resources, seen, depth+1)...)
	}
	return found
}

// loosePages returns all pages that there are, by number: for files whose
// order of pages is lost.
func (f *file) loosePages() []page {
	type numbered struct {
		number int
		page
	}
	var all []numbered
	for number, o := range f.objects {
		if d, ok := o.value.(dict); ok && d["Type"] == name("Page") && len(all) < mostListed {
			all = append(all, numbered{number, page{d, f.dict(d["Resources"])}})
		}
	}
	slices.SortFunc(all, func(a, b numbered) int { return cmp.Compare(a.number, b.number) })
	var found []page
	for _, p := range all {
		found = append(found, p.page)
	}
	return found
}
