package cli

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"maps"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/rogpeppe/go-internal/testscript"

	"tonne/api/apitest"
	"tonne/api/marketplace"
	"tonne/api/marketplace/demo"
	"tonne/ui/cli/command"
)

// TestScripts runs the scripts of testdata/script and compares whole outputs and exit
// statuses. With -update it writes the outputs into the scripts.
//
// The commands of a script are:
//
//	service NAME                   start a marketplace: fixed (two projects), demo (synthetic
//	                               data of seed 1), or a database file
//	[!] tonne ARGUMENT... [<FILE]  run a command, with FILE as its standard input
//	status N                       check the exit status of the last command
//	transcript FILE                run the lines of FILE that begin with "$ tonne", and print each
//	                               with its output and exit status
//	answer PATH STATUS [FILE]      respond to requests for PATH with a status and the text of FILE
//	answer PATH OLD NEW            replace text in responses for PATH
//	[!] requested TEXT             check that the last command sent a request with TEXT in its URL
//	clock DURATION                 advance the clock
//	member NAME VARIABLE           set a variable to a member of the last JSON object
//	show FILE                      print a file
func TestScripts(t *testing.T) {
	dir, err := filepath.Abs(filepath.Join("testdata", "script"))
	if err != nil {
		t.Fatal(err)
	}
	testscript.Run(t, testscript.Params{
		Dir: dir, UpdateScripts: *update, ContinueOnError: true,
		Setup: func(env *testscript.Env) error {
			home := filepath.Join(env.WorkDir, "home")
			env.Vars = append(env.Vars, environmentOf(home)...)
			env.Vars = append(env.Vars, "TONNE_BASE_URL="+baseURL, "TONNE_API_KEY="+testKey)
			env.Values[scriptKey{}] = &script{now: recordedAt, ring: newFakeRing(), service: new(service), masks: make(map[string]string), counts: make(map[string]int)}
			return os.MkdirAll(home, 0o700)
		},
		Cmds: map[string]func(*testscript.TestScript, bool, []string){
			"tonne":      func(ts *testscript.TestScript, fails bool, args []string) { scriptOf(ts).run(ts, fails, args) },
			"service":    func(ts *testscript.TestScript, _ bool, args []string) { scriptOf(ts).serve(ts, args) },
			"status":     func(ts *testscript.TestScript, _ bool, args []string) { scriptOf(ts).checkStatus(ts, args) },
			"requested":  func(ts *testscript.TestScript, not bool, args []string) { scriptOf(ts).checkRequested(ts, not, args) },
			"answer":     func(ts *testscript.TestScript, _ bool, args []string) { scriptOf(ts).answer(ts, args) },
			"transcript": func(ts *testscript.TestScript, _ bool, args []string) { scriptOf(ts).transcript(ts, args) },
			"show":       func(ts *testscript.TestScript, _ bool, args []string) { scriptOf(ts).show(ts, args) },
			"member":     func(ts *testscript.TestScript, _ bool, args []string) { scriptOf(ts).member(ts, args) },
			"clock":      func(ts *testscript.TestScript, _ bool, args []string) { scriptOf(ts).moveClock(ts, args) },
		},
	})
}

type scriptKey struct{}

// script is the state of one script.
type script struct {
	// mu guards the fields below, because a request may outlive its command.
	mu      sync.Mutex
	now     time.Time
	service http.Handler
	// requests are those of the last command or transcript.
	requests []string
	ring     *fakeRing
	status   int
	// masks maps identifiers that differ from run to run to their replacement, counts
	// numbers them by kind.
	masks  map[string]string
	counts map[string]int
	// masked is false if the service has the same ids in every run.
	masked bool
}

func scriptOf(ts *testscript.TestScript) *script { return ts.Value(scriptKey{}).(*script) }

// workingDirectory serialises commands, because they share the working directory.
var workingDirectory sync.Mutex

func (s *script) serveHTTP(w http.ResponseWriter, r *http.Request) {
	s.mu.Lock()
	s.requests = append(s.requests, r.URL.RequestURI())
	service := s.service
	s.mu.Unlock()
	service.ServeHTTP(w, r)
}

func (s *script) forget() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.requests = nil
}

func (s *script) time() time.Time {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.now
}

func (s *script) run(ts *testscript.TestScript, fails bool, args []string) {
	s.forget()
	stdout, stderr := s.execute(ts, args)
	for to, text := range map[io.Writer]string{ts.Stdout(): stdout, ts.Stderr(): stderr} {
		_, err := io.WriteString(to, text)
		ts.Check(err)
	}
	if (s.status != 0) != fails {
		ts.Fatalf("exit status %d", s.status)
	}
}

func (s *script) execute(ts *testscript.TestScript, args []string) (stdout, stderr string) {
	stdin := ""
	if n := len(args); n > 0 && strings.HasPrefix(args[n-1], "<") {
		stdin, args = ts.ReadFile(args[n-1][1:]), args[:n-1]
	}
	for i := range args {
		args[i] = s.unmask(args[i])
	}
	workingDirectory.Lock()
	defer workingDirectory.Unlock()
	before, err := os.Getwd()
	ts.Check(err)
	ts.Check(os.Chdir(ts.MkAbs(".")))
	defer func() { _ = os.Chdir(before) }()
	var out, failure bytes.Buffer
	s.status = Run(context.Background(), command.Process{
		Args: args, Stdin: strings.NewReader(s.unmask(stdin)), Stdout: &out, Stderr: &failure, Getenv: ts.Getenv,
		Now: s.time, Keyring: s.ring, Transport: apitest.Transport(http.HandlerFunc(s.serveHTTP)),
	})
	for name, text := range map[string]string{"stdout": out.String(), "stderr": failure.String()} {
		if key := ts.Getenv("TONNE_API_KEY"); key != "" && strings.Contains(text, key) || strings.Contains(text, "goroutine ") {
			ts.Fatalf("%s contains the key or a stack:\n%s", name, text)
		}
	}
	stable := func(text string) string { return s.mask(strings.ReplaceAll(text, ts.Getenv("WORK"), "$WORK")) }
	return stable(out.String()), stable(failure.String())
}

