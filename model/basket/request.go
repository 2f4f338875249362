package basket

import (
	"errors"
	"fmt"
	"math"
	"math/bits"
	"strings"

	"tonne/model"
)

// Request asks for a basket of Tonnes, or of what Budget pays for: one of them is 0.
type Request struct {
	Tonnes int64
	Budget model.Cents
	Limits
}

// Limits say what a basket may be made of. The zero value allows everything.
//
// A share is of the tonnes that were requested, or that a budget pays for. A cap is
// rounded down to whole tonnes, a floor up.
type Limits struct {
	// MaxPrice is the highest price of an order; 0 is no limit.
	MaxPrice model.PriceCents
	// PerProject is the cap of one project; 0 is no limit.
	PerProject model.PerMille
	// PerGroup is the cap of one type or country, by Group; 0 is no limit.
	PerGroup model.PerMille
	Group    Group
	// Floors are how much of it has to be of a type at least.
	Floors []Floor
	// Label is a floor of a label. It goes neither with Floors nor with both caps.
	Label LabelFloor
}

// LabelFloor is the least share with a label. The zero value asks for none.
type LabelFloor struct {
	// Label is a part of what Labels of the book returns, in any case.
	Label string
	Share model.PerMille
}

// Group is what projects are grouped by.
type Group int8

// The groups.
const (
	ByType Group = iota
	ByCountry
)

// String returns the name of the group: type, country.
func (g Group) String() string {
	if g == ByCountry {
		return "country"
	}
	return "type"
}

// Floor is a share of the basket that has to be of a type.
type Floor struct {
	// Type is the type in any case.
	Type  string
	Share model.PerMille
}

const whole model.PerMille = 1000

// RequestError says why no basket can meet a request, as a phrase.
type RequestError struct{ Why string }

// Error says what cannot be meant.
func (e *RequestError) Error() string { return e.Why }

func refuse(format string, args ...any) error { return &RequestError{fmt.Sprintf(format, args...)} }

func (r Request) check() error {
	if r.Tonnes < 0 || r.Budget < 0 || (r.Tonnes == 0) == (r.Budget == 0) {
		return refuse("a basket is so many tonnes or so much money, more than 0 of one of them")
	}
	if _, err := model.WholeTonnes(r.Tonnes); err != nil {
		return err
	}
	if r.MaxPrice < 0 {
		return refuse("a price limit is more than 0")
	}
	for _, share := range []model.PerMille{r.PerProject, r.PerGroup} {
		if share < 0 || share > whole {
			return refuse("a cap is more than 0 %% and at most 100 %%, and %s is not", Percent(share))
		}
	}
	return r.checkFloors()
}

func (r Request) checkFloors() error {
	switch l := r.Label; {
	case l == LabelFloor{}:
	case strings.TrimSpace(l.Label) == "" || l.Share <= 0 || l.Share > whole:
		return refuse("a floor by label names a label, and is more than 0 %% and at most 100 %%")
	case len(r.Floors) > 0:
		return refuse("floors are of types or of a label, not of both")
	case r.PerProject > 0 && r.PerGroup > 0:
		return refuse("a floor by label goes with a cap per project or with one per %s, not with both", r.Group)
	}
	var sum model.PerMille
	seen := make(map[string]bool)
	for _, f := range r.Floors {
		name := strings.ToLower(strings.TrimSpace(f.Type))
		switch {
		case name == "":
			return refuse("a floor is of a type")
		case f.Share <= 0 || f.Share > whole:
			return refuse("a floor is more than 0 %% and at most 100 %%, and %s is not", Percent(f.Share))
		case seen[name]:
			return refuse("there are two floors for the type %s", f.Type)
		}
		seen[name] = true
		sum += f.Share
	}
	if sum > whole {
		return refuse("the floors add up to %s of the basket", Percent(sum))
	}
	return nil
}

