//go:build unix

package cli

import (
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"tonne/api/retire"
	"tonne/model/longtest"
	must "tonne/model/musttest"
)

// Wherever in a batch the disk is full, each call that was sent is in the journal, as done or as
// unknown, and the message agrees. With free space, the same command finishes the batch and
// sends no line under another id.
func TestFullDiskSendsOnlyJournaledCalls(t *testing.T) {
	t.Parallel()
	lines, step, enough := 2, 8, 1<<20
	if longtest.Factor() > 0 {
		lines, step = 20, 4
	}
	var sentIDs sync.Map
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, req *http.Request) {
		if req.Method != http.MethodPost {
			new(service).ServeHTTP(w, req)
			return
		}
		_, id, _ := strings.Cut(string(must.Get(io.ReadAll(req.Body))), `"external_id":"`)
		id, _, _ = strings.Cut(id, `"`)
		_, again := sentIDs.LoadOrStore(id, true)
		fmt.Fprintf(w, `{"retirement_request_id":"R1","external_id_already_processed":%t}`, again)
	}))
	defer server.Close()
	batch := shortHeader
	for n := range lines {
		batch += fmt.Sprintf("line-%d,V1,1000000\n", n)
	}
	unsent, unrecorded, midway, done := 0, 0, 0, false
	for kilobytes := step; !done && kilobytes < 1000; kilobytes += step {
		sentIDs.Clear()
		home := t.TempDir()
		file := filepath.Join(home, "october.csv")
		must.Succeed(t, os.WriteFile(file, []byte(batch), 0o600))
		said, err := retireWithFileLimit(kilobytes, home, server.URL, file)
		sent, want := countSent(t, home, server.URL, &sentIDs), "nothing more was sent"
		switch {
		case err == nil:
			done, want = true, ""
		case sent > 0:
			midway++
			want = "then run this again"
		default:
			unsent++
		}
		if strings.Contains(said, "could not be written to the journal") {
			unrecorded++
			want = "was sent and is done, which could not be written to the journal"
		}
		must.Hold(t, strings.Contains(said, want) && !strings.Contains(said, "goroutine "),
			kilobytes, "kB", sent, "calls sent", err, said)
		if sent > 0 {
			said, err := retireWithFileLimit(enough, home, server.URL, file)
			must.Hold(t, err == nil, kilobytes, "kB, then with free space", err, said)
			must.Equal(t, countSent(t, home, server.URL, &sentIDs), lines, kilobytes, "kB", "calls for", "lines")
		}
	}
	must.Hold(t, unsent >= 2 && midway != 0 && unrecorded != 0 && done,
		unsent, "runs sent nothing", midway, "some of the calls", unrecorded, "could not record one")
}

// retireWithFileLimit retires a batch in a process whose files cannot exceed a size.
func retireWithFileLimit(kilobytes int, home, service, file string) (said string, err error) {
	// A POSIX shell counts blocks of 512 bytes.
	cmd := exec.Command("sh", "-c", `ulimit -f "$0" && exec "$@"`, strconv.Itoa(2*kilobytes),
		os.Args[0], "retire", "--allow-retire", "--yes", "--file", file, "--results", filepath.Join(home, "r.csv"))
	cmd.Env = slices.Concat(environment(home, "TONNE_BASE_URL="+service, "TONNE_API_KEY="+testKey),
		[]string{"POSIXLY_CORRECT=1"})
	text, err := cmd.CombinedOutput()
	return string(text), err
}

// countSent counts the calls that the service received, and checks that the journal lists
// each as done or unknown.
func countSent(t *testing.T, home, service string, sentIDs *sync.Map) (n int) {
	t.Helper()
	known := make(map[any]bool)
	w := otherProgram(t, filepath.Join(home, "data"), "", false)
	w.Account.Origin = service
	calls, err := w.Calls(t.Context(), retire.OfService)
	for _, c := range calls {
		known[c.ExternalID] = c.State == retire.Done || c.Doubtful()
	}
	must.Fail(t, errors.Join(err, w.Close(time.Second)), nil)
	sentIDs.Range(func(id, _ any) bool {
		if n++; !known[id] {
			t.Errorf("%v was sent but is not in the journal", id)
		}
		return true
	})
	return n
}
