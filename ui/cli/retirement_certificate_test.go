package cli

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"path/filepath"
	"strings"
	"testing"

	"tonne/api/apitest"
	"tonne/ui/cli/command"
)

// serviceWithCertificate returns a service whose requests have a certificate at a URL.
func serviceWithCertificate(address string) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path != "/api/retirement" {
			fmt.Fprint(w, projectDetails)
			return
		}
		fmt.Fprintf(w, `{"id":%q,"status":"COMPLETE","total_quantity":"20","type":"FRACTIONALISED","project_id":"P1","vintage_id":"V",`+
			`"created_at":"2026-01-01T10:00:00.000Z","x_proof_of_retirement_certificate_url":%q}`, r.URL.Query().Get("id"), address)
	})
}

func TestUnsavedCertificateIsReportedOnce(t *testing.T) {
	t.Parallel()
	closed := httptest.NewServer(nil)
	closed.Close()
	for name, c := range map[string]struct {
		host       http.Handler
		status     int
		what, todo string
	}{
		"server error": {apitest.Status(503, ""), command.StatusUnreachable, "its host answered 503", "Try again later"},
		"reset":        {apitest.Reset(), command.StatusUnreachable, "its host cannot be reached", "Try again later"},
		"down":         {nil, command.StatusUnreachable, "its host cannot be reached: connection refused", "Try again later"},
		"no response":  {apitest.Hang(), command.StatusUnreachable, "its host did not answer in time", "Try again later"},
		"HTML":         {apitest.HTML(), command.StatusFailed, "neither PDF, PNG nor JPEG", "Open the address in a browser, and ask the marketplace."},
		"not found":    {apitest.Status(404, ""), command.StatusFailed, "answered 404", "Open the address in a browser, and ask the marketplace."},
		"another file": {apitest.JSON("%PDF-1.7"), command.StatusFailed, "is there already", "Move the file away"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			address := closed.URL
			if c.host != nil {
				host := httptest.NewServer(c.host)
				t.Cleanup(host.Close)
				address = host.URL
			}
			w := newWorld(t, serviceWithCertificate(address))
			w.env["TONNE_BASE_URL"] = "http://127.0.0.1:1"
			dir := filepath.Dir(w.write("certificates/R1.pdf", "mine"))
			r := w.run("retirement", "R1", "--certificates", dir, "--timeout", "500ms", "-o", "json")
			what, todo := r.sentences(t)
			if r.status != c.status || !strings.Contains(what, "the certificate of R1 was not saved: ") || !strings.Contains(what, c.what) || !strings.HasPrefix(todo, c.todo) {
				t.Errorf("status %d\n%s", r.status, r.stderr)
			}
			r = w.run("retirement", "R1", "R2", "--certificates", dir, "--timeout", "500ms", "-o", "json")
			if n := strings.Count(r.stderr, "the certificate of R1 was not saved"); n != 1 {
				t.Errorf("reported %d times\n%s", n, r.stderr)
			}
		})
	}
}
