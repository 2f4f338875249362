package cli

import (
	"errors"
	"fmt"
	"net/http"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"tonne/api/retire"
	"tonne/ui/cli/command"
)

// For the key of another tenant, the call would be a new one and buy again.
func TestResumeNeedsKeyOfTheCall(t *testing.T) {
	t.Parallel()
	inBubble(t, func(t *testing.T) {
		var keys []string
		s := new(service)
		w := newWorld(t, http.HandlerFunc(func(w http.ResponseWriter, req *http.Request) {
			switch key := req.Header.Get("Authorization"); {
			case req.Method != http.MethodPost:
				s.ServeHTTP(w, req)
			case strings.HasSuffix(key, " another-key"):
				keys = append(keys, key)
				fmt.Fprint(w, `{"retirement_request_id":"R2","external_id_already_processed":true}`)
			default:
				keys = append(keys, key)
				w.WriteHeader(http.StatusGatewayTimeout)
			}
		}))
		batch := []string{"retire", "--allow-retire", "--yes", "--file", w.write("b.csv", shortHeader+"a,V1,4000000\n"), "--results", filepath.Join(w.env["HOME"], "r.csv")}
		if r := w.run(batch...); r.status != command.StatusUnreachable || len(keys) == 0 {
			t.Fatalf("status %d\n%s", r.status, r.stderr)
		}
		keys = nil
		resume := []string{"retire", "resume", "--allow-retire", "--yes"}
		w.env["TONNE_API_KEY"] = "another-key"
		for _, args := range [][]string{resume, batch} {
			r := w.run(args...)
			if r.status != command.StatusFailed || len(keys) != 0 || !strings.Contains(r.stderr, "the call was made with another API key") ||
				!strings.Contains(r.stderr, "`tonne retire resume --same-tenant` if that was rotated") {
				t.Errorf("status %d, sent with %q\n%s", r.status, keys, r.stderr)
			}
		}
		o, leave := dashboardOptions(t, w, "--allow-retire")
		defer leave()
		for _, call := range must(o.Retire.Unsettled(t.Context())) {
			if _, err := o.Retire.Resume(t.Context(), call.ExternalID, nil); !errors.Is(err, retire.ErrOtherKey) || len(keys) != 0 {
				t.Errorf("dashboard: %v, sent with %q", err, keys)
			}
		}
		if out := w.must(append(resume, "--same-tenant", "-o", "json")...); !strings.Contains(out, `"status":"done"`) || !slices.Equal(keys, []string{"Bearer another-key"}) {
			t.Errorf("sent with %q\n%s", keys, out)
		}
	})
}

func TestRefusedKeyAdviceSuggestsResume(t *testing.T) {
	t.Parallel()
	r := newRetirer(t)
	r.before = func(w http.ResponseWriter, req *http.Request) bool {
		if req.Method == http.MethodPost {
			w.WriteHeader(http.StatusUnauthorized)
		}
		return req.Method == http.MethodPost
	}
	got := r.retire("--vintage", "004bale21", "--tonnes", "1")
	if got.status != command.StatusRefused || !containsAll(got.stderr, "Correct TONNE_API_KEY", "run `tonne retire resume`") {
		t.Errorf("status %d\n%s", got.status, got.stderr)
	}
}
