package retirement

import (
	"cmp"
	"fmt"
	"net/url"
	"slices"
	"strings"

	"tonne/model"
)

// The registries whose serial numbers ParseSerial knows.
const (
	Verra        = "Verra"
	GoldStandard = "Gold Standard"
	ACR          = "ACR"
	CAR          = "CAR"
	ART          = "ART"
	Puro         = "Puro"
	BioCarbon    = "BioCarbon"
	CDM          = "CDM"
	PlanVivo     = "Plan Vivo"
	SocialCarbon = "SOCIALCARBON"
	UKLandCarbon = "UK Land Carbon Registry"
)

// Serial is a registry's serial number: a range of credits of one tonne each.
type Serial struct {
	Registry string
	// Block is the number without its range. Serials of the same block must not overlap.
	Block string
	// Start and End are the first and the last credit, Tonnes is their number.
	Start, End, Tonnes int64
	// Project is the registry's number of the project. It is empty if the number has none.
	Project string
	// Country is an ISO 3166-1 alpha-2 code. It is empty for SOCIALCARBON, which names countries.
	Country string
	// FirstYear and LastYear are the years of the credits, usually the same. They are 0 for CDM.
	FirstYear, LastYear int
}

// Dated reports whether s has the years of its credits.
func (s Serial) Dated() bool { return s.FirstYear != 0 }

// Covers reports whether the years of s include a vintage year, or are not in s.
func (s Serial) Covers(year int) bool {
	return !s.Dated() || s.FirstYear <= year && year <= s.LastYear
}

// Overlaps reports whether both have a credit in common.
func (s Serial) Overlaps(other Serial) bool {
	return s.Block == other.Block && s.Start <= other.End && other.Start <= s.End
}

// RegistryNumber returns the registry of a project and the registry's number for it, from the
// registry id ("VCS-1340") or the page. Both are empty if they are unknown.
func RegistryNumber(p model.Project) (registry, number string) {
	if registry, number = splitRegistryID(p.RegistryID); number != "" {
		return registry, number
	}
	if _, n, ok := strings.Cut(p.RegistryURL, "/VCS/"); ok {
		return splitRegistryID("VCS" + n)
	}
	if _, n, ok := strings.Cut(p.RegistryURL, "goldstandard.org/projects?q=gs"); ok {
		return splitRegistryID("GS" + n)
	}
	return "", ""
}

func splitRegistryID(id string) (registry, digits string) {
	for _, r := range [...]struct{ prefix, registry string }{
		{"VCS", Verra}, {"GS", GoldStandard}, {ACR, ACR}, {CAR, CAR}, {ART, ART},
	} {
		digits, found := strings.CutPrefix(id, r.prefix)
		digits = strings.TrimPrefix(digits, "-")
		if found && isNumber(digits) {
			return r.registry, withoutZeros(digits)
		}
	}
	return "", ""
}

// projectPages are the addresses of public project pages without the number at the end.
var projectPages = map[string]string{
	Verra:        "https://registry.verra.org/app/projectDetail/VCS/",
	GoldStandard: "https://registry.goldstandard.org/projects?q=gs",
	ACR:          "https://acr2.apx.com/mymodule/reg/prjView.asp?id1=",
	CAR:          "https://thereserve2.apx.com/mymodule/reg/prjView.asp?id1=",
	ART:          "https://art.apx.com/mymodule/reg/prjView.asp?id1=",
}

// RegistryLink returns the https page for credits of a vintage: the page of the vintage or
// of the project, or the page for the project's number, which may also come from s. It
// returns "" if there is none.
func RegistryLink(p model.Project, vintageID string, s Serial) string {
	for _, v := range p.Vintages {
		if v.ID == vintageID && isPublicPage(v.RegistryURL) {
			return v.RegistryURL
		}
	}
	if isPublicPage(p.RegistryURL) {
		return p.RegistryURL
	}
	registry, number := RegistryNumber(p)
	if number == "" {
		registry, number = s.Registry, s.Project
	}
	if page := projectPages[registry]; page != "" && number != "" {
		return page + number
	}
	return ""
}

func isPublicPage(address string) bool {
	u, err := url.Parse(address)
	return err == nil && u.Scheme == "https" && u.Hostname() != "" && u.User == nil &&
		!strings.ContainsFunc(address, func(r rune) bool { return r <= ' ' || r == 0x7f })
}

// OwnedSerial is a serial number with the index of its request.
type OwnedSerial struct {
	Serial
	Owner int
}

