package docs_test

import (
	"go/ast"
	"go/parser"
	"go/token"
	"testing"
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
				if of, ok := call.Fun.(*ast.SelectorExpr); ok && isName(of.X, "regexp") {
					t.Errorf("%s: regexp.%s runs at every start of the program: wrap it in sync.OnceValue", file, of.Sel.Name)
				}
			}
		}
	})
	if seen < 100 {
		t.Fatalf("%d declarations of variables: the test does not see the program", seen)
	}
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

func isName(x ast.Expr, name string) bool {
	id, ok := x.(*ast.Ident)
	return ok && id.Name == name
}

// A program that looks a method up by a name that is made when it runs, as templates
// do, has every exported method of every type in it: the linker cannot tell which
// are wanted. That was an eighth of the program, in its memory too.
func TestNoMethodIsLookedUpByName(t *testing.T) {
	t.Parallel()
	sources(t, parser.SkipObjectResolution, func(file string, parsed *ast.File) {
		for _, i := range parsed.Imports {
			if i.Path.Value == `"text/template"` || i.Path.Value == `"html/template"` {
				t.Errorf("%s imports %s", file, i.Path.Value)
			}
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
