package cli

import (
	"net/http"
	"os"
	"os/user"
	"strconv"
	"testing"
)

// A cron job has no USER in its environment.
func TestRetireRecordsUserWithoutEnvironment(t *testing.T) {
	t.Parallel()
	system := "uid " + strconv.Itoa(os.Getuid())
	if u, err := user.Current(); err == nil {
		system = u.Username
	}
	for env, want := range map[string]string{"": system, "ann": "ann"} {
		r := newRetirer(t)
		r.env["USER"] = env
		r.before = func(w http.ResponseWriter, req *http.Request) bool {
			if req.Method == http.MethodPost {
				w.WriteHeader(http.StatusUnauthorized)
			}
			return req.Method == http.MethodPost
		}
		r.retire("--vintage", "004bale21", "--tonnes", "4")
		var pending []struct {
			MadeBy string `json:"made_by"`
		}
		r.read(r.must("retire", "pending", "-o", "json"), &pending)
		if len(pending) != 1 || pending[0].MadeBy != want {
			t.Errorf("USER=%s: made by %+v, want %q", env, pending, want)
		}
	}
}
