package session_test

import (
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"go.uber.org/goleak"

	"tonne/api/session"
	"tonne/model"
	"tonne/model/alert"
	must "tonne/model/musttest"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

const origin = "https://market.example"

// fixture is a service, and sessions that use it. Time passes only in wait.
type fixture struct {
	fake
	t     *testing.T
	dir   string
	disk  bool
	ahead atomic.Int64
	users []*user
	// shared is the session that the users of a desk share, host what it runs as, and trouble what it reported.
	shared  *session.SharedSession
	host    *user
	trouble []string
}

// inMemory runs a test with a store in memory for each session.
func inMemory(t *testing.T, test func(f *fixture)) {
	t.Helper()
	run(t, &fixture{}, test)
}

// onDisk runs a test with a store that sessions share and later ones find again.
func onDisk(t *testing.T, test func(f *fixture)) {
	t.Helper()
	run(t, &fixture{disk: true}, test)
}

func run(t *testing.T, f *fixture, test func(f *fixture)) {
	t.Helper()
	t.Parallel()
	f.dir = t.TempDir()
	synctest.Test(t, func(t *testing.T) {
		f.t = t
		test(f)
		for _, u := range f.users {
			u.stop()
		}
		if f.host != nil {
			f.host.stop()
		}
	})
}

func wait(d time.Duration) {
	time.Sleep(d)
	synctest.Wait()
}

func (f *fixture) now() time.Time { return time.Now().Add(time.Duration(f.ahead.Load())) }

// setClock sets how far the wall clock is ahead. The computer may have slept, or its clock was corrected.
func (f *fixture) setClock(ahead time.Duration) { f.ahead.Store(int64(ahead)) }

func (f *fixture) path(name string) string { return filepath.Join(f.dir, name) }

func (f *fixture) write(name, content string) {
	f.t.Helper()
	must.Succeed(f.t, os.WriteFile(f.path(name), []byte(content), 0o600))
}

func (f *fixture) delete(name string) {
	f.t.Helper()
	must.Succeed(f.t, os.Remove(f.path(name)))
}

// expectText compares texts, in which … matches anything without blanks.
func expectText(t *testing.T, got, want string) {
	t.Helper()
	pattern := regexp.MustCompile("^" + strings.ReplaceAll(regexp.QuoteMeta(want), "…", `\S+`) + "$")
	if !pattern.MatchString(got) {
		must.Equal(t, got, want)
	}
}

func expectLines(t *testing.T, got, want []string) {
	t.Helper()
	slices.Sort(got)
	slices.Sort(want)
	expectText(t, strings.Join(got, "\n"), strings.Join(want, "\n"))
}

// rule is a rule on the vintage of P.
func rule(text string) alert.Rule { return must.Get(alert.ParseRule(text)).On(key("P")) }

// requestRule is a rule on a request, or on all if id is empty.
func requestRule(id, text string) alert.Rule {
	return must.Get(alert.ParseRequestRule(text)).OnRequest(id)
}

func key(project string) model.VintageKey {
	return model.VintageKey{ProjectID: project, VintageID: "v-" + project}
}
