package docs_test

import (
	"go/parser"
	"go/scanner"
	"go/token"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
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
	page, err := os.ReadFile("interface.md")
	if err != nil {
		t.Fatal(err)
	}
	found := make(map[string]bool)
	for _, m := range section.FindAllStringSubmatch(string(page), -1) {
		number := m[1] + m[2]
		if found[number] {
			t.Errorf("interface.md has two sections %s", number)
		}
		found[number] = true
	}
	return found
}

// prose returns the comments of a Go file, each joined to one text, and its
// strings: names of tests cite sections too.
func prose(t *testing.T, path string) []string {
	t.Helper()
	source, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	files := token.NewFileSet()
	parsed, err := parser.ParseFile(files, path, source, parser.ParseComments)
	if err != nil {
		t.Fatal(err)
	}
	var all []string
	for _, group := range parsed.Comments {
		all = append(all, group.Text())
	}
	var s scanner.Scanner
	s.Init(files.AddFile(path, -1, len(source)), source, nil, 0)
	for {
		_, kind, text := s.Scan()
		switch kind {
		case token.EOF:
			return all
		case token.STRING:
			all = append(all, text)
		}
	}
}

func TestEveryCitationOfTheInterfaceResolves(t *testing.T) {
	t.Parallel()
	known, cited := sections(t), 0
	err := filepath.WalkDir("..", func(path string, entry fs.DirEntry, err error) error {
		if err != nil || entry.IsDir() || !strings.HasSuffix(path, ".go") || filepath.Base(path) == "citations_test.go" {
			return err
		}
		for _, text := range prose(t, path) {
			if m := numbered.FindString(text); m != "" {
				t.Errorf("%s cites %q: write \"interface section N\"", path, m)
			}
			for _, m := range citation.FindAllStringSubmatch(text, -1) {
				cited++
				if !known[m[1]] {
					t.Errorf("%s cites section %s, which docs/interface.md does not have", path, m[1])
				}
			}
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	if cited < 40 {
		t.Errorf("%d citations were found: the test does not see them", cited)
	}
}
