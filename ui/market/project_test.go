package market

import (
	"strings"
	"testing"

	"tonne/api/session"
	"tonne/model"
	must "tonne/model/musttest"
	"tonne/ui/uitest"
)

// A terminal would otherwise take each line for a separate address, possibly of another host.
func TestWrappedLinkKeepsWholeAddress(t *testing.T) {
	t.Parallel()
	r := settled(t)
	r.tab.panes.project.safe = func(string) (string, error) { return "registry.example", nil }
	projects := uitest.Projects()
	details := projects["003bale"]
	address := "https://registry.example/" + strings.Repeat("a", 61) + "javascript:alert(1)//" + strings.Repeat("b", 90)
	details.RegistryURL = address
	projects["003bale"] = details
	r.Hear(session.ProjectsEvent{Projects: projects})
	r.Press("i", "enter")
	const begin, end = "\x1b]8;;", "\x1b\\"
	links := 0
	for _, rest := range strings.Split(r.Frame(), begin)[1:] {
		switch to, _, _ := strings.Cut(rest, end); to {
		case "":
		case address:
			links++
		default:
			t.Errorf("the link goes to %q", to)
		}
	}
	must.Hold(t, links >= 2, links, r.Text())
}

func TestLongProjectDetailsWrapAndScroll(t *testing.T) {
	t.Parallel()
	r := settled(t)
	projects := uitest.Projects()
	details := projects["003bale"]
	details.SDGs = strings.Split(strings.Repeat("Affordable and Clean Energy|", 8), "|")
	details.Description = strings.Repeat("Forests keep carbon. ", 40)
	details.Extra = []model.Field{{Name: "a_member_that_nobody_has_named_yet", Value: "42"}}
	projects["003bale"] = details
	r.Hear(session.ProjectsEvent{Projects: projects})
	r.Press("i", "enter")
	frame := r.Text()
	must.Equal(t, strings.Count(frame, "Clean"), 9, frame)
	r.Sees("a_member_tha… 42")
	r.Press("G")
	must.Hold(t, strings.Count(r.Text(), "Forests keep") >= 10, "cannot scroll to the description", r.Text())
}
