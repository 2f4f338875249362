package cli

import (
	"context"
	"errors"
	"fmt"
	"io"
	"maps"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/rogpeppe/go-internal/testscript"

	"tonne/api/apitest"
	"tonne/api/marketplace"
	"tonne/api/marketplace/demo"
	"tonne/api/marketplace/marketplacetest"
	"tonne/model"
	"tonne/model/alert"
	"tonne/model/file/store"
	must "tonne/model/musttest"
	"tonne/model/retirement"
	"tonne/ui/cli/command"
	"tonne/ui/tab"
)

// recordedAt is the time of scripts.
var recordedAt = time.Date(2026, 11, 20, 9, 30, 0, 0, time.UTC)

const retirePath = "/api/caas/request-retirement"

// respond applies the faults, the latest first, before the service responds.
func (s *script) respond(w http.ResponseWriter, r *http.Request) {
	// The encoder of zstd belongs to the process, so it must not be made in a bubble.
	r.Header.Set("Accept-Encoding", "identity")
	s.mu.Lock()
	if key, found := strings.CutPrefix(r.Header.Get("Authorization"), "Bearer key-"); found {
		s.keysSent[r.Host+" key-"+key] = true
		r.Header.Set("Authorization", "Bearer "+testKey)
	}
	s.requests = append(s.requests, r.URL.RequestURI())
	if r.URL.Path == retirePath {
		s.calls++
	}
	next := s.service
	for _, f := range s.faults {
		if f.applies(r) {
			next = f.around(next)
		}
	}
	s.mu.Unlock()
	next.ServeHTTP(w, r)
}

// fault is a wrong response to some requests for a path.
type fault struct {
	// path is a path, "retire" for the calls that retire, or "any".
	path string
	// from and to are the numbers of the first and the last affected request since the fault
	// was added; to is 0 if there is no last one.
	from, to, seen int
	// query is a text in the URL of affected requests.
	query  string
	around func(next http.Handler) http.Handler
}

func (f *fault) applies(r *http.Request) bool {
	if path := map[string]string{"retire": retirePath, "any": r.URL.Path}[f.path]; path != r.URL.Path &&
		f.path != r.URL.Path {
		return false
	}
	if !strings.Contains(r.URL.RequestURI(), f.query) {
		return false
	}
	f.seen++
	return f.seen >= f.from && (f.to == 0 || f.seen <= f.to)
}

func (s *script) add(f *fault) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.faults = append(s.faults, f)
}

func (s *script) heal(*testscript.TestScript, []string) string {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.faults = nil
	return ""
}

// addFault adds a fault: a status, lost (carries out the call and responds 500), refuse:CODE,
// wait:SECONDS, location:URL, body:TEXT, text:TEXT, hang, reset, html, cut, slow, interrupt (a
// signal during the request), or tonne:ARGUMENTS (runs a command before the response). It
// applies to the requests of from=N, to=N or nth=N, with query=TEXT in their URL.
func (s *script) addFault(ts *testscript.TestScript, args []string) string {
	f := &fault{path: args[0], from: 1}
	for _, when := range args[2:] {
		name, value, _ := strings.Cut(when, "=")
		n, _ := strconv.Atoi(value)
		switch name {
		case "nth":
			f.from, f.to = n, n
		case "from":
			f.from = n
		case "to":
			f.to = n
		case "query":
			f.query = value
		default:
			ts.Fatalf("unknown word %s", when)
		}
	}
	kind, value, _ := strings.Cut(args[1], ":")
	fixed := func(h http.Handler) func(http.Handler) http.Handler {
		return func(http.Handler) http.Handler { return h }
	}
	before := func(do func()) func(http.Handler) http.Handler {
		return func(next http.Handler) http.Handler {
			return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
				do()
				next.ServeHTTP(w, r)
			})
		}
	}
	switch kind {
	case "lost":
		f.around = func(next http.Handler) http.Handler {
			return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
				next.ServeHTTP(httptest.NewRecorder(), r)
				w.WriteHeader(http.StatusInternalServerError)
			})
		}
	case "refuse":
		f.around = fixed(apitest.Status(422, fmt.Sprintf(`{"statusCode":422,"error":%q,"message":"No"}`, value)))
	case "wait":
		f.around = fixed(apitest.RateLimited(value))
	case "location":
		f.around = fixed(apitest.Redirect(value))
	case "body":
		f.around = fixed(apitest.JSON(value))
	case "hang":
		f.around = fixed(apitest.Hang())
	case "reset":
		f.around = fixed(apitest.Reset())
	case "html":
		f.around = fixed(apitest.HTML())
	case "cut":
		f.around = fixed(apitest.CutOff(pageOf("1", marketProjects)))
	case "slow":
		f.around = fixed(apitest.Slow(strings.Repeat(" ", 1000)+"{}", time.Second))
	case "interrupt":
		f.around = before(func() { s.interrupt() })
	case "tonne":
		f.around = before(func() {
			status := Run(context.Background(), command.Process{
				Args: words(strings.ReplaceAll(value, "market.db", ts.MkAbs("market.db"))), Stdin: strings.NewReader(""),
				Stdout: io.Discard, Stderr: io.Discard, Getenv: ts.Getenv, Now: s.now,
			})
			must.Equal(s.t, status, 0, "tonne", value, "status")
		})
	default:
		status, err := strconv.Atoi(kind)
		ts.Check(err)
		f.around = fixed(apitest.Status(status, value))
	}
	s.add(f)
	return ""
}