// SetCap sets a cap: "project=40%", "type=50%" or "country=12.5%". The error is an
// *RequestError.
func (l *Limits) SetCap(text string) error {
	name, share, err := cutShare(text, "project=40%")
	if err != nil {
		return err
	}
	switch name = strings.ToLower(name); name {
	case "project":
		if l.PerProject != 0 {
			return refuse("there are two caps per project")
		}
		l.PerProject = share
		return nil
	case "type", "country":
		if l.PerGroup != 0 && l.Group.String() == name {
			return refuse("there are two caps per %s", name)
		}
		if l.PerGroup != 0 {
			return refuse("there is a cap per %s already, and %q would be another: one of type and country can be capped", l.Group, text)
		}
		l.PerGroup, l.Group = share, ByType
		if name == "country" {
			l.Group = ByCountry
		}
		return nil
	}
	return refuse("%q is nothing that a cap can be put on: project, type and country are", name)
}

// AddFloor adds a floor: "type:Biochar=10%" or "label:ccp=50%", or returns an
// *RequestError.
func (l *Limits) AddFloor(text string) error {
	name, share, err := cutShare(text, "type:Biochar=10%")
	if err != nil {
		return err
	}
	kind, name, _ := strings.Cut(name, ":")
	name = strings.TrimSpace(name)
	switch kind = strings.ToLower(strings.TrimSpace(kind)); {
	case name == "" || kind != "type" && kind != "label":
		return refuse("%q names no type or label: a floor is like type:Biochar=10%% or label:ccp=50%%", text)
	case kind == "type":
		l.Floors = append(l.Floors, Floor{name, share})
	case l.Label.Share > 0:
		return refuse("there are two floors by label, and there can be one")
	default:
		l.Label = LabelFloor{name, share}
	}
	return nil
}

func cutShare(text, like string) (what string, share model.PerMille, err error) {
	at := strings.LastIndexByte(text, '=')
	if at < 0 {
		return "", 0, refuse("%q has no share: write it like %s", text, like)
	}
	share, err = ParseShare(text[at+1:])
	return strings.TrimSpace(text[:at]), share, err
}

// ParseTonnes reads whole tonnes as people write them, "5,000", "5000 t" or "5k".
// The error is an *RequestError that says how they are written.
func ParseTonnes(text string) (int64, error) {
	number, thousands := strings.CutSuffix(strings.TrimSpace(strings.TrimSuffix(strings.ToLower(text), "t")), "k")
	grams, err := model.ParseTonnes(strings.TrimSpace(number))
	if thousands && err == nil {
		if grams > math.MaxInt64/1000 {
			err = model.ErrOutOfRange
		}
		grams *= 1000
	}
	switch {
	case errors.Is(err, model.ErrOutOfRange):
		return 0, refuse("that is beyond any quantity")
	case err != nil || grams == 0:
		return 0, refuse("tonnes are written like 5,000")
	case !grams.IsWhole():
		return 0, refuse("only whole tonnes are sold")
	}
	return grams.Tonnes(), nil
}

// ParseShare reads a share, "40%" or "12.5%". The error is an *RequestError.
func ParseShare(text string) (model.PerMille, error) {
	share, err := model.ParsePercent(text)
	switch {
	case errors.Is(err, model.ErrNotDigits):
		return 0, refuse("%q is no share: write it like 40%%", strings.TrimSpace(text))
	case err != nil || share <= 0 || share > whole:
		return 0, refuse("%q is not more than 0 %% and at most 100 %%", strings.TrimSpace(text))
	}
	return share, nil
}

// Percent writes a share as a person types it: 40%, 12.5%.
func Percent(share model.PerMille) string {
	return strings.TrimSuffix(strings.TrimPrefix(strings.TrimSuffix(share.String(), "%"), "+"), ".0") + "%"
}

func shareOf(tonnes int64, share model.PerMille, up bool) int64 {
	hi, lo := bits.Mul64(uint64(tonnes), uint64(share))
	quotient, rest := bits.Div64(hi, lo, uint64(whole))
	if up && rest > 0 {
		quotient++
	}
	return int64(quotient)
}
