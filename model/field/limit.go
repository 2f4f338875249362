package field

import (
	"iter"
	"strings"
)

// Limit leaves the rows of a JSON document beyond the first Most out. Rows counts all.
type Limit struct {
	Most, Rows int
	// arrays are the names of the nested arrays that lead to the rows. The first is empty if the document is a list.
	arrays []string
	// lone is the index of the array of which an item without rows is a row itself, or len(arrays) for none.
	lone int
}

// NewLimit returns the limit of a document whose rows are the items at a path such as projects[].vintages[] or []. If
// there is a second path, an item there is a row if it contains none of the first.
func NewLimit(paths []string, most int) *Limit {
	l := &Limit{Most: most, arrays: strings.Split(strings.ReplaceAll(paths[0], "[]", ""), ".")}
	l.lone = len(l.arrays)
	for _, lone := range paths[1:] {
		l.lone = strings.Count(lone, "[]") - 1
	}
	return l
}

// Items limits the items of a member of the document, or of the document if the name is empty. If a list replaces the
// described document, its items are the rows.
func (l *Limit) Items(name string, items iter.Seq[Value]) iter.Seq[Value] {
	if name == "" && l.arrays[0] != "" {
		l.arrays, l.lone = []string{""}, 1
	}
	if name != l.arrays[0] {
		return items
	}
	return func(yield func(Value) bool) {
		for _, item := range l.array(Array(items), 0).items {
			if !yield(item) {
				return
			}
		}
	}
}

// Document limits a document that is an object.
func (l *Limit) Document(v Value) Value { return l.object(v, -1) }

func (l *Limit) array(v Value, depth int) Value {
	items := v.items
	v.items = func(yield func(string, Value) bool) {
		for _, item := range items {
			full := l.Rows >= l.Most
			if depth == len(l.arrays)-1 {
				l.Rows++
			} else {
				item = l.object(item, depth)
			}
			switch {
			case full:
				item.walk()
			case !yield("", item):
				return
			}
		}
	}
	return v
}

func (l *Limit) object(v Value, depth int) Value {
	return Object(func(yield func(string, Value) bool) {
		before := l.Rows
		for name, value := range v.items {
			if name == l.arrays[depth+1] && value.kind == array {
				value = l.array(value, depth+1)
			}
			if !yield(name, value) {
				return
			}
		}
		if l.Rows == before && depth == l.lone {
			l.Rows++
		}
	})
}

// walk iterates over the value, which counts its rows.
func (v Value) walk() {
	if v.items != nil {
		for _, item := range v.items {
			item.walk()
		}
	}
}