func (s *script) answer(ts *testscript.TestScript, args []string) string {
	f := &fault{path: args[0], from: 1}
	if status, err := strconv.Atoi(args[1]); err == nil {
		body := ""
		if len(args) > 2 {
			body = ts.ReadFile(args[2])
		}
		f.around = func(http.Handler) http.Handler { return apitest.Status(status, body) }
		s.add(f)
		return ""
	}
	if len(args) > 3 {
		f.from, _ = strconv.Atoi(strings.TrimPrefix(args[3], "from="))
	}
	f.around = func(next http.Handler) http.Handler {
		return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			recorded := httptest.NewRecorder()
			next.ServeHTTP(recorded, r)
			maps.Copy(w.Header(), recorded.Header())
			w.Header().Del("Content-Length")
			w.Header().Del("ETag")
			w.WriteHeader(recorded.Code)
			fmt.Fprint(w, strings.ReplaceAll(recorded.Body.String(), args[1], args[2]))
		})
	}
	s.add(f)
	return ""
}

// fresh empties the home directory and starts the service again.
func (s *script) fresh(ts *testscript.TestScript, _ []string) string {
	ts.Check(os.RemoveAll(ts.MkAbs("home")))
	emptyStore.copyTo(s.t, ts.MkAbs("home/state/tonne/tonne.db"), buildStore)
	s.ring = newFakeRing()
	clear(s.masks)
	clear(s.counts)
	return s.serve(ts, []string{s.name})
}

func (s *script) serve(ts *testscript.TestScript, args []string) string {
	s.close()
	s.name = args[0]
	ts.Setenv("TONNE_BASE_URL", baseURL)
	ts.Setenv("TONNE_API_KEY", testKey)
	switch s.name {
	case "fixed":
		s.connect(new(service), false)
	case "many":
		s.connect(http.HandlerFunc(many), false)
	case "hostile":
		s.connect(hostileService(strings.Join(hostileTexts, " ")), false)
	case "certificates":
		c := newCertificates(s.t)
		s.certificates = c
		s.connect(c, true)
		s.masks[c.host.URL] = "https://certificates.example"
		ts.Setenv("TONNE_BASE_URL", "http://127.0.0.1:1")
	case "market":
		path := ts.MkAbs("market.db")
		for _, name := range []string{path, path + "-wal", path + "-shm"} {
			_ = os.Remove(name)
		}
		retirerMarket.copyTo(s.t, path, buildRetirerMarket)
		s.open(ts, path)
		ts.Setenv("TONNE_API_KEY", retirerMarket.key)
	default:
		s.open(ts, s.name)
	}
	return ""
}

