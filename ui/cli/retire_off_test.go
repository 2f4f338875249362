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

// offConfigs are configurations that do not switch retiring on for the address
// of the tests, though they speak of it.
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

// stays are the commands that go on until somebody ends them, or that work on
// no marketplace of others.
func stays(path string) bool {
	return slices.ContainsFunc([]string{"tonne serve", "tonne demo", "tonne share", "tonne watch", "tonne config edit", "tonne completion"}, func(stay string) bool {
		return path == "tonne" || path == stay || strings.HasPrefix(path, stay+" ")
	})
}

// offFlags draws flags of a command, with values that mean something and others.
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
				// `config init` writes it: not beside the code.
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

// likely draws the flags of a retirement that would be one.
func likely(rt *rapid.T, files []string) []string {
	return strings.Fields(rapid.SampledFrom([]string{
		"retire --vintage V1 --tonnes 4 --yes", "retire --vintage V1 --grams 20", "retire resume --yes", "retire resume tonne-open --yes",
		"retire --file " + files[0] + " --results " + files[0] + ".results --yes", "retire --file " + files[0] + " --results " + files[0] + ".results --take-over --yes",
		"retire -- --allow-retire --vintage V1 --tonnes 4 --yes", "retire --vintage --allow-retire --tonnes 4 --yes",
		"retire --vintage V1 --tonnes 4 --yes --allow-retire=true --allow-retire=false", "retire --vintage V1 --reference --allow-retire --tonnes 4 --yes",
	}).Draw(rt, "likely"))
}

// Whatever is typed, set, configured or piped: while retiring is not switched
// on, the service is never asked to retire, though a call of an earlier time
// stands open in the journal.
func TestNoInputRetiresWhileRetiringIsOff(t *testing.T) {
	t.Parallel()
	var reached atomic.Int64
	s := new(service)
	w := newWorld(t, http.HandlerFunc(func(rw http.ResponseWriter, req *http.Request) {
		if strings.Contains(req.URL.Path, "request-retirement") {
			reached.Add(1)
		}
		s.ServeHTTP(rw, req)
	}))
	for _, profile := range []string{"", "a", "b"} {
		call := retire.Call{ExternalID: "tonne-open", Body: []byte(`{}`), Plan: retirement.Call{VintageID: "V1", Quantity: 20, Price: model.UnknownPrice}}
		other := otherProgram(t, w.env["XDG_DATA_HOME"], profile, false)
		err := other.Confirm(t.Context(), retire.Confirmed{Calls: []retire.Call{call}, Known: -1})
		if err = errors.Join(err, other.Close(time.Second)); err != nil {
			t.Fatal(err)
		}
	}
	files := []string{w.write("batch.csv", shortHeader+"a,V1,4000000\n"), w.write("ids.txt", "R1\n"), filepath.Join(w.env["HOME"], "out.json")}
	commands := tree(t)
	var paths []string
	for path := range commands {
		if !stays(path) {
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
			args = append(likely(rt, files), offFlags(rt, commands["tonne retire resume"], files)...)
		} else {
			path := rapid.SampledFrom(paths).Draw(rt, "command")
			args = append(strings.Fields(path)[1:], offFlags(rt, commands[path], files)...)
			args = append(args, rapid.SliceOfN(rapid.SampledFrom([]string{"R1", "V1", "tonne-open", "-", "4"}), 0, 1).Draw(rt, "arguments")...)
		}
		ctx, cancel := context.WithTimeout(t.Context(), 5*time.Second)
		defer cancel()
		if strings.Contains(w.runContext(ctx, args...).stderr, "retiring is not switched on") {
			refused++
		}
		if reached.Load() != 0 {
			rt.Fatalf("tonne %s with %s retires", strings.Join(args, " "), w.env)
		}
	})
	if refused == 0 {
		t.Error("retiring was never refused: the test does not reach it")
	}
	w.configure("")
	for name := range w.env {
		if strings.HasPrefix(name, "TONNE_") && name != "TONNE_BASE_URL" && name != "TONNE_API_KEY" {
			delete(w.env, name)
		}
	}
	if w.run("retire", "resume", "--allow-retire", "--yes"); reached.Load() == 0 {
		t.Error("retiring that is switched on is not seen either")
	}
}
