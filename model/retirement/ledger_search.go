package retirement

import (
	"cmp"
	"encoding/binary"
	"fmt"
	"hash/fnv"
	"iter"
	"slices"
	"strings"
)

// LedgerKey is a compact form of a LedgerRecord, to find the records that may match a search
// without reading them.
type LedgerKey struct {
	// Text has the values of the record as they are searched, one per line.
	Text string
	// Claims has the ids and the serial numbers: a hash of what is claimed, the first and the
	// last credit, of 8 bytes each.
	Claims []byte
}

// Key returns the key of a record. Change the migrations of the store if a new version returns
// another key.
func (r LedgerRecord) Key() LedgerKey {
	claims := claim(nil, "id "+r.ID, 0, 0)
	if r.Answer != nil {
		claims = claim(claims, "id "+r.Answer.ID, 0, 0)
		for _, s := range Claims(r.Answer) {
			if s.Serial != (Serial{}) {
				claims = claim(claims, s.group(), s.Start, s.End)
			}
		}
	}
	return LedgerKey{NewLedgerIndex([]LedgerRecord{r}).records[0].text, claims}
}

// group returns what all serials have in common that may overlap with s.
func (s Serial) group() string {
	if s.Registry == Verra {
		return fmt.Sprintf("%s %d %d", s.Project, s.FirstYear, s.LastYear)
	}
	return s.Block
}

const claimSize = 24

func claim(claims []byte, of string, start, end int64) []byte {
	for _, n := range [...]uint64{hash(of), uint64(start), uint64(end)} {
		claims = binary.LittleEndian.AppendUint64(claims, n)
	}
	return claims
}

func hash(text string) uint64 {
	h := fnv.New64a()
	h.Write([]byte(text))
	return h.Sum64()
}

type claimed struct {
	hash       uint64
	start, end int64
	key        int
}

func (k LedgerKey) claims(key int) iter.Seq[claimed] {
	return func(yield func(claimed) bool) {
		for at := 0; at+claimSize <= len(k.Claims); at += claimSize {
			n := func(i int) uint64 { return binary.LittleEndian.Uint64(k.Claims[at+8*i:]) }
			if !yield(claimed{n(0), int64(n(1)), int64(n(2)), key}) {
				return
			}
		}
	}
}

// LedgerSearch selects the keys of the records that LedgerIndex.Find may return: those that
// have all of some texts.
type LedgerSearch []ledgerQuery

// NewLedgerSearches returns the search for the whole text and the one for its words, for which
// the whole text must not match. It returns false if they may select any record.
func NewLedgerSearches(text string) (whole, words LedgerSearch, narrow bool) {
	for _, word := range strings.Fields(text) {
		if !strings.HasPrefix(word, "!") {
			words = append(words, newLedgerQuery(word))
		}
	}
	return LedgerSearch{newLedgerQuery(text)}, words, len(words) > 0
}

// Select returns the numbers of the keys that may match, and of those that wanted selects. It
// adds the keys that claim the same credits or ids, which the checks of the others need. It
// returns false if most keys may match.
func (s LedgerSearch) Select(keys []LedgerKey, wanted func(n int) bool) (numbers []int, few bool) {
	selected, found := make([]bool, len(keys)), 0
	for n, k := range keys {
		if wanted(n) || !slices.ContainsFunc(s, func(q ledgerQuery) bool { return !q.mayMatch(k) }) {
			selected[n] = true
			found++
		}
	}
	if found > len(keys)/2 {
		return nil, false
	}
	for addNeighbours(keys, selected) {
	}
	for n := range keys {
		if selected[n] {
			numbers = append(numbers, n)
		}
	}
	return numbers, true
}

// addNeighbours reports whether it added keys.
func addNeighbours(keys []LedgerKey, selected []bool) (added bool) {
	hashes := make(map[uint64]bool)
	for n, k := range keys {
		for c := range k.claims(n) {
			if selected[n] {
				hashes[c.hash] = true
			}
		}
	}
	var claims []claimed
	for n, k := range keys {
		for c := range k.claims(n) {
			if hashes[c.hash] {
				claims = append(claims, c)
			}
		}
	}
	slices.SortFunc(claims,
		func(a, b claimed) int { return cmp.Or(cmp.Compare(a.hash, b.hash), cmp.Compare(a.start, b.start)) })
	for from, to := 0, 0; from < len(claims); from = to {
		// claims[from:to] overlap, one with the next.
		first, end, chosen := claims[from], claims[from].end, false
		for ; to < len(claims) && claims[to].hash == first.hash && claims[to].start <= end; to++ {
			end, chosen = max(end, claims[to].end), chosen || selected[claims[to].key]
		}
		for _, c := range claims[from:to] {
			added = added || chosen && !selected[c.key]
			selected[c.key] = selected[c.key] || chosen
		}
	}
	return added
}

func (q ledgerQuery) mayMatch(k LedgerKey) bool {
	if q.mayContain(k.Text) {
		return true
	}
	for c := range k.claims(0) {
		if q.credits && c.start <= q.end && q.start <= c.end && (q.block == "" || c.hash == q.group) {
			return true
		}
	}
	return false
}
