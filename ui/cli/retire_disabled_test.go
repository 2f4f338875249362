package cli

import (
	"context"
	"errors"
	"net/http"
	"path/filepath"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
	"pgregory.net/rapid"

	"tonne/api/retire"
	"tonne/model"
	"tonne/model/retirement"
)

// offConfigs are configurations that do not enable retiring for the base URL of the tests,
// although most contain allow_retire.
var offConfigs = []string{
	"",
	"profile = \"a\"\n[profiles.a]\nbase_url = \"" + baseURL + "\"\n",
	"profile = \"a\"\n[profiles.a]\nbase_url = \"" + baseURL + "\"\nallow_retire = false\n[profiles.b]\nbase_url = \"https://other.example\"\nallow_retire = true\n",
	"profile = \"a\"\n[profiles.a]\nallow_retire = true\n",
	"profile = \"a\"\n[profiles.a]\nbase_url = \"" + baseURL + ":8443\"\nallow_retire = true\n",
	"profile = \"a\"\n[profiles.a]\nbase_url = \"https://market.example.evil.example\"\nallow_retire = true\n",
	"profile = \"a\"\n[profiles.a]\nbase_url = \"" + baseURL + "\"\nallow_retire = \"true\"\n",
	"profile = \"a\"\nallow_retire = true\n[profiles.a]\nbase_url = \"" + baseURL + "\"\n",
	"profile = \"a\"\n[profiles.a]\nbase_url = \"" + baseURL + "\"\nallow-retire = true\n",
	"profile = \"a\"\n[profiles.a]\nbase_url = \"" + baseURL + "\"\nproduction = true\n[profiles.allow_retire]\nbase_url = \"" + baseURL + "\"\n",
}

// isExcluded reports whether a command runs until interrupted, or uses no remote marketplace.
func isExcluded(path string) bool {
	return slices.ContainsFunc([]string{"tonne serve", "tonne demo", "tonne share", "tonne watch", "tonne config edit", "tonne completion"}, func(excluded string) bool {
		return path == "tonne" || path == excluded || strings.HasPrefix(path, excluded+" ")
	})
}

// offFlags draws flags of a command with valid and invalid values, none of which enables
// retiring.
func offFlags(rt *rapid.T, cmd *cobra.Command, files []string) (args []string) {
	var flags []*pflag.Flag
	add := func(f *pflag.Flag) {
		if !slices.Contains([]string{"watch", "wait", "debug", "help", "retry"}, f.Name) {
			flags = append(flags, f)
		}
	}
	cmd.Flags().VisitAll(add)
	cmd.InheritedFlags().VisitAll(add)
	values := append([]string{"", "true", "1", "4", "20", "4000000", "V1", "S2", "R1", "a", "b", "json", "csv", "GB", "tonne-open", baseURL, "allow_retire=true", "2026-10"}, files...)
	for _, f := range flags {
		value := rapid.SampledFrom(values).Draw(rt, f.Name)
		switch {
		case f.Name == "allow-retire":
			value = rapid.SampledFrom([]string{"false", "0", "f", "FALSE", "", "yes", "on"}).Draw(rt, "off")
		case f.Name == "base-url" || f.Name == "profile" || f.Name == "config" || f.Name == "timeout":
			if rapid.IntRange(0, 3).Draw(rt, "elsewhere") > 0 {
				continue
			}
			if f.Name == "config" {
				// `config init` writes the file, which must not end up in the source tree.
				value = filepath.Join(filepath.Dir(files[0]), value)
			}
		case f.Name == "output":
			value = rapid.SampledFrom([]string{"table", "json", "jsonl", "csv"}).Draw(rt, f.Name)
		case f.Value.Type() == "bool":
			value = rapid.SampledFrom([]string{"true", "false"}).Draw(rt, f.Name)
		}
		if f.Name == "allow-retire" || rapid.IntRange(0, 5).Draw(rt, "given") == 0 {
			args = append(args, "--"+f.Name+"="+value)
		}
	}
	return args
}

// retireArgs draws the arguments of a valid retirement.
func retireArgs(rt *rapid.T, files []string) []string {
	return strings.Fields(rapid.SampledFrom([]string{
		"retire --vintage V1 --tonnes 4 --yes", "retire --vintage V1 --grams 20", "retire resume --yes", "retire resume tonne-open --yes",
		"retire --file " + files[0] + " --results " + files[0] + ".results --yes", "retire --file " + files[0] + " --results " + files[0] + ".results --take-over --yes",
		"retire -- --allow-retire --vintage V1 --tonnes 4 --yes", "retire --vintage --allow-retire --tonnes 4 --yes",
		"retire --vintage V1 --tonnes 4 --yes --allow-retire=true --allow-retire=false", "retire --vintage V1 --reference --allow-retire --tonnes 4 --yes",
	}).Draw(rt, "likely"))
}

