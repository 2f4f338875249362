package docs_test

import (
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

var (
	testName     = regexp.MustCompile("`((?:Test|Fuzz|Benchmark)[A-Z]\\w*(?:/[a-z/-]+)?)`")
	scenario     = regexp.MustCompile(`(?m)^-- ([a-z-]+) --$`)
	testDeclared = regexp.MustCompile(`(?m)^func ((?:Test|Fuzz|Benchmark)\w+)\(`)
)

func TestEveryTestThatAPageNamesExists(t *testing.T) {
	t.Parallel()
	declared := make(map[string]bool)
	err := filepath.WalkDir("..", func(path string, _ fs.DirEntry, err error) error {
		if script, is := strings.CutSuffix(filepath.Base(path), ".txtar"); is {
			declared["TestScripts/"+script] = true
			archive, err := os.ReadFile(path)
			if err != nil {
				return err
			}
			for _, m := range scenario.FindAllSubmatch(archive, -1) {
				declared["TestSession/"+script+"/"+string(m[1])] = true
			}
		}
		if err != nil || !strings.HasSuffix(path, "_test.go") {
			return err
		}
		source, err := os.ReadFile(path)
		for _, m := range testDeclared.FindAllSubmatch(source, -1) {
			declared[string(m[1])] = true
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	for name, least := range map[string]int{"reliability.md": 100, "security.md": 10} {
		page, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		found := testName.FindAllStringSubmatch(string(page), -1)
		if len(found) < least {
			t.Fatalf("%d names of tests are in %s: the test does not see them", len(found), name)
		}
		for _, m := range found {
			if !declared[m[1]] {
				t.Errorf("%s names %s, and there is no such test", name, m[1])
			}
		}
	}
}
