package tab

import (
	"context"
	"slices"
	"testing"

	tea "charm.land/bubbletea/v2"
)

func TestErrandsAreRunOneAfterAnother(t *testing.T) {
	t.Parallel()
	var errands Errands
	var log []string
	errand := func(name string, wanted bool) Errand {
		return func() func(context.Context) func() tea.Cmd {
			if !wanted {
				return nil
			}
			return func(context.Context) func() tea.Cmd {
				log = append(log, name+" away")
				return func() tea.Cmd {
					log = append(log, name+" back")
					return nil
				}
			}
		}
	}
	first := errands.Run(t.Context(), errand("first", true))
	for _, more := range []tea.Cmd{
		errands.Run(t.Context(), errand("needless", false)), errands.Run(t.Context(), errand("second", true)),
	} {
		if more != nil {
			t.Error("an errand begins while another is under way")
		}
	}
	second := first().(Done)()
	if third := second().(Done)(); third != nil {
		t.Error("there is more to do")
	}
	if want := []string{"first away", "first back", "second away", "second back"}; !slices.Equal(log, want) {
		t.Errorf("the errands ran as %v, want %v", log, want)
	}
	if again := errands.Run(t.Context(), errand("third", true)); again == nil {
		t.Error("an errand waits for nothing")
	}
}