// open serves a database, or synthetic data.
func (s *script) open(ts *testscript.TestScript, name string) {
	path := ""
	if name != "demo" {
		path = ts.MkAbs(name)
	}
	m, err := marketplace.Open(context.Background(), path,
		marketplace.Options{Now: s.now, RatePerSecond: -1, PublicURL: baseURL})
	ts.Check(err)
	s.close = sync.OnceFunc(func() { _ = m.Close() })
	ts.Defer(s.close)
	s.connect(m.Handler(), path != "")
	s.books = func() string {
		c := marketplacetest.Client{TB: s.t, Service: m}
		c.CheckBooks()
		return fmt.Sprintf("bought %d t for %d cents, retired %d g\n",
			c.Number(`SELECT coalesce(sum(quantity_grams), 0) FROM trades WHERE type = 'BUY'`)/1e6,
			c.Number(`SELECT coalesce(sum(quantity_grams / 1000000 * price_cents), 0) FROM trades WHERE type = 'BUY'`),
			c.Number(`SELECT coalesce(sum(quantity_grams), 0) FROM retirement_items`))
	}
	if path == "" {
		made, err := demo.Load(context.Background(), m, demo.Options{Seed: 1, Now: s.now()})
		ts.Check(err)
		ts.Setenv("TONNE_API_KEY", made.Key)
		ts.Setenv("KEY", made.Key)
	}
}

// changeCertificate changes what the host of certificates responds: a status, html, reset,
// another PDF, or a text.
func (s *script) changeCertificate(_ *testscript.TestScript, args []string) string {
	answer := apitest.JSON(args[0])
	if status, err := strconv.Atoi(args[0]); err == nil {
		answer = apitest.Status(status, "")
	}
	switch args[0] {
	case "html":
		answer = apitest.HTML()
	case "reset":
		answer = apitest.Reset()
	case "another":
		answer = apitest.JSON(anyPDF + "\n% another")
	case "valid":
		answer = nil
	}
	s.certificates.setAnswer(answer)
	return ""
}

func (s *script) packed(ts *testscript.TestScript, args []string) string {
	text := packedText(s.t, ts.MkAbs(args[0]), args[1])
	if strings.HasSuffix(args[1], ".xml") {
		text = strings.NewReplacer("<row ", "\n<row ", "<c ", "|<c ", "<f>", "<f>=", "</f>", "</f> ").Replace(text)
		text = strings.TrimPrefix(regexp.MustCompile(`<[^>]*>`).ReplaceAllString(text, ""), "\n\n")
	}
	return s.stable(ts, strings.TrimSuffix(text, "\n")+"\n")
}

func (s *script) printBooks(*testscript.TestScript, []string) string { return s.books() }

func (s *script) connect(service http.Handler, masked bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.service, s.masked, s.faults = service, masked, nil
}

var watchedVintage = model.VintageKey{ProjectID: "P1", VintageID: "V1"}

// local calls do with the local store of the current address.
func (s *script) local(ts *testscript.TestScript, do func(ctx context.Context, local store.Origin) error) {
	all := store.Open(filepath.Join(ts.Getenv("XDG_STATE_HOME"), "tonne", "tonne.db"))
	ts.Check(errors.Join(do(context.Background(), all.Of(ts.Getenv("TONNE_BASE_URL"))), all.Close()))
}

func (s *script) addRule(ts *testscript.TestScript, args []string) string {
	rule, err := alert.ParseRule(args[0])
	rule = rule.On(watchedVintage)
	if args[0] == "changes" {
		rule, err = alert.Rule{Measure: alert.State}, nil
	} else if args[0] == strings.ToUpper(args[0]) {
		rule, err = alert.Rule{Measure: alert.State, Status: retirement.Status(args[0])}, nil
	}
	ts.Check(err)
	s.local(ts, func(ctx context.Context, local store.Origin) error { return local.Alerts.AddRule(ctx, rule) })
	return ""
}

func (s *script) saveView(ts *testscript.TestScript, args []string) string {
	view := make(tab.SavedView)
	for _, flag := range args[2:] {
		name, value, _ := strings.Cut(flag, "=")
		view[name] = value
	}
	s.local(ts, func(ctx context.Context, local store.Origin) error {
		choice, value := view.Choice(args[0], args[1])
		return local.Cache.SetChoice(ctx, choice, value)
	})
	return ""
}

func (s *script) printPrices(ts *testscript.TestScript, _ []string) (text string) {
	s.local(ts, func(ctx context.Context, local store.Origin) error {
		observed, err := local.History.Prices(ctx, watchedVintage, time.Time{})
		for _, o := range observed {
			text += fmt.Sprintln(o.BestAsk)
		}
		return err
	})
	return text
}

// environmentOf returns the environment of a process with a home directory.
func environmentOf(home string) []string {
	return []string{
		"HOME=" + home, "XDG_CONFIG_HOME=" + home + "/config", "XDG_DATA_HOME=" + home + "/data",
		"XDG_STATE_HOME=" + home + "/state",
	}
}