func (s *script) transcript(ts *testscript.TestScript, args []string) {
	s.forget()
	for line := range strings.Lines(ts.ReadFile(strings.Join(args, ""))) {
		command, found := strings.CutPrefix(line, "$ tonne")
		if !found {
			continue
		}
		stdout, stderr := s.execute(ts, words(command))
		fmt.Fprint(ts.Stdout(), line, stdout, stderr)
		if s.status != 0 {
			fmt.Fprintf(ts.Stdout(), "[exit %d]\n", s.status)
		}
	}
}

// words splits a command at blanks outside single quotes.
func words(command string) (all []string) {
	for _, word := range regexp.MustCompile(`('[^']*'|[^' \n])+`).FindAllString(command, -1) {
		all = append(all, strings.ReplaceAll(word, "'", ""))
	}
	return all
}

func (s *script) checkRequested(ts *testscript.TestScript, not bool, args []string) {
	contains := func(address string) bool { return strings.Contains(address, strings.Join(args, "")) }
	s.mu.Lock()
	defer s.mu.Unlock()
	if slices.ContainsFunc(s.requests, contains) == not {
		ts.Fatalf("the requests were\n%s", strings.Join(s.requests, "\n"))
	}
}

func (s *script) answer(ts *testscript.TestScript, args []string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	next, path := s.service, args[0]
	status, err := strconv.Atoi(args[1])
	body := ""
	if err == nil && len(args) > 2 {
		body = ts.ReadFile(args[2])
	}
	s.service = http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		switch {
		case r.URL.Path != path:
			next.ServeHTTP(w, r)
		case err == nil:
			w.Header().Set("Content-Type", "application/json")
			w.WriteHeader(status)
			fmt.Fprint(w, body)
		default:
			recorded := httptest.NewRecorder()
			next.ServeHTTP(recorded, r)
			maps.Copy(w.Header(), recorded.Header())
			w.WriteHeader(recorded.Code)
			fmt.Fprint(w, strings.ReplaceAll(recorded.Body.String(), args[1], args[2]))
		}
	})
}

func (s *script) checkStatus(ts *testscript.TestScript, args []string) {
	if want, err := strconv.Atoi(strings.Join(args, "")); err != nil || s.status != want {
		ts.Fatalf("exit status %d, want %v", s.status, args)
	}
}

func (s *script) member(ts *testscript.TestScript, args []string) {
	var object map[string]string
	ts.Check(json.Unmarshal([]byte(s.unmask(ts.ReadFile("stdout"))), &object))
	ts.Setenv(args[1], object[args[0]])
}

func (s *script) show(ts *testscript.TestScript, args []string) {
	_, err := io.WriteString(ts.Stdout(), s.mask(ts.ReadFile(strings.Join(args, ""))))
	ts.Check(err)
}

func (s *script) moveClock(ts *testscript.TestScript, args []string) {
	by, err := time.ParseDuration(strings.Join(args, ""))
	ts.Check(err)
	s.mu.Lock()
	defer s.mu.Unlock()
	s.now = s.now.Add(by)
}

func (s *script) serve(ts *testscript.TestScript, args []string) {
	name := strings.Join(args, "")
	if name == "fixed" {
		s.connect(new(service), false)
		return
	}
	path := ""
	if name != "demo" {
		path = ts.MkAbs(name)
	}
	m, err := marketplace.Open(context.Background(), path, marketplace.Options{Now: s.time, RatePerSecond: -1, PublicURL: baseURL})
	ts.Check(err)
	ts.Defer(func() { _ = m.Close() })
	s.connect(m.Handler(), path != "")
	if path == "" {
		made, err := demo.Load(context.Background(), m, demo.Options{Seed: 1, Now: s.time()})
		ts.Check(err)
		ts.Setenv("TONNE_API_KEY", made.Key)
	}
}

func (s *script) connect(service http.Handler, masked bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.service, s.masked = service, masked
}

// variable matches random values: identifiers, external identifiers and API keys.
var variable = regexp.MustCompile(`\b(00[0-9a-z])[0-9a-z]{15}\b|\b(tonne-)[A-Z2-7]{26}\b|\b()[0-9a-f]{64}\b`)

// mask replaces variable values by numbers of the same width, so that tables stay aligned.
func (s *script) mask(text string) string {
	if !s.masked {
		return text
	}
	return variable.ReplaceAllStringFunc(text, func(id string) string {
		if s.masks[id] == "" {
			kind := strings.Join(variable.FindStringSubmatch(id)[1:], "")
			s.counts[kind]++
			s.masks[id] = fmt.Sprintf("%s%0*d", kind, len(id)-len(kind), s.counts[kind])
		}
		return s.masks[id]
	})
}

func (s *script) unmask(text string) string {
	for id, mask := range s.masks {
		text = strings.ReplaceAll(text, mask, id)
	}
	return text
}
