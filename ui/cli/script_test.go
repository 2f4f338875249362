package cli

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"testing"
	"testing/synctest"
	"time"

	"github.com/rogpeppe/go-internal/testscript"

	"tonne/api/apitest"
	must "tonne/model/musttest"
	"tonne/model/texttest"
	"tonne/ui/cli/command"
	"tonne/ui/cli/terminal"
)

// TestScripts runs the scripts of testdata/script and compares whole outputs and exit
// statuses. With -update it writes the outputs into the scripts. Waiting takes no time, except
// in scripts that use a host of certificates.
//
// The commands of a script are:
//
//	[!] tonne ARGUMENT... [<FILE]  run a command, with FILE as its standard input
//	status N                       check the exit status of the last command
//	transcript FILE                run the lines of FILE that begin with "$ ", and print each with
//	                               its output, its exit status and the retirement calls it sent
//	service NAME                   start a marketplace: fixed (two projects), demo (synthetic data
//	                               of seed 1), market (three sell orders), certificates (complete
//	                               requests), hostile (escape sequences), or a database file
//	fresh                          empty the home directory and start the marketplace again
//	answer PATH STATUS [FILE]      respond to requests for PATH with a status and the text of FILE
//	answer PATH OLD NEW            replace text in responses for PATH
//	fault PATH KIND [WHEN...]      respond in a wrong way, see fault
//	heal                           end all answers and faults
//	certificate another|STATUS|html|reset  change what the host of certificates responds
//	packed PACK FILE               print a file of a pack, or the cells of a sheet
//	rule TEXT                      save a rule on the vintage V1, like the dashboard; "changes" and
//	                               "STATUS" are rules on all retirement requests
//	view LIST NAME FLAG=VALUE...   save a view, like the dashboard
//	prices                         print the recorded best asks of the vintage V1
//	books                          print the tonnes bought and the grams retired
//	[!] requested TEXT             check that the last command sent a request with TEXT in its URL
//	clock DURATION                 advance the clock
//	desk PERSON[:OPTIONS]...       run "tonne share" for people with options of authorized_keys
//	authorize PERSON[:OPTIONS]...  replace authorized_keys
//	logged TEXT...                 wait until an entry of the log contains every TEXT
//	keys-sent                      print the hosts that got a key other than the usual one
//	member NAME VARIABLE           set a variable to a member of the last JSON object
//	show FILE                      print a file
//
// A line of a transcript is "tonne …", "INPUT | tonne …", "timeout DURATION tonne …" (interrupts
// the command), "ssh PERSON COMMAND", one of the commands from service to keys-sent,
// "env NAME=VALUE", or a line of shell. A line of tonne or ssh may end with ">FILE".
func TestScripts(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("the scripts use a Unix shell")
	}
	t.Parallel()
	scripts, err := filepath.Glob(filepath.Join(testdata, "script", "*.txtar"))
	must.Succeed(t, err)
	outputs := newOutputs(t)
	for _, path := range scripts {
		testscript.RunT(scriptT{t, path}, testscript.Params{
			Files: []string{path}, UpdateScripts: texttest.Update(), ContinueOnError: true, WorkdirRoot: t.TempDir(),
			Setup: func(env *testscript.Env) error { return setUp(env, outputs) }, Cmds: scriptCommands(),
		})
	}
}

// scriptT runs a script in a bubble with a fake clock, unless the script uses the network.
type scriptT struct {
	*testing.T
	path string
}

func (scriptT) Parallel() {}

func (scriptT) Verbose() bool { return testing.Verbose() }

func (s scriptT) Run(name string, run func(testscript.T)) {
	s.T.Run(name, func(t *testing.T) {
		t.Parallel()
		if strings.HasPrefix(name, "evidence") || strings.HasPrefix(name, "share") {
			run(scriptT{t, s.path})
			return
		}
		synctest.Test(t, func(t *testing.T) { run(scriptT{t, s.path}) })
	})
}

