package cli

import (
	"context"
	"errors"
	"io"
	"maps"
	"net/http"
	"os"
	"runtime"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	"tonne/api/apitest"
	"tonne/ui/cli/command"
	"tonne/ui/cli/terminal"
)

// commands are the data commands, which share the documented exit statuses.
var commands = map[string][]string{
	"market":     {"market", "-o", "json"},
	"market csv": {"market", "-o", "csv"}, "market jsonl": {"market", "-o", "jsonl"}, "market table": {"market"},
	"one page":  {"market", "--page", "1"},
	"inventory": {"inventory", "-o", "json"}, "inventory jsonl": {"inventory", "-o", "jsonl"},
	"retirement": {"retirement", "R1"},
	"project":    {"project"},
	"quote":      {"quote", "--vintage", "V1", "--tonnes", "1"},
	"basket":     {"basket", "--tonnes", "1"},
	"compare":    {"compare", "V1", "V2"},
	"reconcile":  {"reconcile", "testdata/records.csv"},
	"watch once": {"watch", "--once", "--vintage", "V1", "--rule", "price < 7"},
	"status":     {"auth", "status"},
}

// forEachCommand runs every data command against a handler, and checks the exit status
// and the two sentences of the failure.
func forEachCommand(t *testing.T, want int, handler func() http.Handler, message string) {
	t.Helper()
	for name, args := range commands {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			inBubble(t, func(t *testing.T) {
				r := newWorld(t, handler()).run(args...)
				if r.status != want {
					t.Errorf("status %d, want %d: %s", r.status, want, r.stderr)
				}
				if what, _ := r.sentences(t); !strings.Contains(what, message) {
					t.Errorf("%q does not contain %q", what, message)
				}
				if args[0] != "auth" && r.stdout != "" {
					t.Errorf("output despite the failure: %q", r.stdout)
				}
			})
		})
	}
}

func TestExit3IfKeyIsRefused(t *testing.T) {
	t.Parallel()
	forEachCommand(t, 3, func() http.Handler {
		return apitest.Status(401, `{"statusCode":401,"message":"Unauthorized `+testKey+`"}`)
	}, "does not accept the API key (401)")
}

func TestExit3IfRoleIsRefused(t *testing.T) {
	t.Parallel()
	forEachCommand(t, 3, func() http.Handler {
		return apitest.Status(403, `{"statusCode":403,"message":"Permission denied according to assigned roles","error":"Forbidden"}`)
	}, `does not hold the role "API User" (403)`)
}

func TestExit4IfIDIsUnknownOrInvalid(t *testing.T) {
	t.Parallel()
	for _, body := range []string{
		`{"statusCode":422,"error":"NOT_FOUND","message":"There is no such request"}`,
		`{"statusCode":422,"error":"VALIDATION_ERROR","message":["id must be a string"]}`,
		`{}`, `[]`, ``,
	} {
		inBubble(t, func(t *testing.T) {
			r := newWorld(t, apitest.Status(422, body)).run("retirement", "R1")
			if r.status != 4 {
				t.Errorf("%s: status %d", body, r.status)
			}
			r.sentences(t)
		})
	}
}

func TestExit5IfServiceFails(t *testing.T) {
	t.Parallel()
	for name, handler := range map[string]func() http.Handler{
		"500 on every attempt":     func() http.Handler { return apitest.Status(500, `{"statusCode":500,"message":"`+testKey+`"}`) },
		"503":                      func() http.Handler { return apitest.Status(503, "") },
		"429 on every attempt":     func() http.Handler { return apitest.RateLimited("1") },
		"429, retry after a year":  func() http.Handler { return apitest.RateLimited("31536000") },
		"429, invalid Retry-After": func() http.Handler { return apitest.RateLimited("soon") },
		"no response":              apitest.Hang,
		"one byte per second":      func() http.Handler { return apitest.Slow(strings.Repeat(" ", 1000)+"{}", time.Second) },
		"connection reset":         apitest.Reset,
		"HTML of a proxy":          apitest.HTML,
		"truncated JSON":           func() http.Handler { return apitest.CutOff(pageOf("1", marketProjects)) },
		"an empty object":          func() http.Handler { return apitest.JSON(`{}`) },
		"null":                     func() http.Handler { return apitest.JSON(`null`) },
		"an array":                 func() http.Handler { return apitest.JSON(`[]`) },
		"trailing bytes":           func() http.Handler { return apitest.JSON(pageOf("1", marketProjects) + "x") },
		"a redirect":               func() http.Handler { return apitest.Redirect("https://elsewhere.example/") },
		"404":                      func() http.Handler { return apitest.Status(404, "") },
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			forEachCommand(t, 5, handler, "")
		})
	}
}

