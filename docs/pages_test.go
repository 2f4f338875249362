package docs_test

import (
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"

	must "tonne/model/musttest"
)

// read returns the text of a file.
func read(path string) string { return string(must.Get(os.ReadFile(path))) }

// eachFile calls do with the path from the project and the text of every file whose name has one of the endings.
func eachFile(t *testing.T, do func(path, text string), endings ...string) {
	t.Helper()
	must.Succeed(t, filepath.WalkDir("..", func(path string, _ fs.DirEntry, err error) error {
		for _, ending := range endings {
			if err == nil && strings.HasSuffix(path, ending) {
				do(strings.TrimPrefix(filepath.ToSlash(path), "../"), read(path))
			}
		}
		return err
	}))
}

// sources calls each with every file of the program, without tests and their data.
func sources(t *testing.T, mode parser.Mode, each func(file string, parsed *ast.File)) {
	t.Helper()
	eachFile(t, func(file, text string) {
		if !strings.HasSuffix(file, "_test.go") && !strings.Contains(file, "testdata/") {
			each(file, must.Get(parser.ParseFile(token.NewFileSet(), file, text, mode)))
		}
	}, ".go")
}
