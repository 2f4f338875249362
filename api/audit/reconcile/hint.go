package reconcile

import (
	"math"
	"slices"
	"strings"

	"tonne/model"
	"tonne/model/fold"
)

// Hint is a likely cause of a result. It has at most one of the lists.
type Hint struct {
	Kind HintKind
	// Lines are the lines with the same id.
	Lines []int
	// IDs are those that are one character away.
	IDs []string
}

// HintKind is the kind of a hint.
type HintKind string

// The hints.
const (
	// SameID is for records of one id that do not match.
	SameID HintKind = "same_id"
	// SimilarID is for an unknown id that is one character away from one that is missing in the file.
	SimilarID HintKind = "similar_id"
	// Kilograms, GramsAsTonnes and TonnesAsGrams are quantities that are off by 1,000 or 1,000,000.
	Kilograms     HintKind = "kilograms"
	GramsAsTonnes HintKind = "grams"
	TonnesAsGrams HintKind = "tonnes"
	// Total is a record that adds up those above it, or that is called so.
	Total HintKind = "total"
	// CostUnknown is a cost that is not compared, because it is unknown here.
	CostUnknown HintKind = "cost_unknown"
	// OtherCurrency is a cost that is not compared, because it is not in US dollars.
	OtherCurrency HintKind = "other_currency"
	// Overflow is a sum of records that is too large.
	Overflow HintKind = "overflow"
)

func (l *Line) hint(kind HintKind) { l.Hints = append(l.Hints, Hint{Kind: kind}) }

// unitHint returns the hint for two quantities, or an empty one.
func unitHint(file, here int64) HintKind {
	times := func(a, b, factor int64) bool { return b > 0 && b <= math.MaxInt64/factor && a == b*factor }
	switch {
	case times(file, here, 1000), times(here, file, 1000):
		return Kilograms
	case times(file, here, 1_000_000):
		return GramsAsTonnes
	case times(here, file, 1_000_000):
		return TonnesAsGrams
	}
	return ""
}

// addHints adds the hints that need all lines.
func (r *reconciler) addHints(result *Reconciliation) {
	r.hintSameIDs(result)
	r.hintTotals(result)
	r.hintSimilarIDs(result)
}

func (r *reconciler) hintSameIDs(result *Reconciliation) {
	first := make(map[string]int)
	same := make(map[string][]int)
	for i, record := range r.records {
		if at, again := first[record.ID]; again {
			if same[record.ID] == nil {
				same[record.ID] = []int{r.records[at].Line}
			}
			same[record.ID] = append(same[record.ID], record.Line)
		} else if record.ID != "" && result.Lines[i].Result != Matched {
			first[record.ID] = i
		}
	}
	for i := range r.records {
		line := &result.Lines[i]
		if lines := same[line.ID]; lines != nil && line.Result != Matched && line.Result != Reversal {
			line.Hints = append(line.Hints, Hint{Kind: SameID, Lines: lines})
		}
	}
}

// totals are the names of totals, without accents and blanks.
var totals = []string{
	"total", "totals", "sum", "grandtotal", "subtotal", "summe", "gesamt", "gesamtsumme",
	"zwischensumme", "somme", "soustotal", "totalgeneral", "suma", "totale", "somma", "subtotale", "totaal", "som",
	"subtotaal", "eindtotaal",
}

func isTotal(text string) bool {
	plain := strings.Map(func(r rune) rune {
		if strings.ContainsRune(" :.-_", r) {
			return -1
		}
		return r
	}, fold.String(text))
	return slices.Contains(totals, plain)
}

// hintTotals marks unknown records that are called a total, or add up at least two records above.
func (r *reconciler) hintTotals(result *Reconciliation) {
	var above sum
	count := 0
	for i, record := range r.records {
		line := &result.Lines[i]
		named := isTotal(record.ID) || isTotal(record.Reference) || isTotal(record.Beneficiary)
		adds := count > 1 && record.Quantity.Known() && above.known() && int64(record.Quantity) == above.n && above.n > 0
		if line.Result == UnknownHere && (named || adds && record.ID == "" && record.Reference == "") {
			line.hint(Total)
			continue
		}
		above.add(record)
		count++
	}
}

// maxHinted limits the ids that are compared with others.
const maxHinted = 100_000

// hintSimilarIDs compares unknown ids with those of missing requests.
func (r *reconciler) hintSimilarIDs(result *Reconciliation) {
	missing := make(map[string][]string)
	var all []string
	for _, line := range result.Lines[len(r.records):] {
		all = append(all, line.ID)
	}
	if all = model.Unique(all); len(all) > maxHinted {
		return
	}
	for _, id := range all {
		for variant := range variants(id) {
			missing[variant] = append(missing[variant], id)
		}
	}
	for i := range r.records {
		line := &result.Lines[i]
		if line.Result != UnknownHere || line.ID == "" || len(missing) == 0 {
			continue
		}
		if near := nearest(line.ID, missing); len(near) > 0 && len(near) <= maxNear {
			line.Hints = append(line.Hints, Hint{Kind: SimilarID, IDs: near})
		}
	}
}

// maxNear limits the ids of a hint. More of them say nothing.
const maxNear = 3

// nearest returns the ids one character away, or those that differ only in case.
func nearest(id string, missing map[string][]string) (near []string) {
	for variant := range variants(id) {
		for _, other := range missing[variant] {
			if strings.EqualFold(id, other) {
				return []string{other}
			}
			if isNear(id, other) {
				near = append(near, other)
			}
		}
	}
	near = model.Unique(near)
	slices.Sort(near)
	return near
}

// variants yields an id in lower case, whole and without each of its characters. Of two ids that are
// one character away, a variant is the same.
func variants(id string) func(yield func(string) bool) {
	runes := []rune(strings.ToLower(id))
	return func(yield func(string) bool) {
		if len(runes) > 128 || !yield(string(runes)) {
			return
		}
		for i := range runes {
			if !yield(string(runes[:i]) + string(runes[i+1:])) {
				return
			}
		}
	}
}

// isNear reports whether two ids differ only in case, in one character, or in the order of two.
func isNear(a, b string) bool {
	if strings.EqualFold(a, b) {
		return true
	}
	x, y := []rune(strings.ToLower(a)), []rune(strings.ToLower(b))
	if len(x) > len(y) {
		x, y = y, x
	}
	at := 0
	for at < len(x) && x[at] == y[at] {
		at++
	}
	switch {
	case at == len(y):
		return true
	case len(x) < len(y):
		return slices.Equal(x[at:], y[at+1:])
	}
	swapped := at+1 < len(x) && x[at] == y[at+1] && x[at+1] == y[at] && slices.Equal(x[at+2:], y[at+2:])
	return swapped || slices.Equal(x[at+1:], y[at+1:])
}
