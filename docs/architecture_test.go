package docs_test

import (
	"go/ast"
	"go/parser"
	"path"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	must "tonne/model/musttest"
)

// room is a row of a table of architecture.md: a folder with all below it that
// has no separate row, and the packages that it may import.
type room struct {
	name    string
	imports []string
}

var (
	quoted = regexp.MustCompile("`([^`]+)`")
	// row is a row of the first table: a room, what lives there, what it may
	// import. The second names a library and the rooms that know it.
	row = regexp.MustCompile("(?m)^\\| (`[^|]+) \\| [^|]+ \\| ([^|]*)\\|$")
	own = regexp.MustCompile("(?m)^\\| (`[^|]+) \\| ([^|]*)\\|$")
)

func names(cell string) (all []string) {
	for _, m := range quoted.FindAllStringSubmatch(cell, -1) {
		all = append(all, strings.TrimSuffix(m[1], "/"))
	}
	return all
}

func rooms(t *testing.T) (all []room) {
	t.Helper()
	for _, m := range row.FindAllStringSubmatch(read("architecture.md"), -1) {
		for _, name := range names(m[1]) {
			all = append(all, room{name, names(m[2])})
		}
	}
	must.Need(t, len(all) >= 15, "rooms of architecture.md that the test sees:", len(all))
	return all
}

// roomOf returns the room that a package belongs to: the longest that holds
// its folder. A name that ends in /* stands for each folder below.
func roomOf(all []room, folder string) (best room, ok bool) {
	for _, r := range all {
		name := strings.TrimSuffix(r.name, "*")
		if (folder == name || strings.HasPrefix(folder, strings.TrimSuffix(name, "/")+"/")) && len(r.name) >= len(best.name) {
			best, ok = r, true
		}
	}
	return best, ok
}

// imports calls each with what every file of the program imports.
func imports(t *testing.T, each func(folder, file, imported string)) {
	t.Helper()
	sources(t, parser.ImportsOnly, func(file string, parsed *ast.File) {
		folder := path.Dir(file)
		if folder == "." {
			folder = file
		}
		for _, i := range parsed.Imports {
			each(folder, file, must.Get(strconv.Unquote(i.Path.Value)))
		}
	})
}

func TestRoomsImportWhatArchitectureAllows(t *testing.T) {
	t.Parallel()
	all := rooms(t)
	used := make(map[string]bool)
	imports(t, func(folder, file, imported string) {
		target, ours := strings.CutPrefix(imported, "tonne/")
		if !ours {
			return
		}
		from, known := roomOf(all, folder)
		if !known {
			t.Errorf("%s is in no room of architecture.md", file)
			return
		}
		to, known := roomOf(all, target)
		switch {
		case !known:
			t.Errorf("%s imports %s, which is in no room of architecture.md", file, target)
		case to.name == from.name:
			if strings.HasSuffix(to.name, "/*") && target != folder {
				t.Errorf("%s imports %s: none of %s imports another", file, target, to.name)
			}
		case !slices.Contains(from.imports, to.name):
			t.Errorf("%s imports %s: architecture.md does not let %s import %s", file, target, from.name, to.name)
		}
		used[from.name+" "+to.name] = true
	})
	for _, r := range all {
		for _, target := range r.imports {
			must.Hold(t, used[r.name+" "+target], "architecture.md allows an import that is not there:", r.name, target)
		}
	}
}

func TestTheDomainHasNoIO(t *testing.T) {
	t.Parallel()
	seen := 0
	imports(t, func(folder, file, imported string) {
		domain := folder == "model" || strings.HasPrefix(folder, "model/") && !strings.HasPrefix(folder, "model/file/")
		if !domain || strings.HasSuffix(folder, "test") {
			return
		}
		seen++
		for _, io := range []string{"os", "net/http", "syscall", "database", "tonne/api", "tonne/ui"} {
			must.Hold(t, imported != io && !strings.HasPrefix(imported, io+"/"), file, "imports", imported)
		}
	})
	must.Need(t, seen > 100, seen)
}

func TestLibrariesAreKnownInTheirRoomsAlone(t *testing.T) {
	t.Parallel()
	all := rooms(t)
	seen := make(map[string]bool)
	libraries := own.FindAllStringSubmatch(read("architecture.md"), -1)
	must.Need(t, len(libraries) >= 5, "libraries of architecture.md that the test sees:", len(libraries))
	imports(t, func(folder, file, imported string) {
		for _, m := range libraries {
			for _, library := range names(m[1]) {
				if imported != library && !strings.HasPrefix(imported, library+"/") {
					continue
				}
				from, _ := roomOf(all, folder)
				seen[library+" "+from.name] = true
				if !slices.Contains(names(m[2]), from.name) {
					t.Errorf("%s imports %s, which architecture.md keeps to %s", file, imported, m[2])
				}
			}
		}
	})
	for _, m := range libraries {
		for _, library := range names(m[1]) {
			for _, name := range names(m[2]) {
				must.Hold(t, seen[library+" "+name], "architecture.md allows an import that is not there:", name, library)
			}
		}
	}
}

// agentPackages are the packages of the commands that agents may run, and of their server.
var agentPackages = []string{"ui/cli/mcp", "ui/cli/market", "ui/cli/quote", "ui/cli/basket", "ui/cli/compare",
	"ui/cli/inventory", "ui/cli/project", "ui/cli/retirement", "ui/cli/ledger", "ui/cli/statement", "ui/cli/history",
	"ui/cli/execution"}

// What agents may run neither imports, nor imports through others, the only package that makes a client that retires.
// That it is the only one, and that no other client has a method that retires, are other tests of this package and
// of package api.
func TestAgentsCannotImportTheClientThatRetires(t *testing.T) {
	t.Parallel()
	imported := make(map[string][]string)
	imports(t, func(folder, _, of string) {
		if own, ours := strings.CutPrefix(of, "tonne/"); ours {
			imported[folder] = append(imported[folder], own)
		}
	})
	reached := make(map[string]bool)
	var follow func(folder string)
	follow = func(folder string) {
		if !reached[folder] {
			reached[folder] = true
			for _, next := range imported[folder] {
				follow(next)
			}
		}
	}
	for _, name := range agentPackages {
		must.Hold(t, len(imported[name]) > 0, "there is no package", name)
		follow(name)
	}
	for _, forbidden := range []string{"ui/cli/retiring", "ui/cli/retire", "ui/cli/dashboard", "ui/cli/demo", "ui/cli/serve",
		"ui/cli/auth", "ui/cli/configuration", "api/marketplace"} {
		must.Hold(t, !reached[forbidden], "commands for agents import", forbidden)
		must.Hold(t, len(imported[forbidden]) > 0, "there is no package", forbidden)
	}
	must.Hold(t, reached["api"] && reached["ui/cli/journal"], "the test follows no imports")
}
