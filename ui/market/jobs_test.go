package market

import (
	"context"
	"slices"
	"testing"

	"tonne/ui/effect"
)

func TestJobsAreRunOneAfterAnother(t *testing.T) {
	t.Parallel()
	m := settled(t).tab.memory
	var log []string
	begin := func(name string, wanted bool) job {
		return func() effect.Work {
			if !wanted {
				return nil
			}
			return func(context.Context) any {
				log = append(log, name)
				return nil
			}
		}
	}
	run := func(e effect.Effect) jobDone { return e.(effect.Work)(t.Context()).(jobDone) }
	first := m.run(begin("first", true))
	for _, more := range []effect.Effect{m.run(begin("needless", false)), m.run(begin("second", true))} {
		if more != nil {
			t.Error("a job begins while another is under way")
		}
	}
	second := m.done(run(first))
	if third := m.done(run(second)); third != nil {
		t.Error("there is more to do")
	}
	if want := []string{"first", "second"}; !slices.Equal(log, want) {
		t.Errorf("the jobs ran as %v, want %v", log, want)
	}
	if again := m.run(begin("third", true)); again == nil {
		t.Error("a job waits for nothing")
	}
}
