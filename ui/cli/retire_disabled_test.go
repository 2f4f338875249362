package cli

import (
	"context"
	"errors"
	"maps"
	"math/rand/v2"
	"net/http"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"tonne/api/retire"
	"tonne/model"
	"tonne/model/longtest"
	must "tonne/model/musttest"
	"tonne/model/retirement"
)

// offConfigs are configurations that do not enable retiring for the base URL of the tests,
// although most contain allow_retire.
var offConfigs = []string{
	"",
	"profile = \"a\"\n[profiles.a]\nbase_url = \"" + baseURL + "\"\n",
	"profile = \"a\"\n[profiles.a]\nbase_url = \"" + baseURL +
		"\"\nallow_retire = false\n[profiles.b]\nbase_url = \"https://other.example\"\nallow_retire = true\n",
	"profile = \"a\"\n[profiles.a]\nallow_retire = true\n",
	"profile = \"a\"\n[profiles.a]\nbase_url = \"" + baseURL + ":8443\"\nallow_retire = true\n",
	"profile = \"a\"\n[profiles.a]\nbase_url = \"https://market.example.evil.example\"\nallow_retire = true\n",
	"profile = \"a\"\n[profiles.a]\nbase_url = \"" + baseURL + "\"\nallow_retire = \"true\"\n",
	"profile = \"a\"\nallow_retire = true\n[profiles.a]\nbase_url = \"" + baseURL + "\"\n",
	"profile = \"a\"\n[profiles.a]\nbase_url = \"" + baseURL + "\"\nallow-retire = true\n",
	"profile = \"a\"\n[profiles.a]\nbase_url = \"" + baseURL +
		"\"\nproduction = true\n[profiles.allow_retire]\nbase_url = \"" + baseURL + "\"\n",
}

// chance draws values, with a seed that the test logs.
type chance struct{ *rand.Rand }

func oneOf[T any](c chance, values ...T) T { return values[c.IntN(len(values))] }

// offFlags draws flags of a command with valid and invalid values, none of which enables
// retiring.
func offFlags(c chance, cmd *cobra.Command, files []string) (args []string) {
	values := append([]string{"", "true", "1", "4", "20", "4000000", "V1", "S2", "R1", "a", "b", "json", "csv", "GB",
		"tonne-open", baseURL, "allow_retire=true", "2026-10"}, files...)
	add := func(f *pflag.Flag) {
		value := oneOf(c, values...)
		switch f.Name {
		case "watch", "wait", "debug", "help", "retry":
			return
		case "allow-retire":
			args = append(args, "--allow-retire="+oneOf(c, "false", "0", "f", "FALSE", "", "yes", "on"))
			return
		case "config":
			// `config init` writes the file, which must not end up in the source tree.
			value = filepath.Join(filepath.Dir(files[0]), value)
		case "output":
			value = oneOf(c, "table", "json", "jsonl", "csv")
		}
		if f.Value.Type() == "bool" {
			value = oneOf(c, "true", "false")
		}
		elsewhere := slices.Contains([]string{"base-url", "profile", "timeout", "config"}, f.Name)
		if c.IntN(6) == 0 && (!elsewhere || c.IntN(4) == 0) {
			args = append(args, "--"+f.Name+"="+value)
		}
	}
	cmd.Flags().VisitAll(add)
	cmd.InheritedFlags().VisitAll(add)
	return args
}

// likely are retirements that would be carried out if retiring were enabled; FILE is a batch.
var likely = []string{
	"retire --vintage V1 --tonnes 4 --yes", "retire --vintage V1 --grams 20", "retire resume --yes",
	"retire resume tonne-open --yes",
	"retire --file FILE --results FILE.results --yes", "retire --file FILE --results FILE.results --take-over --yes",
	"retire -- --allow-retire --vintage V1 --tonnes 4 --yes", "retire --vintage --allow-retire --tonnes 4 --yes",
	"retire --vintage V1 --tonnes 4 --yes --allow-retire=true --allow-retire=false",
	"retire --vintage V1 --reference --allow-retire --tonnes 4 --yes",
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
		call := retire.Call{ExternalID: id, Body: []byte(`{}`),
			Plan: retirement.Call{VintageID: "V1", Quantity: 20, Price: model.UnknownPrice}}
		other := otherProgram(t, w.env["XDG_DATA_HOME"], profile, false)
		err := other.Confirm(t.Context(), retire.Confirmed{Calls: []retire.Call{call}})
		err = errors.Join(err, other.Close(time.Second))
		must.Succeed(t, err)
	}
	for _, profile := range []string{"", "a", "b"} {
		confirm(profile, "tonne-open")
	}
	files := []string{w.write("batch.csv", shortHeader+"a,V1,4000000\n"), w.write("ids.txt", "R1\n"),
		filepath.Join(w.env["HOME"], "out.json")}
	// These run until interrupted, or use no remote marketplace.
	excluded := regexp.MustCompile(`^tonne($| (serve|demo|share|watch|config edit|completion))`)
	commands := tree()
	maps.DeleteFunc(commands, func(path string, _ *cobra.Command) bool { return excluded.MatchString(path) })
	paths := slices.Sorted(maps.Keys(commands))
	seed := uint64(time.Now().UnixNano())
	t.Logf("seed %d", seed)
	c := chance{rand.New(rand.NewPCG(seed, 1))}
	// The first run is refused for sure; the others may never come so far.
	first := w.run(strings.Fields(likely[0])...).stderr
	must.Hold(t, strings.Contains(first, "retiring is not allowed"), "retiring is not refused, so the test proves nothing",
		first)
	for range longtest.Runs(40, 100) {
		w.configure(oneOf(c, slices.Concat(offConfigs, offConfigs[:6])...))
		for _, name := range []string{"TONNE_ALLOW_RETIRE", "ALLOW_RETIRE", "TONNE_RETIRE", "TONNE_YES"} {
			w.env[name] = oneOf(c, "", "true", "1")
		}
		w.env["TONNE_PROFILE"] = oneOf(c, "", "", "", "", "", "", "", "", "", "a", "b", "allow_retire")
		w.stdin = oneOf(c, "", "yes\n", "4\n4\n4\n", "allow_retire = true\n", "tonne-open\n")
		var args []string
		if c.IntN(2) == 0 {
			args = append(strings.Fields(strings.ReplaceAll(oneOf(c, likely...), "FILE", files[0])),
				offFlags(c, commands["tonne retire resume"], files)...)
		} else {
			path := oneOf(c, paths...)
			args = append(strings.Fields(path)[1:], offFlags(c, commands[path], files)...)
			if more := oneOf(c, "", "R1", "V1", "tonne-open", "-", "4"); more != "" {
				args = append(args, more)
			}
		}
		ctx, cancel := context.WithTimeout(t.Context(), 5*time.Second)
		w.runContext(ctx, args...)
		cancel()
		must.Need(t, calls.Load() == 0, "tonne", strings.Join(args, " "), "with", w.env, "retires")
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
