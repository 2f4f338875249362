package basket

import (
	"context"
	"errors"
	"fmt"
	"math/bits"
	"slices"
	"strings"

	"tonne/model"
)

// Request describes a basket of Tonnes, or of what Budget buys. The other one is 0.
type Request struct {
	Tonnes int64
	Budget model.Cents
	Limits Limits
}

const whole model.PerMille = 1000

func (r Request) check() error {
	if r.Tonnes < 0 || r.Budget < 0 || (r.Tonnes == 0) == (r.Budget == 0) {
		return errors.New("a basket is so many tonnes or so much money, more than 0 of one of them")
	}
	_, err := model.WholeTonnes(r.Tonnes)
	return err
}

func cutShare(text, like string) (what string, share model.PerMille, err error) {
	at := strings.LastIndexByte(text, '=')
	if at < 0 {
		return "", 0, fmt.Errorf("%q has no share: write it like %s", text, like)
	}
	share, err = model.ParsePercent(text[at+1:])
	typed := strings.TrimSpace(text[at+1:])
	switch {
	case errors.Is(err, model.ErrNotDigits):
		err = fmt.Errorf("%q is no share: write it like 40%%", typed)
	case err != nil || share <= 0 || share > whole:
		err = fmt.Errorf("%q is not more than 0 %% and at most 100 %%", typed)
	}
	return strings.TrimSpace(text[:at]), share, err
}

// ParseTonnes parses whole tonnes like "5,000", "5000 t" or "5k", or "all" as the given quantity. The error explains
// the format.
func ParseTonnes(text string, all model.Grams) (int64, error) {
	grams, err := model.ParseQuantity(text, all)
	switch {
	case model.IsAmbiguous(err):
		return 0, err
	case errors.Is(err, model.ErrOutOfRange):
		return 0, errors.New("that is beyond any quantity")
	case err != nil || grams == 0:
		return 0, errors.New("tonnes are written like 5,000")
	case !grams.IsWhole():
		return 0, errors.New("only whole tonnes are sold")
	}
	return grams.Tonnes(), nil
}

// Percent formats a share as users type it: 40%, 12.5%.
func Percent(share model.PerMille) string {
	if share%10 == 0 {
		return model.FormatNumber(int64(share/10)) + "%"
	}
	return share.FormatShare()
}

// Limit is a limit of a basket with its effect.
type Limit struct {
	Kind LimitKind
	// Name is the type of a floor, or a part of a label. Case does not matter.
	Name string
	// Price is the limit of MaxPrice, and Share that of the other kinds.
	Price model.PriceCents
	Share model.PerMille

	// Tonnes is the share of the basket in tonnes.
	Tonnes int64
	// Binds reports that the basket would be cheaper or larger without this limit.
	Binds bool
	// Costs is how much cheaper it would be, or 0 if it would have other tonnes.
	Costs model.Cents
	// Fills is how many tonnes larger it would be.
	Fills int64
	// At are the ids of the projects, or the types or countries, that reach a cap.
	At []string
}

// LimitKind is the kind of a Limit.
type LimitKind int8

// The kinds of limits.
const (
	MaxPrice LimitKind = iota
	ProjectCap
	TypeCap
	CountryCap
	TypeFloor
	LabelFloor
)

var kinds = [...]string{
	MaxPrice: "max-price ", ProjectCap: "cap project", TypeCap: "cap type", CountryCap: "cap country",
	TypeFloor: "floor type:", LabelFloor: "floor label:",
}

// String returns the limit as users type it: "cap project=40%", "max-price 1000".
func (l Limit) String() string {
	if l.Kind == MaxPrice {
		return kinds[MaxPrice] + l.Price.String()
	}
	return kinds[l.Kind] + l.Name + "=" + Percent(l.Share)
}

func (l Limit) isCap() bool { return l.Kind >= ProjectCap && l.Kind <= CountryCap }

func (l Limit) isFloor() bool { return l.Kind >= TypeFloor }

func (l Limit) of(tonnes int64) int64 {
	hi, lo := bits.Mul64(uint64(tonnes), uint64(l.Share))
	quotient, rest := bits.Div64(hi, lo, uint64(whole))
	if l.isFloor() && rest > 0 {
		quotient++
	}
	return int64(quotient)
}

// Limits are the limits of a basket. The zero value limits nothing.
//
// A share refers to the requested tonnes, or those that a budget buys. A cap is rounded
// down to whole tonnes, a floor up. There may be caps for types or for countries, and
// floors for types or for one label. A floor for a label allows one cap: for projects,
// types or countries.
type Limits struct{ all []Limit }

// MaxPrice returns the highest price of an order, or 0 without a limit.
func (l Limits) MaxPrice() model.PriceCents {
	if len(l.all) > 0 && l.all[0].Kind == MaxPrice {
		return l.all[0].Price
	}
	return 0
}

