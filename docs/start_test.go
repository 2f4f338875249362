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
