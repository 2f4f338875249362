package field

import (
	"cmp"
	"slices"
	"strconv"
	"strings"
	"time"
)

// Equal reports whether two values are the same in every format, in any roles.
func (v Value) Equal(w Value) bool {
	return v.kind == w.kind && v.n == w.n && v.text == w.text && slices.EqualFunc(v.members(), w.members(), member.equal)
}

type member struct {
	name  string
	value Value
}

func (m member) equal(n member) bool { return m.name == n.name && m.value.Equal(n.value) }

func (v Value) members() (all []member) {
	if v.items != nil {
		for name, value := range v.items {
			all = append(all, member{name, value})
		}
	}
	return all
}

// Dated returns the value that tables show: a time is its day in a zone. Nil is the local zone.
func (v Value) Dated(zone *time.Location) Value {
	if v.kind != moment {
		return v
	}
	year, month, day := time.UnixMilli(v.n).In(cmp.Or(zone, time.Local)).Date()
	return Value{kind: moment, n: time.Date(year, month, day, 0, 0, 0, 0, time.UTC).UnixMilli()}
}

// Compare compares numbers numerically, and also the numbers of texts, such as ids, times in their order, and other
// texts without case. Numbers come before texts, and unknown values last in both directions.
func Compare(a, b Value, descending bool) int {
	if a.IsNull() || b.IsNull() {
		return cmp.Compare(order(a.IsNull()), order(b.IsNull()))
	}
	m, aNumber := a.number()
	n, bNumber := b.number()
	if a.kind == moment && b.kind == moment {
		m, n = a.n, b.n
	}
	by := cmp.Or(cmp.Compare(order(!aNumber), order(!bNumber)), cmp.Compare(m, n))
	if by == 0 && !(a.isAmount() && b.isAmount()) {
		by = strings.Compare(strings.ToLower(a.Plain()), strings.ToLower(b.Plain()))
	}
	if descending {
		return -by
	}
	return by
}

func order(last bool) int {
	if last {
		return 1
	}
	return 0
}

// Amount returns the number of the value, in its unit. It is false for texts, times and null.
func (v Value) Amount() (n int64, ok bool) { return v.n, v.isAmount() && !v.IsNull() }

// Sorts returns the key that orders the value among those of its column: a number, or a text without case. Known is
// false for values that come last.
func (v Value) Sorts() (n int64, s string, known bool) {
	switch v.kind {
	case text, words, texts, array, object:
		s = strings.ToLower(v.Plain())
		return 0, s, s != ""
	}
	return v.n, "", !v.IsNull()
}

// number returns the amount of the value, or the number in its text. An id beyond the largest number is the largest.
func (v Value) number() (n int64, ok bool) {
	switch {
	case v.isAmount():
		return v.n, true
	case v.kind == text, v.kind == words:
		n, err := strconv.ParseInt(v.text, 10, 64)
		return n, err == nil
	}
	return 0, false
}
