package cli

import (
	"bytes"
	"context"
	"encoding/json"
	"flag"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"os/signal"
	"path/filepath"
	"runtime"
	"runtime/debug"
	"slices"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"syscall"
	"testing"
	"testing/synctest"
	"time"
	"unicode"

	"tonne/api/apitest"
	"tonne/model/file/store"
	must "tonne/model/musttest"
	"tonne/ui/cli/command"
)

// programVariable makes the test binary run as the program, for tests that need a
// process.
const programVariable = "TONNE_TEST_PROGRAM"

// Values of programVariable.
const (
	soundProgram = "1"
	// brokenProgram panics, fatalProgram ends with a fatal error of the runtime.
	brokenProgram = "2"
	fatalProgram  = "3"
	// largeProgram serves a large market: its arguments are the projects and the orders of each.
	largeProgram = "4"
)

func TestMain(m *testing.M) {
	switch os.Getenv(programVariable) {
	case soundProgram:
		os.Exit(Main())
	case brokenProgram:
		os.Exit(runBroken(func() { panic("a bug") }))
	case fatalProgram:
		os.Exit(runBroken(func() { new(sync.Mutex).Unlock() }))
	case largeProgram:
		os.Exit(serveLarge(os.Args[1], os.Args[2]))
	}
	// A shell without job control makes its background jobs ignore these, and processes of the
	// tests would inherit that.
	for _, s := range []os.Signal{syscall.SIGINT, syscall.SIGQUIT, syscall.SIGHUP} {
		if signal.Ignored(s) {
			signal.Notify(make(chan os.Signal, 1), s)
		}
	}
	flag.Parse()
	projectRoot, testdata = must.Get(filepath.Abs("../..")), must.Get(filepath.Abs("testdata"))
	// Most tests wait for terminals, processes and disks.
	if !flagGiven("test.parallel") {
		_ = flag.Set("test.parallel", strconv.Itoa(3*runtime.GOMAXPROCS(0)))
	}
	debug.SetGCPercent(400)
	time.Local = time.UTC
	// The resolver creates its channel with the first lookup, which must not be in a bubble.
	_, _ = net.LookupHost("localhost")
	os.Exit(m.Run())
}

func flagGiven(name string) (given bool) {
	flag.Visit(func(f *flag.Flag) { given = given || f.Name == name })
	return given
}

// runBroken runs tonne with a clock that fails once the file TONNE_TEST_BREAK exists, in the goroutine of the
// dashboard: the session, the client and the record have the same clock.
func runBroken(fail func()) int {
	var broken atomic.Bool
	return runProcess(command.Process{
		Args: append(os.Args[1:], "--debug", os.Getenv("TONNE_TEST_DEBUG")), Stdin: os.Stdin, Stdout: os.Stdout,
		Stderr: os.Stderr, Getenv: os.Getenv,
		Now: func() time.Time {
			if _, err := os.Stat(os.Getenv("TONNE_TEST_BREAK")); err == nil && onScreen() && !broken.Swap(true) {
				fail()
			}
			return time.Now()
		},
	})
}

func onScreen() bool { return bytes.Contains(debug.Stack(), []byte("tonne/ui.(*App).")) }

// projectRoot and testdata are absolute, because scripts change the working directory.
var projectRoot, testdata string

const (
	testKey = "5ec7e75ec7e75ec7e75ec7e7"
	baseURL = "https://market.example"
)

// world is the environment of a command under test.
type world struct {
	t       *testing.T
	env     map[string]string
	stdin   string
	handler http.Handler
	ring    *fakeRing
}

// template is a database that the first test creates and other tests copy, because creating
// it in each test is slow.
type template struct {
	once    sync.Once
	content []byte
	key     string
}

// copyTo writes the database to path. The first call creates it with build, which returns an
// API key.
func (f *template) copyTo(t *testing.T, path string, build func(path string) (key string)) {
	t.Helper()
	f.once.Do(func() {
		made := filepath.Join(t.TempDir(), "template.db")
		f.key = build(made)
		f.content = must.Get(os.ReadFile(made))
	})
	must.Succeed(t, os.MkdirAll(filepath.Dir(path), 0o700))
	must.Succeed(t, os.WriteFile(path, f.content, 0o600))
}