func setUp(env *testscript.Env, outputs *outputs) error {
	t := env.T().(scriptT).T
	home := filepath.Join(env.WorkDir, "home")
	env.Vars = append(env.Vars, environmentOf(home)...)
	env.Vars = append(env.Vars, "TONNE_BASE_URL="+baseURL, "TONNE_API_KEY="+testKey, "KEY="+testKey, "USER=ann")
	s := &script{
		t: t, close: func() {}, ring: newFakeRing(), outputs: outputs, masks: make(map[string]string),
		counts: make(map[string]int),
		people: make(people), keysSent: make(map[string]bool),
	}
	s.connect(new(service), false)
	env.Values[scriptKey{}] = s
	emptyStore.copyTo(t, filepath.Join(home, "state", "tonne", "tonne.db"), buildStore)
	return nil
}

type scriptKey struct{}

// script is the state of one script.
type script struct {
	t       *testing.T
	outputs *outputs
	ring    *fakeRing
	status  int
	// mu guards the fields below, because a request may outlive its command.
	mu      sync.Mutex
	started time.Time
	later   time.Duration
	name    string
	service http.Handler
	faults  []*fault
	// requests and calls are those of the last command or transcript, calls those that retire.
	requests []string
	calls    int
	// interrupt ends the current command like a signal.
	interrupt    func()
	books        func() string
	certificates *certificates
	close        func()
	// people are those with a key for the desk.
	people people
	desk   *shared
	// keysSent are hosts, each with a key that begins with "key-" and that it got.
	keysSent map[string]bool
	// masks maps identifiers that differ from run to run to their replacement, counts
	// numbers them by kind.
	masks  map[string]string
	counts map[string]int
	// masked is false if the service has the same ids in every run.
	masked bool
}

func scriptOf(ts *testscript.TestScript) *script { return ts.Value(scriptKey{}).(*script) }

// verbs are the commands of scripts and of transcripts.
var verbs = map[string]func(s *script, ts *testscript.TestScript, args []string) (printed string){
	"service": (*script).serve, "fresh": (*script).fresh, "answer": (*script).answer, "fault": (*script).addFault,
	"heal":  (*script).heal,
	"books": (*script).printBooks, "certificate": (*script).changeCertificate, "packed": (*script).packed,
	"rule": (*script).addRule, "view": (*script).saveView, "prices": (*script).printPrices, "clock": (*script).moveClock,
	"show": (*script).show, "env": (*script).setVariable,
	"desk": (*script).startDesk, "authorize": (*script).changeKeys, "logged": (*script).awaitLog,
	"keys-sent": (*script).printSentKeys,
}

func scriptCommands() map[string]func(*testscript.TestScript, bool, []string) {
	all := map[string]func(*testscript.TestScript, bool, []string){
		"tonne":      func(ts *testscript.TestScript, fails bool, args []string) { scriptOf(ts).run(ts, fails, args) },
		"status":     func(ts *testscript.TestScript, _ bool, args []string) { scriptOf(ts).checkStatus(ts, args) },
		"requested":  func(ts *testscript.TestScript, not bool, args []string) { scriptOf(ts).checkRequested(ts, not, args) },
		"transcript": func(ts *testscript.TestScript, _ bool, args []string) { scriptOf(ts).transcript(ts, args[0]) },
		"member":     func(ts *testscript.TestScript, _ bool, args []string) { scriptOf(ts).member(ts, args) },
	}
	for name, verb := range verbs {
		if name != "env" {
			all[name] = func(ts *testscript.TestScript, _ bool, args []string) {
				fmt.Fprint(ts.Stdout(), verb(scriptOf(ts), ts, args))
			}
		}
	}
	return all
}

// workingDirectory serialises commands that use files, because they share the working directory.
var workingDirectory sync.Mutex

