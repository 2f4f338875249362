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

// On a disk that takes no more, at whatever write that is, a call is sent only
// if it is in the journal; what is told agrees with what the service was asked.
func TestNothingIsSentThatAFullDiskDidNotTake(t *testing.T) {
	t.Parallel()
	var asked atomic.Int64
	s := new(service)
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, req *http.Request) {
		if req.Method != http.MethodPost {
			s.ServeHTTP(w, req)
			return
		}
		asked.Add(1)
		fmt.Fprint(w, `{"retirement_request_id":"R1","external_id_already_processed":false}`)
	}))
	defer server.Close()
	var unsent, untold, done int
	for kilobytes := 4; kilobytes <= 128 && done < 3; kilobytes += 4 {
		home := t.TempDir()
		asked.Store(0)
		cmd := onDiskOf(kilobytes, home, server.URL, "--vintage", "V1", "--tonnes", "4")
		said := new(bytes.Buffer)
		cmd.Stderr = said
		err := cmd.Run()
		var status *exec.ExitError
		failed := errors.As(err, &status)
		switch {
		case err != nil && !failed, strings.Contains(said.String(), "goroutine "):
			t.Fatalf("%d kB: %v\n%s", kilobytes, err, said)
		case asked.Load() == 0:
			if unsent++; !failed || !strings.Contains(said.String(), "nothing more was sent") {
				t.Errorf("%d kB: %v, and nothing was sent:\n%s", kilobytes, err, said)
			}
		case failed:
			if untold++; !strings.Contains(said.String(), "was sent and is done, which could not be written down") || !strings.Contains(said.String(), "tonne retire resume") {
				t.Errorf("%d kB: it was sent, and said is\n%s", kilobytes, said)
			}
		default:
			done++
		}
		if asked.Load() > 1 {
			t.Errorf("%d kB: %d calls", kilobytes, asked.Load())
		}
	}
	t.Logf("%d runs did not send, %d could not write down the outcome, %d were done", unsent, untold, done)
	if unsent < 3 || done == 0 {
		t.Error("the limits miss the writes of the journal")
	}
}

// onDiskOf is `tonne retire` at a service, where no file is longer than that.
func onDiskOf(kilobytes int, home, service string, args ...string) *exec.Cmd {
	// A shell of POSIX counts in blocks of 512 bytes.
	cmd := exec.Command("sh", slices.Concat([]string{"-c", `ulimit -f "$0" && exec "$@"`, strconv.Itoa(2 * kilobytes),
		os.Args[0], "retire", "--allow-retire", "--yes"}, args)...)
	cmd.Env = slices.Concat(environment(home, "TONNE_BASE_URL="+service, "TONNE_API_KEY="+testKey), []string{"POSIXLY_CORRECT=1"})
	return cmd
}

// Wherever in a batch the disk takes no more: each call that was sent is in the
// journal, as done or as one to ask again for. With room again the same command
// ends the batch, and sends no line under another id.
func TestABatchWhoseDiskFillsUpKnowsEachCallThatItSent(t *testing.T) {
	longtest.Only(t)
	t.Parallel()
	const lines, room = 20, 1 << 20
	var asked sync.Map
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, req *http.Request) {
		if req.Method != http.MethodPost {
			new(service).ServeHTTP(w, req)
			return
		}
		body := must(io.ReadAll(req.Body))
		_, again := asked.LoadOrStore(idIn(body), true)
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
		asked.Clear()
		home := t.TempDir()
		file := filepath.Join(home, "october.csv")
		if err := os.WriteFile(file, []byte(batch.String()), 0o600); err != nil {
			t.Fatal(err)
		}
		flags := []string{"--file", file, "--results", filepath.Join(home, "r.csv")}
		failed := onDiskOf(kilobytes, home, server.URL, flags...).Run() != nil
		if sent := countSent(t, home, server.URL, &asked); failed && sent > 0 {
			midway++
		}
		if said, err := onDiskOf(room, home, server.URL, flags...).CombinedOutput(); err != nil {
			t.Errorf("%d kB, with room again: %v\n%s", kilobytes, err, said)
		}
		if sent := countSent(t, home, server.URL, &asked); sent != lines {
			t.Errorf("%d kB: %d calls for %d lines", kilobytes, sent, lines)
		}
	}
	if midway < 3 {
		t.Errorf("%d batches met a full disk on their way", midway)
	}
}

// idIn is the external id in the body of a call.
func idIn(body []byte) string {
	_, behind, _ := strings.Cut(string(body), `"external_id":"`)
	id, _, _ := strings.Cut(behind, `"`)
	return id
}

// countSent counts the calls that a service was asked for. The journal has each of
// them as done or in doubt.
func countSent(t *testing.T, home, service string, asked *sync.Map) (n int) {
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
	asked.Range(func(id, _ any) bool {
		if n++; !known[id] {
			t.Errorf("%v was sent, and the journal does not know it", id)
		}
		return true
	})
	return n
}