var emptyStore template

func buildStore(path string) string {
	s := store.Open(path)
	must.Get(s.Version(context.Background()))
	if err := s.Close(); err != nil {
		panic(err)
	}
	return ""
}

// newWorld returns a world with an empty home, the base URL and the key in the
// environment, and a service that uses the handler.
func newWorld(t *testing.T, handler http.Handler) *world {
	t.Helper()
	w := &world{t: t, handler: handler, ring: newFakeRing(),
		env: map[string]string{"TONNE_BASE_URL": baseURL, "TONNE_API_KEY": testKey}}
	for _, variable := range environmentOf(t.TempDir()) {
		name, value, _ := strings.Cut(variable, "=")
		w.env[name] = value
	}
	emptyStore.copyTo(t, filepath.Join(w.env["HOME"], "state", "tonne", "tonne.db"), buildStore)
	return w
}

// unconfigured removes the base URL and the key from the environment.
func (w *world) unconfigured() *world {
	delete(w.env, "TONNE_BASE_URL")
	delete(w.env, "TONNE_API_KEY")
	return w
}

// write writes a file in the home directory and returns its path.
func (w *world) write(name, text string) string {
	w.t.Helper()
	path := filepath.Join(w.env["HOME"], name)
	must.Succeed(w.t, os.MkdirAll(filepath.Dir(path), 0o700))
	must.Succeed(w.t, os.WriteFile(path, []byte(text), 0o600))
	return path
}

func (w *world) configure(text string) { w.write("config/tonne/config.toml", text) }

// result is the exit status and the output of a command.
type result struct {
	status         int
	stdout, stderr string
}

// run runs a command. It fails the test if the output contains the key or a stack.
func (w *world) run(args ...string) result {
	w.t.Helper()
	return w.runContext(w.t.Context(), args...)
}

func (w *world) runContext(ctx context.Context, args ...string) result {
	w.t.Helper()
	return w.runChanged(ctx, func(*command.Process) {}, args...)
}

// runChanged runs a command after a change to its process.
func (w *world) runChanged(ctx context.Context, change func(p *command.Process), args ...string) result {
	w.t.Helper()
	var stdout, stderr bytes.Buffer
	p := w.process(args...)
	p.Stdout, p.Stderr = &stdout, &stderr
	change(&p)
	r := result{Run(ctx, p), stdout.String(), stderr.String()}
	must.Equal(w.t, r.problem(testKey), "", "tonne", strings.Join(args, " "))
	return r
}

// process returns the process of a command, without its output.
func (w *world) process(args ...string) command.Process {
	return command.Process{
		Args: args, Stdin: strings.NewReader(w.stdin), Stdout: io.Discard, Stderr: io.Discard,
		Getenv: func(name string) string { return w.env[name] }, Now: time.Now, Keyring: w.ring,
		Transport: apitest.Transport(w.handler),
	}
}

// problem returns what is wrong with the output of any command, or "": it shows the key, a
// stack or a control character, or the failure is not explained in two sentences.
func (r result) problem(key string) string {
	text := r.stdout + r.stderr
	switch {
	case key != "" && strings.Contains(text, key):
		return "the output contains the key:\n" + text
	case strings.Contains(text, "goroutine "):
		return "the output contains a stack:\n" + text
	case strings.ContainsFunc(text, isHarmful):
		return fmt.Sprintf("the output contains a control character: %q", text)
	case r.status == 0 || r.status > 128:
		return ""
	}
	_, problem := r.failure()
	return problem
}

// failure returns a failure, from an object or from the sentences of what happened and what to do.
func (r result) failure() (f command.FailureJSON, problem string) {
	lines := strings.Split("\n"+strings.TrimSuffix(r.stderr, "\n"), "\n")
	what, todo := lines[len(lines)-2], lines[len(lines)-1]
	if err := json.Unmarshal([]byte(todo), &f); err == nil {
		known := slices.ContainsFunc(command.FailureCodes, func(c command.FailureCode) bool { return c.Code == f.Code })
		if !known || f.Status != r.status {
			return f, "wrong failure object: " + todo
		}
		what, todo = "tonne: "+f.Message, f.Next
	}
	f.Message, f.Next = strings.TrimPrefix(what, "tonne: "), todo
	if !strings.HasPrefix(what, "tonne: ") || !isSentence(what) || !isSentence(todo) {
		return f, "the failure is not a sentence of what happened and one of what to do:\n" + r.stderr
	}
	return f, ""
}

