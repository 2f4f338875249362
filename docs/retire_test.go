package docs_test

import (
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"tonne/api"
)

// What cannot be undone has one way in: package retire sends it, and the command
// `tonne retire`, the dashboard and the demo alone switch it on.
func TestOnlyRetireReachesTheCallThatCannotBeUndone(t *testing.T) {
	t.Parallel()
	allowed := map[string]func(file string) bool{
		"RequestRetirement": func(file string) bool {
			return strings.HasPrefix(file, "api/retire/") || strings.HasPrefix(file, "api/marketplace/") || file == "api/request_retirement.go"
		},
		"MayRetire": func(file string) bool {
			return file == "ui/cli/retiring/retiring.go" || file == "api/client.go"
		},
		"ClientThatRetires": func(file string) bool {
			return slices.Contains([]string{"ui/cli/retiring/retiring.go", "ui/cli/retire/send.go", "ui/cli/dashboard/dashboard.go", "ui/cli/demo/demo.go"}, file)
		},
	}
	seen := make(map[string]int)
	err := filepath.WalkDir("..", func(path string, entry fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return err
		case entry.IsDir() && (entry.Name() == "testdata" || entry.Name() == ".git"):
			return fs.SkipDir
		case !strings.HasSuffix(path, ".go") || strings.HasSuffix(path, "_test.go"):
			return nil
		}
		file := strings.TrimPrefix(filepath.ToSlash(path), "../")
		parsed, err := parser.ParseFile(token.NewFileSet(), path, nil, parser.SkipObjectResolution)
		if err != nil {
			return err
		}
		ast.Inspect(parsed, func(n ast.Node) bool {
			if id, ok := n.(*ast.Ident); ok && allowed[id.Name] != nil {
				if seen[id.Name]++; !allowed[id.Name](file) {
					t.Errorf("%s knows %s", file, id.Name)
				}
			}
			return true
		})
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	for name := range allowed {
		if seen[name] < 2 {
			t.Errorf("%s is seen %d times: the test does not see it", name, seen[name])
		}
	}
}

func TestThePagesAboutRetiringAreReachedFromTheReadmeAndFromEachOther(t *testing.T) {
	t.Parallel()
	for page, links := range map[string][]string{
		"../README.md":       {"(docs/retire.md)", "(docs/retire-commands.md)"},
		"retire.md":          {"(retire-commands.md)"},
		"retire-commands.md": {"(retire.md)"},
	} {
		text, err := os.ReadFile(page)
		if err != nil {
			t.Fatal(err)
		}
		for _, link := range links {
			if !strings.Contains(string(text), link) {
				t.Errorf("%s has no link %s", page, link)
			}
		}
	}
}

// One table of refusals serves the program and the page.
func TestThePageOnRetiringHasEachRefusalOfTheInterface(t *testing.T) {
	t.Parallel()
	page, err := os.ReadFile("retire.md")
	if err != nil {
		t.Fatal(err)
	}
	law, err := os.ReadFile("interface.md")
	if err != nil {
		t.Fatal(err)
	}
	_, codes, _ := strings.Cut(string(law), "Retiring, in groups:")
	codes, _, _ = strings.Cut(codes, "## 8")
	refusals := api.Refusals()
	if n := strings.Count(codes, "`") / 2; n != len(refusals) || strings.Count(string(page), "\n| `") != n {
		t.Errorf("the interface names %d codes, the program %d, the page %d", n, len(refusals), strings.Count(string(page), "\n| `"))
	}
	for _, r := range refusals {
		if row := fmt.Sprintf("| `%s` | %s | %s |\n", r.Code, r.What, r.Todo); !strings.Contains(string(page), row) {
			t.Errorf("docs/retire.md does not have the row\n%s", row)
		}
		if !strings.Contains(codes, "`"+r.Code+"`") {
			t.Errorf("the interface does not name %s", r.Code)
		}
	}
}
