//go:build unix

package cli

import (
	"bytes"
	"errors"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"slices"
	"strconv"
	"strings"
	"sync/atomic"
	"testing"
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
		// A shell of POSIX counts in blocks of 512 bytes.
		cmd := exec.Command("sh", "-c", `ulimit -f "$0" && exec "$@"`, strconv.Itoa(2*kilobytes),
			os.Args[0], "retire", "--allow-retire", "--yes", "--vintage", "V1", "--tonnes", "4")
		cmd.Env = slices.Concat(environment(home, "TONNE_BASE_URL="+server.URL, "TONNE_API_KEY="+testKey), []string{"POSIXLY_CORRECT=1"})
		said := new(bytes.Buffer)
		cmd.Stderr = said
		err := cmd.Run()
		var status *exec.ExitError
		failed := errors.As(err, &status)
		switch {
		case err != nil && !failed, strings.Contains(said.String(), "goroutine "):
			t.Fatalf("%d kB: %v\n%s", kilobytes, err, said)
		case asked.Load() == 0:
			if unsent++; !failed || !strings.Contains(said.String(), "not sent") && !strings.Contains(said.String(), "Nothing is sent") {
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
