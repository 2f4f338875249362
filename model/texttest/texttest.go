// Package texttest is for tests whose inputs and outputs are text. They are in txtar archives, in which lines that
// begin with ">" are outputs.
package texttest

import (
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"
	"time"

	"github.com/rogpeppe/go-internal/txtar"

	must "tonne/model/musttest"
)

var update = flag.Bool("update", false,
	"write the outputs of tests into testdata, and generated documents, instead of comparing them")

// Update reports whether outputs and generated documents are written instead of compared.
func Update() bool { return *update }

// Run runs a test for each file of the archives testdata/pattern.txtar. run returns the text of a file with its
// outputs.
func Run(t *testing.T, pattern string, run func(t *testing.T, text string) (with string)) {
	paths, err := filepath.Glob(filepath.Join("testdata", pattern+".txtar"))
	must.Need(t, err == nil && len(paths) > 0, pattern, err)
	for _, path := range paths {
		archive := must.Get(txtar.ParseFile(path))
		t.Run(strings.TrimSuffix(filepath.Base(path), ".txtar"), func(t *testing.T) {
			if !*update {
				t.Parallel()
			}
			for i, file := range archive.Files {
				t.Run(file.Name, func(t *testing.T) {
					if !*update {
						t.Parallel()
					}
					archive.Files[i].Data = []byte(run(t, string(file.Data)))
					if !*update {
						compare(t, string(file.Data), string(archive.Files[i].Data))
					}
				})
			}
			if *update {
				must.Succeed(t, os.WriteFile(path, txtar.Format(archive), 0o644))
			}
		})
	}
}

// compare names the first line in which two texts differ.
func compare(t *testing.T, want, got string) {
	t.Helper()
	was, is := strings.Split(want, "\n"), strings.Split(got, "\n")
	n := 0
	for n < min(len(was), len(is)) && was[n] == is[n] {
		n++
	}
	if got != want {
		t.Errorf("line %d should be %q; the whole output is\n%s", n+1,
			strings.Join(was[min(n, len(was)):min(n+1, len(was))], ""), got)
	}
}

// Answers answers the input of each block of a text, and writes the output below it. Blank lines separate blocks.
func Answers(text string, answer func(input string) string) string {
	blocks := strings.Split(strings.TrimRight(text, "\n"), "\n\n")
	for i, block := range blocks {
		input, _, _ := strings.Cut(block, "\n> ")
		blocks[i] = input + "\n> " + strings.ReplaceAll(strings.TrimSpace(answer(input)), "\n", "\n> ")
	}
	return strings.Join(blocks, "\n\n") + "\n"
}

// Show returns a value with its fields that are not zero.
func Show(value any) string { return show(reflect.ValueOf(value)) }

func show(v reflect.Value) string {
	if !v.IsValid() {
		return "nil"
	}
	switch at := v.Interface().(type) {
	case time.Time:
		return at.UTC().Format(time.RFC3339Nano)
	case string:
		return quoted(at)
	case interface{ CSV() string }:
		return quoted(at.CSV())
	}
	switch v.Kind() {
	case reflect.Pointer, reflect.Interface:
		return show(v.Elem())
	case reflect.Struct:
		return "{" + strings.Join(fields(v), " ") + "}"
	case reflect.Slice:
		return "[" + strings.TrimPrefix(elements(v), " ") + "]"
	case reflect.String:
		return quoted(v.String())
	}
	return fmt.Sprint(v.Interface())
}

func fields(v reflect.Value) (all []string) {
	for i := range v.NumField() {
		if of := v.Type().Field(i); of.IsExported() && !v.Field(i).IsZero() {
			all = append(all, of.Name+":"+show(v.Field(i)))
		}
	}
	return all
}

// elements returns the elements of a slice. One that has fields begins a line.
func elements(v reflect.Value) (all string) {
	for i := range v.Len() {
		text, before := show(v.Index(i)), " "
		if strings.HasPrefix(text, "{") {
			text, before = strings.ReplaceAll(text, "\n", "\n  "), "\n  "
		}
		all += before + text
	}
	return all
}

// quoted quotes a text that has a blank or a bracket. It escapes nothing, so that tests see each character.
func quoted(text string) string {
	if text == "" || strings.ContainsAny(text, " {}[]\n") {
		return `"` + text + `"`
	}
	return text
}
