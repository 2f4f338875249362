package docs_test

import (
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	must "tonne/model/musttest"
)

var (
	testName     = regexp.MustCompile("`((?:Test|Fuzz|Benchmark)[A-Z]\\w*(?:/[a-z/-]+)?)`")
	testDeclared = regexp.MustCompile(`(?m)^func ((?:Test|Fuzz|Benchmark)\w+)\(`)
)

func TestEveryTestThatAPageNamesExists(t *testing.T) {
	t.Parallel()
	declared := make(map[string]bool)
	eachFile(t, func(path, text string) {
		if script, is := strings.CutSuffix(filepath.Base(path), ".txtar"); is {
			declared["TestScripts/"+script] = true
		}
		for _, m := range testDeclared.FindAllStringSubmatch(text, -1) {
			declared[m[1]] = true
		}
	}, ".txtar", "_test.go")
	for name, least := range map[string]int{"reliability.md": 100, "security.md": 10} {
		found := testName.FindAllStringSubmatch(read(name), -1)
		must.Need(t, len(found) >= least, name, "names of tests that the test sees:", len(found))
		for _, m := range found {
			must.Hold(t, declared[m[1]], name, "names a test that is not there:", m[1])
		}
	}
}