// Claims returns the serial numbers of requests for RetiredTwice and Overlaps. A text with
// digits in an unknown format becomes a block without known credits: the same text in another
// request may mean the same credits, or others of the same batch.
func Claims(requests ...*Request) []OwnedSerial {
	n := 0
	for _, r := range requests {
		n += len(r.SerialNumbers)
	}
	claims := make([]OwnedSerial, 0, n)
	for owner, r := range requests {
		for _, text := range r.SerialNumbers {
			s, known := ParseSerial(text)
			if !known && strings.ContainsAny(text, "0123456789") {
				s = Serial{Block: text}
			}
			claims = append(claims, OwnedSerial{Serial: s, Owner: owner})
		}
	}
	return claims
}

// Unread reports whether s is a text in an unknown format, returned by Claims.
func (s Serial) Unread() bool { return s.Block != "" && s.Registry == "" && s.Tonnes == 0 }

// SerialOverlap is a range of credits that two requests retired.
type SerialOverlap struct {
	// A and B are the serials. A starts first.
	A, B OwnedSerial
	// Start and End are the first and the last common credit.
	Start, End int64
}

// String returns the common credits, such as "Verra 5 to 9".
func (o SerialOverlap) String() string {
	if o.A.Unread() {
		return "the same text " + o.A.Block
	}
	return fmt.Sprintf("%s %s to %s", o.A.Registry, model.FormatNumber(o.Start), model.FormatNumber(o.End))
}

// Sure reports whether both have credits that are known to be the same. Equal texts in an
// unknown format and equal numbers of different blocks are not.
func (o SerialOverlap) Sure() bool { return !o.A.Unread() && o.A.Block == o.B.Block }

// RetiredTwice returns the sure overlaps between different owners. Each serial is paired with
// the earlier serial that ends last, so that every owner of common credits is named.
func RetiredTwice(serials []OwnedSerial) []SerialOverlap {
	return overlapping(serials, func(s Serial) string {
		if s.Unread() {
			return ""
		}
		return s.Block
	})
}

// Overlaps returns the sure and possible overlaps with other owners, by owner.
//
// Verra numbers credits across all batches. So serials with the same numbers that differ in
// batch, programme or flag may be the same credits.
func Overlaps(serials []OwnedSerial) map[int][]SerialOverlap {
	maybe := overlapping(serials, func(s Serial) string {
		if s.Registry != Verra && !s.Unread() {
			return ""
		}
		return s.group()
	})
	by := make(map[int][]SerialOverlap)
	for _, o := range slices.Concat(RetiredTwice(serials), slices.DeleteFunc(maybe, SerialOverlap.Sure)) {
		for _, owner := range [...]int{o.A.Owner, o.B.Owner} {
			by[owner] = append(by[owner], o)
		}
	}
	return by
}

// overlapping ignores serials without a block.
func overlapping(serials []OwnedSerial, blockOf func(Serial) string) (overlaps []SerialOverlap) {
	type inBlock struct {
		block string
		start int64
		at    int
	}
	sorted := make([]inBlock, 0, len(serials))
	for at := range serials {
		if block := blockOf(serials[at].Serial); block != "" {
			sorted = append(sorted, inBlock{block, serials[at].Start, at})
		}
	}
	slices.SortFunc(sorted, func(a, b inBlock) int {
		return cmp.Or(strings.Compare(a.block, b.block), cmp.Compare(a.start, b.start),
			cmp.Compare(serials[a.at].End, serials[b.at].End), cmp.Compare(a.at, b.at))
	})
	// far has the last-ending serials of the two owners that reach furthest in the block.
	var far []*OwnedSerial
	for i, in := range sorted {
		s := &serials[in.at]
		if i > 0 && in.block != sorted[i-1].block {
			far = far[:0]
		}
		isOwner := func(o *OwnedSerial) bool { return o.Owner == s.Owner }
		other := slices.IndexFunc(far, func(o *OwnedSerial) bool { return !isOwner(o) })
		if other >= 0 && far[other].End >= s.Start {
			overlaps = append(overlaps, SerialOverlap{A: *far[other], B: *s, Start: s.Start, End: min(far[other].End, s.End)})
		}
		if own := slices.IndexFunc(far, isOwner); own < 0 {
			far = append(far, s)
		} else if s.End > far[own].End {
			far[own] = s
		}
		slices.SortStableFunc(far, func(a, b *OwnedSerial) int { return cmp.Compare(b.End, a.End) })
		far = far[:min(len(far), 2)]
	}
	return overlaps
}
