package retire

import (
	"errors"
	"fmt"
	"strings"
	"testing"

	"tonne/api/retire"
	"tonne/model"
	"tonne/ui/cli/command"
)

// outcomes are calls by what may become of them. Each is one tonne.
var outcomes = map[string]func(*retire.Call){
	"done":        func(c *retire.Call) { c.State = retire.Done },
	"refused":     func(c *retire.Call) { c.State = retire.Refused },
	"unknown":     func(c *retire.Call) { c.State, c.Unsure = retire.Unknown, true },
	"turned away": func(c *retire.Call) { c.State = retire.Sent },
	"given up":    func(c *retire.Call) { c.State, c.Unsure, c.GivenUp = retire.Unknown, true, true },
	"kept":        func(c *retire.Call) { c.State, c.Request = retire.Prepared, "r" },
	"dropped":     func(c *retire.Call) { c.State, c.GivenUp = retire.Prepared, true },
}

// Whatever becomes of the calls, the advice never repeats a command that would
// retire one of them a second time, and it names what is left.
func TestAdviceNeverRepeatsWhatWouldRetireTwice(t *testing.T) {
	t.Parallel()
	names := []string{"done", "refused", "unknown", "turned away", "given up", "kept", "dropped"}
	for name, kind := range map[string]struct {
		repeat    onRepeat
		reference string
	}{
		"single": {retiresAll, ""}, "single with a reference": {plansRest, "r"}, "batch": {asksAndPlansRest, "r"},
		"resume": {onlyAsks, ""}, "resume with a reference": {onlyAsks, "r"},
	} {
		for set := 1; set < 1<<len(names); set++ {
			is := make(map[string]bool)
			var calls []*retire.Call
			for i, outcome := range names {
				if is[outcome] = set>>i&1 == 1; is[outcome] {
					c := &retire.Call{Reference: kind.reference}
					c.Plan.VintageID, c.Plan.Quantity = "V", model.GramsPerTonne
					outcomes[outcome](c)
					calls = append(calls, c)
				}
			}
			a := newAdvice(kind.repeat, calls)
			if kind.repeat != onlyAsks {
				a.whole = model.Grams(len(calls)) * model.GramsPerTonne
			}
			cause := &command.Failure{What: "no", Todo: "wait.", Again: "try it again", Status: command.StatusFailed, Code: "rate_limited"}
			var f *command.Failure
			if !errors.As(a.advised(cause), &f) {
				t.Fatal("no failure")
			}
			if strings.Contains(f.Todo, ".;") {
				t.Errorf("a sentence goes on behind its end: %s", f.Todo)
			}
			checkAdvice(t, fmt.Sprintf("%s, %v", name, is), kind.repeat, kind.reference, is, f)
		}
	}
}

// checkAdvice compares the advice with what a repeated command would do.
func checkAdvice(t *testing.T, name string, repeat onRepeat, reference string, is map[string]bool, f *command.Failure) {
	t.Helper()
	said := f.Next()
	served := is["done"] || is["unknown"] || is["turned away"] || is["given up"]
	twice := repeat == retiresAll && (served || is["kept"]) || repeat == onlyAsks && reference == "" && is["refused"]
	if names := strings.Contains(said, "again"); names && twice {
		t.Errorf("%s: would retire twice: %s", name, said)
	}
	if command.NewFailureJSON(f).Retryable == twice {
		t.Errorf("%s: retryable: %v, although a repeated command would retire twice: %v", name, !twice, twice)
	}
	for what, must := range map[string]bool{
		"run the same command again": repeat != onlyAsks && !twice &&
			(is["refused"] || is["dropped"] || repeat != retiresAll && is["kept"] || repeat == asksAndPlansRest && (is["unknown"] || is["turned away"])),
		"`tonne retire resume`":    repeat != asksAndPlansRest && (is["unknown"] || is["turned away"]),
		"`tonne retire resume ID`": repeat == retiresAll && is["kept"] && twice,
		"tonne retire abandon ID":  is["given up"],
		"--grams ":                 twice && (is["refused"] || repeat == retiresAll && is["dropped"]),
	} {
		if must && !strings.Contains(said, what) {
			t.Errorf("%s: %q is missing: %s", name, what, said)
		}
	}
	if rest := strings.Contains(said, "--grams "); rest && !twice {
		t.Errorf("%s: names a rest beside the command: %s", name, said)
	}
}
