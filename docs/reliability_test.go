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
	testName     = regexp.MustCompile("`((?:Test|Fuzz|Benchmark)[A-Z]\\w*(?:/[a-z-]+)?)`")
	testDeclared = regexp.MustCompile(`(?m)^func ((?:Test|Fuzz|Benchmark)\w+)\(`)
)

func TestEveryTestThatAPageNamesExists(t *testing.T) {
	t.Parallel()
	declared := make(map[string]bool)
	err := filepath.WalkDir("..", func(path string, _ fs.DirEntry, err error) error {
		if script, is := strings.CutSuffix(filepath.Base(path), ".txtar"); is {
			declared["TestScripts/"+script] = true
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
	page, err := os.ReadFile("reliability.md")
	if err != nil {
		t.Fatal(err)
	}
	found := testName.FindAllStringSubmatch(string(page), -1)
	if len(found) < 100 {
		t.Fatalf("%d names of tests are on the page: the test does not see them", len(found))
	}
	for _, m := range found {
		if !declared[m[1]] {
			t.Errorf("reliability.md names %s, and there is no such test", m[1])
		}
	}
}