func isSentence(text string) bool {
	return strings.HasSuffix(text, ".") || strings.HasSuffix(text, "?")
}

func isHarmful(r rune) bool {
	return r != '\n' && unicode.IsControl(r) || unicode.Is(unicode.Bidi_Control, r) || r == '\u200b' ||
		r >= 0xe0000 && r < 0xe0080
}

// failing is a writer that always fails.
type failing struct{ err error }

func (f failing) Write([]byte) (int, error) { return 0, f.err }

// must runs a command that has to succeed, and returns its output.
func (w *world) must(args ...string) string {
	w.t.Helper()
	r := w.run(args...)
	if r.status != 0 {
		w.t.Fatalf("tonne %s: status %d\n%s", strings.Join(args, " "), r.status, r.stderr)
	}
	return r.stdout
}

// sentences returns the two sentences of a failure. There must be no others.
func (r result) sentences(t *testing.T) (what, todo string) {
	t.Helper()
	f, problem := r.failure()
	others := strings.Count(r.stderr, "\n") - strings.Count(r.stderr, `{"code":"wait",`)
	must.Need(t, problem == "" && others <= 2,
		problem, "want one sentence that says what happened and one that says what to do", r.stderr)
	return f.Message, f.Next
}

// inBubble runs a test with a fake clock, so that waiting takes no time.
func inBubble(t *testing.T, test func(t *testing.T)) { t.Helper(); synctest.Test(t, test) }

// service is a marketplace with two projects on two pages. It accepts testKey.
type service struct {
	mu sync.Mutex
	// requests are the paths and queries so far.
	requests []string
}

func (s *service) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	s.mu.Lock()
	s.requests = append(s.requests, r.URL.Path+"?"+r.URL.RawQuery)
	s.mu.Unlock()
	w.Header().Set("Content-Type", "application/json")
	if r.Header.Get("Authorization") != "Bearer "+testKey {
		w.WriteHeader(http.StatusUnauthorized)
		fmt.Fprint(w, `{"statusCode":401,"message":"Unauthorized"}`)
		return
	}
	q := r.URL.Query()
	switch r.URL.Path {
	case "/api/market":
		fmt.Fprint(w, pageOf(q.Get("page"), marketProjects))
	case "/api/inventory":
		fmt.Fprint(w, pageOf(q.Get("page"), inventoryProjects(q.Get("trades_per_wallet") == "")))
	case "/api/projects":
		fmt.Fprint(w, projectDetails)
	case "/api/retirement":
		answerRetirement(w, q.Get("id"))
	default:
		http.NotFound(w, r)
	}
}

// listen serves on a port until the test ends, and returns the address.
func listen(t *testing.T, service http.Handler) string {
	t.Helper()
	server := httptest.NewServer(service)
	t.Cleanup(server.Close)
	return server.URL
}

// pageOf returns a page with one project.
func pageOf(page string, projects []string) string {
	if page == "" {
		page = "1"
	}
	n := strings.Index("12", page)
	if n < 0 || n >= len(projects) {
		return fmt.Sprintf(`{"projects":[],"pagination":{"per_page":1,"total_pages":2,"total_items":2,"current_page":%s,"previous_page":null,"next_page":null}}`, page)
	}
	return fmt.Sprintf(`{"projects":[%s],"pagination":{"per_page":1,"total_pages":2,"total_items":2,"current_page":%s,"previous_page":null,"next_page":null}}`,
		projects[n], page)
}

var marketProjects = []string{
	`{"project_id":"P1","vintages":[{"vintage_id":"V1","vintage_year":2019,"sell_orders":[
		{"sell_order_id":"S1","quantity_grams":"999999","price_cents":"500"},
		{"sell_order_id":"S2","quantity_grams":"400000000","price_cents":"620"},
		{"sell_order_id":"S3","quantity_grams":"1000000000","price_cents":"625"}]}]}`,
	`{"project_id":"P2","vintages":[{"vintage_id":"V2","vintage_year":2021,"sell_orders":[
		{"sell_order_id":"S4","quantity_grams":"9223372036854","price_cents":"115"}]},
		{"vintage_id":"V3","vintage_year":2022,"sell_orders":[]}]}`,
}

