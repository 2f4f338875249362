package docs_test

import (
	"fmt"
	"go/scanner"
	"go/token"
	"maps"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// avoided returns the expressions of testdata/words.txt with their replacements.
func avoided() map[string]string {
	words := make(map[string]string)
	for line := range strings.Lines(read("testdata/words.txt")) {
		if expression, replacement, ok := strings.Cut(strings.TrimSpace(line), "\t"); ok {
			words[expression] = replacement
		}
	}
	return words
}

// TestProseAvoidsWords checks the documents, and the comments and messages of the code. Capitalised
// words may be names, and strings of tests are data: neither is checked.
func TestProseAvoidsWords(t *testing.T) {
	t.Parallel()
	avoided := avoided()
	all := slices.Sorted(maps.Keys(avoided))
	pattern := regexp.MustCompile(`\b(?:(` + strings.Join(all, `)|(`) + `))\b`)
	check := func(place, text string) {
		if found := pattern.FindString(text); found != "" {
			for _, words := range all {
				if regexp.MustCompile(words).MatchString(found) {
					t.Errorf("%s: %q: write %q", place, found, avoided[words])
				}
			}
		}
	}
	eachFile(t, func(path, text string) {
		if path == "docs/words_test.go" {
			return
		}
		if strings.HasSuffix(path, ".go") {
			eachProse(path, []byte(text), check)
			return
		}
		for n, line := range strings.Split(text, "\n") {
			check(fmt.Sprintf("%s:%d", path, n+1), line)
		}
	}, ".go", ".md")
}

func eachProse(path string, source []byte, check func(place, text string)) {
	files := token.NewFileSet()
	file := files.AddFile(path, -1, len(source))
	var s scanner.Scanner
	s.Init(file, source, nil, scanner.ScanComments)
	for {
		at, kind, text := s.Scan()
		switch {
		case kind == token.EOF:
			return
		case kind == token.COMMENT,
			kind == token.STRING && strings.Contains(text, " ") && !strings.HasSuffix(path, "_test.go"):
			check(files.Position(at).String(), strings.ReplaceAll(text, "\n// ", " "))
		}
	}
}
