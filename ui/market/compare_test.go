package market

import (
	"strings"
	"testing"

	"tonne/api/session"
	"tonne/model/attribute"
	must "tonne/model/musttest"
	"tonne/ui/style"
	"tonne/ui/uitest"
)

// A text may look like a value in a role.
func TestAComparedTextIsShownUnchanged(t *testing.T) {
	t.Parallel()
	for _, value := range []string{"short rotation coppice", "short 5 t", "+5.7%", "−4.2%", "★ 7", "✗ none", "—", "≠",
		"-", "? t", "BEST ASK", "LAST PAID", "ASK VS PAID", "short", "+", "−", "ID", "null", "0", "=1+1"} {
		r := settled(t)
		r.Hear(session.AnnotationsEvent{Facts: attribute.NewFacts([]attribute.Fact{{
			Scope: attribute.OfVintage, ID: bale.VintageID, Attribute: attribute.Methodology, Value: value,
			Source: "https://registry.example/m", Checked: uitest.Now,
		}})})
		r.Press("M", "j", "M", "=")
		line := strings.Join(strings.Fields(r.Line("methodology")), " ")
		must.Hold(t, strings.HasPrefix(line, "≠ methodology "+style.Clip(value, usualCell)+" — "), value, line)
	}
}