// inventoryProjects returns all trades, or only the latest of each wallet.
func inventoryProjects(all bool) []string {
	latest := `{"execution_date":"2026-03-01T10:00:00.000Z","quantity_grams":"2000000","price_cents":"595","type":"BUY"}`
	older := `{"execution_date":"2026-01-01T10:00:00.000Z","quantity_grams":"1000000","price_cents":"710","type":"BUY"}`
	trades := latest
	if all {
		trades = latest + "," + older
	}
	return []string{
		`{"project_id":"P1","vintages":[{"vintage_id":"V1","wallets":[{"type":"CAAS","quantity_grams":"999980","trades":[` +
			trades + `]}]}]}`,
		`{"project_id":"P2","vintages":[{"vintage_id":"V2","wallets":[{"type":"FUTURE","quantity_grams":"0","trades":[]}]}]}`,
	}
}

const projectDetails = `{"projects":[
	{"project_id":"P1","project_name":"=Bale \"Mountains\", ET","type":"REDD+","location":"ET","registry_id":"1340","registry_name":"VERRA","sdgs":["Life on Land"],"vintages":[{"vintage_id":"V1","vintage_year":2019}]}]}`

func answerRetirement(w http.ResponseWriter, id string) {
	switch id {
	case "R1":
		fmt.Fprint(w,
			`{"id":"R1","status":"COMPLETE","total_quantity":"2000000","type":"WHOLE","project_id":"P1","vintage_id":"V1",
			"created_at":"2026-01-01T10:00:00.000Z","retired_at":"2026-02-01T10:00:00.000Z",
			"retired_serial_numbers":["19334-1-2-VCS-VCU-576-VER-ET-14-1340-01012019-31122019-1"],
			"acme_proof_of_retirement_certificate_url":"https://certificates.example/R1.pdf",
			"should_retire_external_customer":true,"all_invoices_settled":true,
			"retirement_request_items":[
				{"id":"I1","quantity":"1000000","created_at":"2026-01-01T10:00:00.000Z","retiree_name":"=HYPERLINK(1)","retiree_tax_id":"T1","retiree_country":"GB","invoice_id":"N1","trade_id":"G1"},
				{"id":"I2","quantity":"1000000","created_at":"2026-01-02T10:00:00.000Z","retiree_name":"Ann","retiree_tax_id":"T2","retiree_country":"GB"}]}`)
	case "R2":
		fmt.Fprint(w,
			`{"id":"R2","status":"OPEN","total_quantity":"20","type":"FRACTIONALISED","project_id":"P2","vintage_id":"V2",
			"created_at":"2026-01-01T10:00:00.000Z","should_retire_external_customer":false,"all_invoices_settled":false,"retirement_request_items":[]}`)
	default:
		w.WriteHeader(http.StatusUnprocessableEntity)
		fmt.Fprintf(w,
			`{"statusCode":422,"url":"/api/retirement","timestamp":"2026-01-01T00:00:00Z","error":"NOT_FOUND","message":"There is no such request"}`)
	}
}

// fakeRing is a keyring in memory.
type fakeRing struct {
	secrets map[string]string
	// calls counts the calls.
	calls int
	err   error
	// stuck blocks every call until it is closed.
	stuck chan struct{}
}

func newFakeRing() *fakeRing { return &fakeRing{secrets: make(map[string]string)} }

func (f *fakeRing) call() error {
	f.calls++
	if f.stuck != nil {
		<-f.stuck
	}
	return f.err
}

func (f *fakeRing) Set(service, user, secret string) error {
	if err := f.call(); err != nil {
		return err
	}
	f.secrets[service+"/"+user] = secret
	return nil
}

func (f *fakeRing) Get(service, user string) (string, error) {
	if err := f.call(); err != nil {
		return "", err
	}
	return f.secrets[service+"/"+user], nil
}

func (f *fakeRing) Delete(service, user string) error {
	if err := f.call(); err != nil {
		return err
	}
	delete(f.secrets, service+"/"+user)
	return nil
}
