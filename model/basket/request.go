package basket

import (
	"errors"
	"fmt"
	"math"
	"strings"

	"tonne/model"
)

// Request asks for a basket of Tonnes, or of what Budget pays for: one of them is 0.
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

// ParseTonnes reads whole tonnes like "5,000", "5000 t" or "5k". The error says how they are written.
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
		return 0, errors.New("that is beyond any quantity")
	case err != nil || grams == 0:
		return 0, errors.New("tonnes are written like 5,000")
	case !grams.IsWhole():
		return 0, errors.New("only whole tonnes are sold")
	}
	return grams.Tonnes(), nil
}

// Percent writes a share as a person types it: 40%, 12.5%.
func Percent(share model.PerMille) string {
	return strings.TrimSuffix(strings.TrimSuffix(ShareText(share), "%"), ".0") + "%"
}