func TestExit0IfRetrySucceeds(t *testing.T) {
	t.Parallel()
	inBubble(t, func(t *testing.T) {
		s := new(service)
		handler := apitest.Sequence(apitest.Status(500, "{}"), apitest.RateLimited("2"), apitest.Reset(), s)
		if got := newWorld(t, handler).must("project", "-o", "json"); !strings.Contains(got, "P1") {
			t.Errorf("got %s", got)
		}
	})
}

func TestAdviceNamesTheCauseToFix(t *testing.T) {
	t.Parallel()
	w := newWorld(t, new(service))
	directory := w.env["HOME"]
	for _, c := range []struct {
		args   []string
		key    string
		advice string
	}{
		{[]string{"serve", "keys", "list", "--db", w.write("damaged.db", strings.Repeat("damaged ", 1000))}, "", "the file that --db names"},
		{[]string{"serve", "keys", "list", "--db", os.DevNull}, "", "the file that --db names"},
		{[]string{"serve", "--db", directory}, "", "the file that --db names"},
		{[]string{"market", "--config", "/nonexistent/config.toml"}, "", "Name an existing file"},
		{[]string{"market", "--config", directory}, "", "Check the path"},
		{[]string{"market"}, "a b", "Store the key again"},
	} {
		w.env["TONNE_API_KEY"] = testKey
		if c.key != "" {
			w.env["TONNE_API_KEY"] = c.key
		}
		if _, todo := w.run(c.args...).sentences(t); !strings.Contains(todo, c.advice) {
			t.Errorf("tonne %s: %s", strings.Join(c.args, " "), todo)
		}
	}
}

func TestSuccessWritesOnlyToStandardOutput(t *testing.T) {
	t.Parallel()
	for name, args := range commands {
		r := newWorld(t, new(service)).run(args...)
		if r.status != 0 || r.stderr != "" || r.stdout == "" {
			t.Errorf("%s: status %d, standard error %q", name, r.status, r.stderr)
		}
	}
}

// runInto runs a command whose standard output is out.
func (w *world) runInto(out io.Writer, args ...string) result {
	var stderr strings.Builder
	status := Run(w.t.Context(), command.Process{
		Args: args, Stdin: strings.NewReader(""), Stdout: out, Stderr: &stderr, Now: time.Now,
		Getenv: func(name string) string { return w.env[name] }, Transport: apitest.Transport(w.handler),
	})
	return result{status: status, stderr: stderr.String()}
}

// textCommands returns commands that print text for people: help, settings, lists.
func (w *world) textCommands() [][]string {
	db := w.env["HOME"] + "/market.db"
	if r := w.run("serve", "--db", db, "keys", "create", "--tenant", "acme", "--create-tenant"); r.status != 0 {
		w.t.Fatal(r.stderr)
	}
	return [][]string{
		{"--help"}, {"help"}, {"help", "market"}, {"market", "--help"}, {"auth"}, {"config"}, {"serve", "keys"}, {"config", "show"}, {"config", "init"},
		{"auth", "status"}, {"version"}, {"man"}, {"completion", "bash"}, {"completion", "zsh"}, {"completion", "fish"}, {"completion", "powershell"},
		{"serve", "--db", db, "keys", "list"}, {"serve", "--db", db, "invoices"}, {"serve", "--db", db, "close-month"},
		{"serve", "--db", db, "--listen", "127.0.0.1:0"}, {"serve", "--db", w.env["HOME"] + "/demo.db", "--listen", "127.0.0.1:0", "--demo-data"},
	}
}

