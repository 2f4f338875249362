package docs_test

import (
	"fmt"
	"go/scanner"
	"go/token"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// avoided maps expressions that the documents, comments and messages avoid to their replacements.
var avoided = map[string]string{
	`anew`:                                   "again",
	`whoever`:                                "the caller, the client, the user",
	`nobody`:                                 "no user, no client",
	`somebody|everybody`:                     "a user, all users",
	`beside`:                                 "next to, with",
	`in place of`:                            "instead of",
	`for want of`:                            "without",
	`but for (a|the|its|their|those|what)`:   "except",
	`what (becomes|became|came) of`:          "the outcome of",
	`as far as (it )?is known`:               "known",
	`cannot be told`:                         "is unknown",
	`(is|are|was|were) told`:                 "receives, is notified",
	`tells? of`:                              "reports, shows",
	`stands? (in|still)`:                     "is in, is idle",
	`goes? on with`:                          "continues",
	`mend(s|ed|ing)?`:                        "fix",
	`errands?`:                               "task",
	`held (against|to)`:                      "compared with, limited to",
	`of (its|their|his) own( accord)?`:       "by itself, in a separate",
	`it (may|might) as well be|written down`: "may be, recorded",
}

// TestProseAvoidsWords checks the documents, and the comments and messages of the code. Capitalised
// words may be names, and strings of tests are data: neither is checked.
func TestProseAvoidsWords(t *testing.T) {
	t.Parallel()
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
	err := filepath.WalkDir("..", func(path string, entry fs.DirEntry, err error) error {
		if err != nil || entry.IsDir() || path == filepath.Join("..", "docs", "words_test.go") {
			return err
		}
		ext := filepath.Ext(path)
		if ext != ".go" && ext != ".md" {
			return nil
		}
		text, err := os.ReadFile(path)
		if ext == ".go" {
			eachProse(path, text, check)
			return err
		}
		for n, line := range strings.Split(string(text), "\n") {
			check(fmt.Sprintf("%s:%d", path, n+1), line)
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
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
		case kind == token.COMMENT, kind == token.STRING && strings.Contains(text, " ") && !strings.HasSuffix(path, "_test.go"):
			check(files.Position(at).String(), strings.ReplaceAll(text, "\n// ", " "))
		}
	}
}
