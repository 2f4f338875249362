package docs_test

import (
	"go/ast"
	"go/parser"
	"go/token"
	"go/types"
	"path/filepath"
	"strings"
	"testing"

	must "tonne/model/musttest"
)

// Everybody who starts the program waits for what packages do before main runs.
func TestNoExpressionIsCompiledBeforeMain(t *testing.T) {
	t.Parallel()
	seen := 0
	sources(t, parser.SkipObjectResolution, func(file string, parsed *ast.File) {
		for _, d := range parsed.Decls {
			variables, ok := d.(*ast.GenDecl)
			if !ok || variables.Tok != token.VAR {
				continue
			}
			seen++
			for _, call := range callsAtOnce(variables) {
				of, _ := call.Fun.(*ast.SelectorExpr)
				must.Hold(t, of == nil || types.ExprString(of.X) != "regexp", file,
					"runs a call at every start of the program, wrap it in sync.OnceValue")
			}
		}
	})
	must.Need(t, seen >= 100, "declarations of variables that the test sees:", seen)
}

// callsAtOnce returns the calls of a declaration, without those in functions
// that it only makes.
func callsAtOnce(of *ast.GenDecl) (calls []*ast.CallExpr) {
	called := make(map[ast.Node]bool)
	ast.Inspect(of, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.CallExpr:
			calls = append(calls, n)
			called[n.Fun] = true
		case *ast.FuncLit:
			return called[n]
		}
		return true
	})
	return calls
}

// A program that looks a method up by a name that is made when it runs, as templates
// do, has every exported method of every type in it: the linker cannot tell which
// are wanted. That was an eighth of the program, in its memory too.
func TestNoMethodIsLookedUpByName(t *testing.T) {
	t.Parallel()
	sources(t, parser.SkipObjectResolution, func(file string, parsed *ast.File) {
		if strings.HasSuffix(filepath.Dir(file), "test") {
			return // The support of tests is in no program.
		}
		for _, i := range parsed.Imports {
			must.Hold(t, i.Path.Value != `"text/template"` && i.Path.Value != `"html/template"`, file, "imports", i.Path.Value)
		}
		ast.Inspect(parsed, func(n ast.Node) bool {
			if of, ok := n.(*ast.SelectorExpr); ok {
				switch of.Sel.Name {
				case "MethodByName", "SetVersionTemplate", "SetHelpTemplate", "SetUsageTemplate":
					t.Errorf("%s: %s keeps every method of every type in the program", file, of.Sel.Name)
				}
			}
			return true
		})
	})
}
