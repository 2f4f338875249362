package docs_test

import (
	"go/ast"
	"go/parser"
	"go/token"
	"regexp"
	"testing"

	must "tonne/model/musttest"
)

var (
	// section begins a section of the interface: a heading, or a paragraph of
	// section 1 in bold.
	section = regexp.MustCompile(`(?m)^(?:#{2,3} (\d+(?:\.\d+)*)\.? |- \*\*(\d+\.\d+)\*\* )`)
	// citation is how code cites one. A comment may break the line in it.
	citation = regexp.MustCompile(`\bsections?\s+(\d+(?:\.\d+)*)`)
	// numbered cites a number without the word that makes it a citation.
	numbered = regexp.MustCompile(`(?i)\binterface(?:'s)?,?\s+\d`)
)

func sections(t *testing.T) map[string]bool {
	t.Helper()
	found := make(map[string]bool)
	for _, m := range section.FindAllStringSubmatch(read("interface.md"), -1) {
		number := m[1] + m[2]
		must.Hold(t, !found[number], "interface.md has two sections", number)
		found[number] = true
	}
	return found
}

// prose returns the comments of a Go file, each joined to one text, and its
// strings: names of tests cite sections too.
func prose(path, source string) (all []string) {
	files := token.NewFileSet()
	parsed := must.Get(parser.ParseFile(files, path, source, parser.ParseComments))
	for _, group := range parsed.Comments {
		all = append(all, group.Text())
	}
	ast.Inspect(parsed, func(n ast.Node) bool {
		if of, ok := n.(*ast.BasicLit); ok && of.Kind == token.STRING {
			all = append(all, of.Value)
		}
		return true
	})
	return all
}

func TestEveryCitationOfTheInterfaceResolves(t *testing.T) {
	t.Parallel()
	known, cited := sections(t), 0
	eachFile(t, func(path, source string) {
		if path == "docs/citations_test.go" {
			return
		}
		for _, text := range prose(path, source) {
			m := numbered.FindString(text)
			must.Hold(t, m == "", path, "has not the form \"interface section N\":", m)
			for _, m := range citation.FindAllStringSubmatch(text, -1) {
				cited++
				must.Hold(t, known[m[1]], path, "cites a section that docs/interface.md does not have:", m[1])
			}
		}
	}, ".go")
	must.Hold(t, cited >= 40, "citations that the test sees:", cited)
}