func TestFullDiskIsReported(t *testing.T) {
	t.Parallel()
	w := newWorld(t, new(service))
	for _, args := range slices.AppendSeq(w.textCommands(), maps.Values(commands)) {
		r := w.runInto(failing{&os.PathError{Op: "write", Path: "/dev/stdout", Err: syscall.ENOSPC}}, args...)
		if r.status != 1 {
			t.Errorf("tonne %s: status %d", strings.Join(args, " "), r.status)
		}
		if what, _ := r.sentences(t); !strings.Contains(what, "/dev/stdout: no space left") {
			t.Errorf("tonne %s: %s", strings.Join(args, " "), what)
		}
	}
}

func TestClosedPipeIsNotAnError(t *testing.T) {
	t.Parallel()
	for name, args := range commands {
		r := newWorld(t, new(service)).runInto(failing{&os.PathError{Op: "write", Path: "/dev/stdout", Err: syscall.EPIPE}}, args...)
		if r.status != 0 || r.stderr != "" {
			t.Errorf("%s: status %d, %q", name, r.status, r.stderr)
		}
	}
}

func TestExitStatusAfterSignal(t *testing.T) {
	t.Parallel()
	for signal, want := range map[syscall.Signal]int{syscall.SIGINT: 130, syscall.SIGTERM: 143, syscall.SIGHUP: 129} {
		inBubble(t, func(t *testing.T) {
			ctx, cancel := context.WithCancelCause(t.Context())
			w := newWorld(t, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
				cancel(&terminal.SignalError{Signal: signal})
				apitest.Hang().ServeHTTP(w, r)
			}))
			if r := w.runContext(ctx, "market"); r.status != want || r.stderr != "" {
				t.Errorf("%v: status %d, %q", signal, r.status, r.stderr)
			}
		})
	}
}

func TestPanicWritesStackToDebugLogOnly(t *testing.T) {
	t.Parallel()
	w := newWorld(t, new(service))
	log := w.env["HOME"] + "/debug.log"
	calls := 0
	p := command.Process{
		Args: []string{"market", "--debug", log}, Stdin: strings.NewReader(""), Stdout: new(strings.Builder),
		Getenv: func(name string) string { return w.env[name] }, Transport: apitest.Transport(w.handler),
		Now: func() time.Time {
			calls++
			panic(errors.New("a bug with " + testKey))
		},
	}
	var stderr strings.Builder
	p.Stderr = &stderr
	r := result{status: Run(t.Context(), p), stderr: stderr.String()}
	if r.status != 1 || calls == 0 {
		t.Errorf("status %d", r.status)
	}
	if _, todo := r.sentences(t); !strings.Contains(todo, log) {
		t.Errorf("the debug log is not named: %s", todo)
	}
	text, err := os.ReadFile(log)
	if err != nil || !strings.Contains(string(text), "goroutine") || strings.Contains(string(text), testKey) {
		t.Errorf("debug log: %v\n%s", err, text)
	}
}

func TestDebugLogNeverContainsKey(t *testing.T) {
	t.Parallel()
	inBubble(t, func(t *testing.T) {
		w := newWorld(t, apitest.Status(500, `{"message":"`+testKey+`"}`))
		log := w.env["HOME"] + "/debug.log"
		w.run("market", "--debug", log)
		text, err := os.ReadFile(log)
		if err != nil || !strings.Contains(string(text), "api/market") || strings.Contains(string(text), testKey) {
			t.Errorf("debug log: %v\n%s", err, text)
		}
		if info, err := os.Stat(log); err != nil || runtime.GOOS != "windows" && info.Mode().Perm() != 0o600 {
			t.Errorf("mode %v, %v", info.Mode(), err)
		}
	})
}
