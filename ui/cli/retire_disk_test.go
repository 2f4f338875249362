//go:build unix

package cli

import (
	"bytes"
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
	"sync/atomic"
	"testing"
	"time"

	"tonne/api/retire"
	"tonne/model/longtest"
)

// Whichever write fails on a full disk, a call is sent only if it is in the journal, and the
// message agrees with the requests to the service.
func TestFullDiskSendsOnlyJournaledCalls(t *testing.T) {
	t.Parallel()
	var calls atomic.Int64
	s := new(service)
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, req *http.Request) {
		if req.Method != http.MethodPost {
			s.ServeHTTP(w, req)
			return
		}
		calls.Add(1)
		fmt.Fprint(w, `{"retirement_request_id":"R1","external_id_already_processed":false}`)
	}))
	defer server.Close()
	var unsent, unrecorded, done int
	step := 12
	if longtest.Factor() > 0 {
		step = 4
	}
	for kilobytes := step; kilobytes <= 128 && done == 0; kilobytes += step {
		home := t.TempDir()
		calls.Store(0)
		cmd := retireWithFileLimit(kilobytes, home, server.URL, "--vintage", "V1", "--tonnes", "4")
		stderr := new(bytes.Buffer)
		cmd.Stderr = stderr
		err := cmd.Run()
		var status *exec.ExitError
		failed := errors.As(err, &status)
		switch {
		case err != nil && !failed, strings.Contains(stderr.String(), "goroutine "):
			t.Fatalf("%d kB: %v\n%s", kilobytes, err, stderr)
		case calls.Load() == 0:
			if unsent++; !failed || !strings.Contains(stderr.String(), "nothing more was sent") {
				t.Errorf("%d kB: nothing sent, %v:\n%s", kilobytes, err, stderr)
			}
		case failed:
			if unrecorded++; !strings.Contains(stderr.String(), "was sent and is done, which could not be written to the journal") || !strings.Contains(stderr.String(), "tonne retire resume") {
				t.Errorf("%d kB: call sent, message is\n%s", kilobytes, stderr)
			}
		default:
			done++
		}
		if n := calls.Load(); n > 1 {
			t.Errorf("%d kB: %d calls", kilobytes, n)
		}
	}
	t.Logf("%d runs did not send, %d could not record the outcome, %d succeeded", unsent, unrecorded, done)
	if unsent < 3 || done == 0 {
		t.Error("the limits do not reach the writes of the journal")
	}
}

// retireWithFileLimit returns `tonne retire` in a process whose files cannot exceed a size.
func retireWithFileLimit(kilobytes int, home, service string, args ...string) *exec.Cmd {
	// A POSIX shell counts blocks of 512 bytes.
	cmd := exec.Command("sh", slices.Concat([]string{"-c", `ulimit -f "$0" && exec "$@"`, strconv.Itoa(2 * kilobytes),
		os.Args[0], "retire", "--allow-retire", "--yes"}, args)...)
	cmd.Env = slices.Concat(environment(home, "TONNE_BASE_URL="+service, "TONNE_API_KEY="+testKey), []string{"POSIXLY_CORRECT=1"})
	return cmd
}

// Wherever in a batch the disk is full, each call that was sent is in the journal, as done or
// as unknown. With free space, the same command finishes the batch and sends no line under
// another id.
func TestFullDiskDuringBatchKeepsJournalComplete(t *testing.T) {
	longtest.Only(t)
	t.Parallel()
	const lines, enough = 20, 1 << 20
	var sentIDs sync.Map
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, req *http.Request) {
		if req.Method != http.MethodPost {
			new(service).ServeHTTP(w, req)
			return
		}
		body := must(io.ReadAll(req.Body))
		_, again := sentIDs.LoadOrStore(externalID(body), true)
		fmt.Fprintf(w, `{"retirement_request_id":"R1","external_id_already_processed":%t}`, again)
	}))
	defer server.Close()
	batch := new(strings.Builder)
	batch.WriteString(shortHeader)
	for n := range lines {
		fmt.Fprintf(batch, "line-%d,V1,1000000\n", n)
	}
	midway := 0
	for kilobytes := 64; kilobytes <= 480; kilobytes += 32 {
		sentIDs.Clear()
		home := t.TempDir()
		file := filepath.Join(home, "october.csv")
		if err := os.WriteFile(file, []byte(batch.String()), 0o600); err != nil {
			t.Fatal(err)
		}
		flags := []string{"--file", file, "--results", filepath.Join(home, "r.csv")}
		failed := retireWithFileLimit(kilobytes, home, server.URL, flags...).Run() != nil
		if sent := countSent(t, home, server.URL, &sentIDs); failed && sent > 0 {
			midway++
		}
		if output, err := retireWithFileLimit(enough, home, server.URL, flags...).CombinedOutput(); err != nil {
			t.Errorf("%d kB, then with free space: %v\n%s", kilobytes, err, output)
		}
		if sent := countSent(t, home, server.URL, &sentIDs); sent != lines {
			t.Errorf("%d kB: %d calls for %d lines", kilobytes, sent, lines)
		}
	}
	if midway < 3 {
		t.Errorf("only %d batches found the disk full between lines", midway)
	}
}

// externalID returns the external id in the body of a call.
func externalID(body []byte) string {
	_, rest, _ := strings.Cut(string(body), `"external_id":"`)
	id, _, _ := strings.Cut(rest, `"`)
	return id
}

// countSent counts the calls that the service received, and checks that the journal lists
// each as done or unknown.
func countSent(t *testing.T, home, service string, sentIDs *sync.Map) (n int) {
	t.Helper()
	known := make(map[any]bool)
	w := otherProgram(t, filepath.Join(home, "data"), "", false)
	w.Account.Origin = service
	for _, c := range must(w.Calls(t.Context(), retire.OfService)) {
		known[c.ExternalID] = c.State == retire.Done || c.Doubtful()
	}
	if err := w.Close(time.Second); err != nil {
		t.Error(err)
	}
	sentIDs.Range(func(id, _ any) bool {
		if n++; !known[id] {
			t.Errorf("%v was sent but is not in the journal", id)
		}
		return true
	})
	return n
}