// Label returns the label of the floor for a label, or "" without one.
func (l Limits) Label() string {
	for _, limit := range l.all {
		if limit.Kind == LabelFloor {
			return limit.Name
		}
	}
	return ""
}

// SetMaxPrice sets the highest price of an order. 0 removes the limit.
func (l *Limits) SetMaxPrice(price model.PriceCents) {
	l.all = slices.DeleteFunc(slices.Clone(l.all), func(other Limit) bool { return other.Kind == MaxPrice })
	if price > 0 {
		l.all = slices.Insert(l.all, 0, Limit{Kind: MaxPrice, Price: price})
	}
}

// AddCap adds a cap: "project=40%", "type=50%" or "country=12.5%".
func (l *Limits) AddCap(text string) error {
	name, share, err := cutShare(text, "project=40%")
	if err != nil {
		return err
	}
	limit := Limit{Kind: LimitKind(slices.Index(kinds[:], "cap "+strings.ToLower(name))), Share: share}
	if limit.Kind < 0 {
		return fmt.Errorf("%q is nothing that a cap can be put on: project, type and country are", name)
	}
	return l.add(limit)
}

// AddFloor adds a floor: "type:Biochar=10%" or "label:ccp=50%".
func (l *Limits) AddFloor(text string) error {
	name, share, err := cutShare(text, "type:Biochar=10%")
	if err != nil {
		return err
	}
	kind, name, _ := strings.Cut(name, ":")
	limit := Limit{Kind: LimitKind(slices.Index(kinds[:], "floor "+strings.ToLower(strings.TrimSpace(kind))+":")),
		Name: strings.TrimSpace(name), Share: share}
	if limit.Kind < 0 || limit.Name == "" {
		return fmt.Errorf("%q names no type or label: a floor is like type:Biochar=10%% or label:ccp=50%%", text)
	}
	return l.add(limit)
}

func (l *Limits) add(limit Limit) error {
	all := append(slices.Clone(l.all), limit)
	slices.SortStableFunc(all, func(a, b Limit) int { return int(a.Kind - b.Kind) })
	var caps, floors int
	for _, other := range all {
		switch {
		case other.isCap():
			caps++
		case other.isFloor():
			floors += int(other.Share)
		}
	}
	for _, other := range l.all {
		if limit.excludes(other) || other.excludes(limit) {
			return fmt.Errorf("%s and %s do not go together", other, limit)
		}
	}
	switch {
	case (Limits{all}).Label() != "" && caps > 1:
		return errors.New("a floor by label goes with one cap, not with two")
	case floors > int(whole):
		return fmt.Errorf("the floors add up to %s of the basket", Percent(model.PerMille(floors)))
	}
	l.all = all
	return nil
}

func (l Limit) excludes(other Limit) bool {
	switch l.Kind {
	case TypeFloor:
		return other.Kind == TypeFloor && strings.EqualFold(other.Name, l.Name)
	case TypeCap:
		return other.Kind == TypeCap || other.Kind == CountryCap
	case LabelFloor:
		return other.isFloor()
	}
	return other.Kind == l.Kind
}

func (b *Book) assess(ctx context.Context, r Request, in bounds, f *filling, cost model.Cents) ([]Limit, error) {
	limits := slices.Clone(r.Limits.all)
	for i := range limits {
		without := slices.Delete(slices.Clone(r.Limits.all), i, i+1)
		other := b.fill(b.boundsOf(without, in.tonnes))
		limit := &limits[i]
		limit.Tonnes = limit.of(in.tonnes)
		if limit.Fills = other.total - f.total; r.Budget > 0 {
			tonnes, err := b.affordable(ctx, without, r.Budget)
			if err != nil {
				return nil, err
			}
			limit.Fills = tonnes - f.total
		}
		if limit.Fills == 0 {
			otherCost, err := other.cost()
			if err != nil {
				return nil, err
			}
			limit.Costs = cost - otherCost
		}
		limit.Binds = limit.Fills > 0 || limit.Costs > 0
		limit.At = b.reached(*limit, f)
	}
	return limits, nil
}

func (b *Book) reached(l Limit, f *filling) (names []string) {
	if !l.isCap() || l.Tonnes == 0 {
		return nil
	}
	name := map[LimitKind]func(project uint32) string{
		ProjectCap: func(project uint32) string { return b.market.Project(int(project)).ID },
		TypeCap:    b.types.name, CountryCap: b.countries.name,
	}[l.Kind]
	sums := make(map[string]int64)
	for i, n := range f.taken {
		sums[name(f.offers[i].project)] += n
	}
	for name, n := range sums {
		if n == l.Tonnes {
			names = append(names, name)
		}
	}
	slices.Sort(names)
	return names
}
