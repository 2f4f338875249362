package retirement_test

import (
	"errors"
	"math"
	"testing"

	"tonne/model"
	"tonne/model/retirement"
)

// statuses are the states of interface section 3 and an undocumented one.
var statuses = []retirement.Status{
	retirement.Open, retirement.Closed, retirement.InProgress, retirement.Complete, retirement.NothingToProcess, "ARCHIVED", "",
}

func TestOnlyTwoStatesAreFinal(t *testing.T) {
	t.Parallel()
	for _, s := range statuses {
		documented := s != "ARCHIVED" && s != ""
		if s.Known() != documented || (s.Meaning() != "") != documented {
			t.Errorf("%q: known %t, meaning %q", s, s.Known(), s.Meaning())
		}
		if want := s == retirement.Complete || s == retirement.NothingToProcess; s.Final() != want {
			t.Errorf("%q: final %t", s, s.Final())
		}
	}
}

func TestItemsTotal(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name  string
		items []model.Grams
		want  model.Grams
		err   error
	}{
		{"no items", nil, 0, nil},
		{"the worked example", []model.Grams{20, 40}, 60, nil},
		{"unreadable", []model.Grams{20, model.UnknownGrams}, 0, model.ErrUnknown},
		{"too large", []model.Grams{math.MaxInt64, 1}, 0, model.ErrOverflow},
	} {
		var r retirement.Request
		for _, g := range c.items {
			r.Items = append(r.Items, retirement.Item{Quantity: g})
		}
		if got, err := r.ItemsTotal(); got != c.want || !errors.Is(err, c.err) {
			t.Errorf("%s: %d, %v; want %d, %v", c.name, got, err, c.want, c.err)
		}
	}
}

func TestProjectWithoutNameHasItsID(t *testing.T) {
	t.Parallel()
	projects := model.Projects{"a": {ID: "a", Name: "Bale Mountains"}, "b": {ID: "b"}}
	for id, want := range map[string]string{"a": "Bale Mountains", "b": "b", "c": "c"} {
		if got := projects.Name(id); got != want {
			t.Errorf("Name(%q) = %q", id, got)
		}
	}
	if got := model.Projects(nil).Name("c"); got != "c" {
		t.Errorf("name without a project = %q", got)
	}
}

func TestOptionalBool(t *testing.T) {
	t.Parallel()
	var none model.OptionalBool
	if none != model.Unset || model.BoolOf(true) != model.Yes || model.BoolOf(false) != model.No {
		t.Error("wrong value of OptionalBool")
	}
}
