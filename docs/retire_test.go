package docs_test

import (
	"fmt"
	"go/ast"
	"go/parser"
	"slices"
	"strings"
	"testing"

	"tonne/api"
	must "tonne/model/musttest"
)

// What cannot be undone has one way in: package retire sends it, and the command
// `tonne retire`, the dashboard and the demo alone switch it on.
func TestOnlyRetireReachesTheCallThatCannotBeUndone(t *testing.T) {
	t.Parallel()
	allowed := map[string]func(file string) bool{
		"RequestRetirement": func(file string) bool {
			return strings.HasPrefix(file, "api/retire/") || strings.HasPrefix(file, "api/marketplace/") ||
				file == "api/request_retirement.go"
		},
		"NewRetirer": func(file string) bool {
			return file == "ui/cli/retiring/retiring.go" || file == "api/request_retirement.go"
		},
		"Retirer": func(file string) bool {
			return slices.Contains([]string{"ui/cli/retiring/retiring.go", "api/request_retirement.go",
				"ui/cli/retire/send.go", "ui/cli/dashboard/dashboard.go"}, file)
		},
		"ClientThatRetires": func(file string) bool {
			return slices.Contains([]string{"ui/cli/retiring/retiring.go", "ui/cli/retire/send.go",
				"ui/cli/dashboard/dashboard.go", "ui/cli/demo/demo.go"}, file)
		},
	}
	seen := make(map[string]int)
	sources(t, parser.SkipObjectResolution, func(file string, parsed *ast.File) {
		ast.Inspect(parsed, func(n ast.Node) bool {
			if id, ok := n.(*ast.Ident); ok && allowed[id.Name] != nil {
				seen[id.Name]++
				must.Hold(t, allowed[id.Name](file), file, "knows", id.Name)
			}
			return true
		})
	})
	for name := range allowed {
		must.Hold(t, seen[name] >= 2, "places of a name that the test sees:", name, seen[name])
	}
}

func TestThePagesAboutRetiringAreReachedFromTheReadmeAndFromEachOther(t *testing.T) {
	t.Parallel()
	for page, links := range map[string][]string{
		"../README.md":       {"(docs/retire.md)", "(docs/retire-commands.md)"},
		"retire.md":          {"(retire-commands.md)"},
		"retire-commands.md": {"(retire.md)"},
	} {
		for _, link := range links {
			must.Hold(t, strings.Contains(read(page), link), page, "has no link", link)
		}
	}
}

// One table of refusals serves the program and the page.
func TestThePageOnRetiringHasEachRefusalOfTheInterface(t *testing.T) {
	t.Parallel()
	page, refusals := read("retire.md"), api.Refusals()
	_, codes, _ := strings.Cut(read("interface.md"), "Retiring, in groups:")
	codes, _, _ = strings.Cut(codes, "## 8")
	must.Equal(t, strings.Count(codes, "`")/2, len(refusals), "codes of the interface")
	must.Equal(t, strings.Count(page, "\n| `"), len(refusals), "codes of the page")
	for _, r := range refusals {
		row := fmt.Sprintf("| `%s` | %s | %s |\n", r.Code, r.What, r.Todo)
		must.Hold(t, strings.Contains(page, row), "docs/retire.md does not have the row", row)
		must.Hold(t, strings.Contains(codes, "`"+r.Code+"`"), "the interface does not name", r.Code)
	}
}
