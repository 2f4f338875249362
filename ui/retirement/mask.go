package retirement

import (
	"strings"
	"unicode"

	"tonne/model"
)

// shortTaxID is the number of letters and digits below which a tax id is masked
// only where it stands alone: in a longer word it is most likely another thing.
const shortTaxID = 4

// maskLines hides tax ids in the lines of a page as the details do, however the
// page groups their letters and digits and wherever it breaks its lines.
func maskLines(lines, taxIDs []string) []string {
	page := []rune(strings.Join(lines, "\n"))
	for _, id := range taxIDs {
		page = mask(page, id)
	}
	return strings.Split(string(page), "\n")
}

// mask hides one tax id wherever it is. Breaks of lines in it stay.
func mask(page []rune, id string) (masked []rune) {
	bare := []rune(strings.Map(func(r rune) rune {
		if !inTaxID(r) {
			return -1
		}
		return unicode.ToLower(r)
	}, id))
	if len(bare) == 0 {
		return page
	}
	for at := 0; at < len(page); {
		end, found := taxIDAt(page, at, bare)
		if !found {
			masked = append(masked, page[at])
			at++
			continue
		}
		breaks := strings.Count(string(page[at:end]), "\n")
		masked = append(masked, []rune(model.MaskTaxID(id)+strings.Repeat("\n", breaks))...)
		at = end
	}
	return masked
}

// taxIDAt reports whether the letters and digits from a place on are those of a
// tax id, and where they end. Between them may stand what is neither.
func taxIDAt(page []rune, at int, bare []rune) (end int, found bool) {
	if unicode.ToLower(page[at]) != bare[0] {
		return 0, false
	}
	n := 0
	for end = at; end < len(page) && n < len(bare); end++ {
		switch r := unicode.ToLower(page[end]); {
		case r == bare[n]:
			n++
		case inTaxID(r):
			return 0, false
		}
	}
	if n < len(bare) {
		return 0, false
	}
	inWord := at > 0 && inTaxID(page[at-1]) || end < len(page) && inTaxID(page[end])
	return end, !inWord || len(bare) >= shortTaxID
}

func inTaxID(r rune) bool { return unicode.IsLetter(r) || unicode.IsDigit(r) }