// now is the time of the recorded session, plus the moves of the clock. In a command that is
// interrupted after a while, it is also the time since the start of that command.
func (s *script) now() time.Time {
	s.mu.Lock()
	defer s.mu.Unlock()
	now := recordedAt.Add(s.later)
	if !s.started.IsZero() {
		now = now.Add(time.Since(s.started))
	}
	return now
}

func (s *script) moveClock(ts *testscript.TestScript, args []string) string {
	by, err := time.ParseDuration(args[0])
	ts.Check(err)
	s.mu.Lock()
	defer s.mu.Unlock()
	s.later += by
	return ""
}

func (s *script) forget() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.requests, s.calls = nil, 0
}

func (s *script) run(ts *testscript.TestScript, fails bool, args []string) {
	s.forget()
	stdin := ""
	if n := len(args); n > 0 && strings.HasPrefix(args[n-1], "<") {
		stdin, args = ts.ReadFile(args[n-1][1:]), args[:n-1]
	}
	stdout, stderr := s.execute(ts, 0, stdin, args)
	fmt.Fprint(ts.Stdout(), stdout)
	fmt.Fprint(ts.Stderr(), stderr)
	if (s.status != 0) != fails {
		ts.Fatalf("exit status %d", s.status)
	}
}

// execute runs a command, and interrupts it after limit, if that is not 0. It checks what
// holds for the output of every command.
func (s *script) execute(ts *testscript.TestScript, limit time.Duration, stdin string, args []string) (stdout,
	stderr string) {
	for i := range args {
		args[i] = s.unmask(args[i])
	}
	if s.outputs.usesFiles(args) || ts.Getenv("TONNE_CONFIG") != "" {
		workingDirectory.Lock()
		defer workingDirectory.Unlock()
		ts.Check(os.Chdir(ts.MkAbs(".")))
		defer func() { _ = os.Chdir(testdata) }()
	}
	ctx, cancel := context.WithCancelCause(context.Background())
	defer cancel(nil)
	interrupt := func() { cancel(&terminal.SignalError{Signal: syscall.SIGINT}) }
	s.mu.Lock()
	s.interrupt, s.started = interrupt, time.Time{}
	if limit > 0 {
		s.started = time.Now()
	}
	s.mu.Unlock()
	if limit > 0 {
		defer time.AfterFunc(limit, interrupt).Stop()
	}
	var out, failure bytes.Buffer
	s.status = Run(ctx, command.Process{
		Args: args, Stdin: strings.NewReader(s.unmask(stdin)), Stdout: &out, Stderr: &failure, Getenv: ts.Getenv,
		Now: s.now, Keyring: s.ring, Transport: apitest.Transport(http.HandlerFunc(s.respond)),
	})
	r := result{s.status, out.String(), failure.String()}
	if problem := r.problem(ts.Getenv("TONNE_API_KEY")); problem != "" && !slices.Contains(args, "__complete") {
		ts.Fatalf("tonne %s: %s", strings.Join(args, " "), problem)
	}
	if problem := s.outputs.record(args, r); problem != "" {
		ts.Fatalf("tonne %s: %s", strings.Join(args, " "), problem)
	}
	return s.stable(ts, r.stdout), s.stable(ts, r.stderr)
}

// stable replaces what differs from run to run.
func (s *script) stable(ts *testscript.TestScript, text string) string {
	for found, masked := range s.masks {
		if strings.HasPrefix(found, "http") {
			text = strings.ReplaceAll(text, found, masked)
		}
	}
	text = timestamp.ReplaceAllStringFunc(text, func(found string) string {
		if at, err := time.Parse(time.RFC3339Nano, found); err == nil && time.Since(at).Abs() < 10*time.Minute {
			return "TODAY"
		}
		return found
	})
	return s.mask(strings.ReplaceAll(text, ts.Getenv("WORK"), "$WORK"))
}