// With any arguments, environment, configuration and input that do not enable retiring, the
// service never receives a retirement call, even though the journal has a pending call.
func TestNoInputRetiresIfDisabled(t *testing.T) {
	t.Parallel()
	var calls atomic.Int64
	s := new(service)
	w := newWorld(t, http.HandlerFunc(func(rw http.ResponseWriter, req *http.Request) {
		if strings.Contains(req.URL.Path, "request-retirement") {
			calls.Add(1)
		}
		s.ServeHTTP(rw, req)
	}))
	confirm := func(profile, id string) {
		call := retire.Call{ExternalID: id, Body: []byte(`{}`), Plan: retirement.Call{VintageID: "V1", Quantity: 20, Price: model.UnknownPrice}}
		other := otherProgram(t, w.env["XDG_DATA_HOME"], profile, false)
		err := other.Confirm(t.Context(), retire.Confirmed{Calls: []retire.Call{call}, Known: -1})
		if err = errors.Join(err, other.Close(time.Second)); err != nil {
			t.Fatal(err)
		}
	}
	for _, profile := range []string{"", "a", "b"} {
		confirm(profile, "tonne-open")
	}
	files := []string{w.write("batch.csv", shortHeader+"a,V1,4000000\n"), w.write("ids.txt", "R1\n"), filepath.Join(w.env["HOME"], "out.json")}
	commands := tree()
	var paths []string
	for path := range commands {
		if !isExcluded(path) {
			paths = append(paths, path)
		}
	}
	slices.Sort(paths)
	refused := 0
	rapid.Check(t, func(rt *rapid.T) {
		w.configure(rapid.SampledFrom(slices.Concat(offConfigs, offConfigs[:6])).Draw(rt, "config"))
		for _, name := range []string{"TONNE_ALLOW_RETIRE", "ALLOW_RETIRE", "TONNE_RETIRE", "TONNE_YES"} {
			w.env[name] = rapid.SampledFrom([]string{"", "true", "1"}).Draw(rt, name)
		}
		delete(w.env, "TONNE_PROFILE")
		if rapid.IntRange(0, 3).Draw(rt, "another profile") == 0 {
			w.env["TONNE_PROFILE"] = rapid.SampledFrom([]string{"a", "b", "allow_retire"}).Draw(rt, "profile")
		}
		w.stdin = rapid.SampledFrom([]string{"", "yes\n", "4\n4\n4\n", "allow_retire = true\n", "tonne-open\n"}).Draw(rt, "stdin")
		var args []string
		if rapid.Bool().Draw(rt, "a retirement") {
			args = append(retireArgs(rt, files), offFlags(rt, commands["tonne retire resume"], files)...)
		} else {
			path := rapid.SampledFrom(paths).Draw(rt, "command")
			args = append(strings.Fields(path)[1:], offFlags(rt, commands[path], files)...)
			args = append(args, rapid.SliceOfN(rapid.SampledFrom([]string{"R1", "V1", "tonne-open", "-", "4"}), 0, 1).Draw(rt, "arguments")...)
		}
		ctx, cancel := context.WithTimeout(t.Context(), 5*time.Second)
		defer cancel()
		if strings.Contains(w.runContext(ctx, args...).stderr, "retiring is not allowed") {
			refused++
		}
		if calls.Load() != 0 {
			rt.Fatalf("tonne %s with %s retires", strings.Join(args, " "), w.env)
		}
	})
	if refused == 0 {
		t.Error("retiring was never refused, so the test proves nothing")
	}
	w.configure("")
	for name := range w.env {
		if strings.HasPrefix(name, "TONNE_") && name != "TONNE_BASE_URL" && name != "TONNE_API_KEY" {
			delete(w.env, name)
		}
	}
	// A command above may have abandoned the other one.
	confirm("", "tonne-new")
	if w.run("retire", "resume", "tonne-new", "--allow-retire", "--yes"); calls.Load() == 0 {
		t.Error("an enabled retirement sends no call either, so the test proves nothing")
	}
}