// timestamp matches a time. The time of a saved file is that of the machine.
var timestamp = regexp.MustCompile(`\b20\d\d-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?Z`)

// transcriptLine matches a line of tonne or ssh: its input, the limit of its time, the person,
// its arguments and the file of its output.
var transcriptLine = regexp.MustCompile(`^(?:(.*) \| )?(?:timeout (\w+) )?(?:tonne|ssh (\w+))((?: +(?:'[^']*'|[^' >]|[^ ]>)+)*)(?: +>(\S+))?$`)

func (s *script) transcript(ts *testscript.TestScript, file string) {
	s.forget()
	for line := range strings.Lines(ts.ReadFile(file)) {
		typed, found := strings.CutPrefix(strings.TrimSuffix(line, "\n"), "$ ")
		if !found {
			if strings.HasPrefix(line, "# ") {
				fmt.Fprint(ts.Stdout(), line)
			}
			continue
		}
		fmt.Fprint(ts.Stdout(), line, s.play(ts, typed))
	}
}

// play runs a line of a transcript and returns its output.
func (s *script) play(ts *testscript.TestScript, typed string) string {
	m := transcriptLine.FindStringSubmatch(typed)
	if m == nil {
		args := words(typed)
		if verb := verbs[args[0]]; verb != nil {
			return verb(s, ts, args[1:])
		}
		return s.shell(ts, typed)
	}
	stdin, limit, args := "", time.Duration(0), words(m[4])
	if m[1] != "" {
		stdin = s.shell(ts, m[1])
	}
	if m[2] != "" {
		limit = must.Get(time.ParseDuration(m[2]))
	}
	if n := len(args); n > 0 && strings.HasPrefix(args[n-1], "<") {
		stdin, args = ts.ReadFile(args[n-1][1:]), args[:n-1]
	}
	s.mu.Lock()
	calls := s.calls
	s.mu.Unlock()
	var stdout, stderr string
	if person := m[3]; person != "" {
		stdout, stderr = s.overSSH(ts, person, strings.TrimSpace(m[4]), stdin)
	} else {
		stdout, stderr = s.execute(ts, limit, stdin, args)
	}
	if m[5] != "" && m[5] != os.DevNull {
		ts.Check(os.WriteFile(ts.MkAbs(m[5]), []byte(stdout), 0o600))
	}
	if m[5] != "" {
		stdout = ""
	}
	text := stdout + stderr
	s.mu.Lock()
	calls = s.calls - calls
	s.mu.Unlock()
	switch {
	case s.status != 0 && calls != 0:
		text += fmt.Sprintf("[exit %d, %d sent]\n", s.status, calls)
	case s.status != 0:
		text += fmt.Sprintf("[exit %d]\n", s.status)
	case calls != 0:
		text += fmt.Sprintf("[%d sent]\n", calls)
	}
	return text
}

// shell runs a line of shell and returns its output.
func (s *script) shell(ts *testscript.TestScript, line string) string {
	cmd := exec.Command("sh", "-c", s.unmask(line))
	cmd.Dir = ts.MkAbs(".")
	for _, name := range []string{"WORK", "KEY", "PATH", "HOME"} {
		cmd.Env = append(cmd.Env, name+"="+ts.Getenv(name))
	}
	out, err := cmd.CombinedOutput()
	if err != nil {
		ts.Fatalf("%s: %v\n%s", line, err, out)
	}
	return s.stable(ts, string(out))
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

func (s *script) setVariable(ts *testscript.TestScript, args []string) string {
	name, value, _ := strings.Cut(args[0], "=")
	ts.Setenv(name, os.Expand(s.unmask(value), ts.Getenv))
	return ""
}

func (s *script) show(ts *testscript.TestScript, args []string) string {
	return s.stable(ts, ts.ReadFile(strings.Join(args, "")))
}

// variable matches random values: identifiers, external identifiers, API keys, and the address
// of the host of certificates.
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
