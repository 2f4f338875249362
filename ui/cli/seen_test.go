package cli

import (
	"os/user"
	"path/filepath"
	"strings"
	"testing"

	"tonne/api/audit"
	"tonne/api/session"
	"tonne/model"
	"tonne/ui/cli/command"
)

func TestWhatAPersonSawOnTheRegistryStandsInTheEvidence(t *testing.T) {
	t.Parallel()
	w, _ := knowing(t)
	const page = "https://registry.verra.org/app/projectDetail/VCS/1340"
	w.env["LOGNAME"] = "ann"
	r := w.run("retirement", "seen", "R1", "--registry-url", page, "--page", w.write("page.html", "<html>"))
	if r.status != 0 || r.stderr != "Recorded: ann saw it at "+page+".\n" {
		t.Errorf("status %d\n%s", r.status, r.stderr)
	}
	w.must("retirement", "seen", r1Serial, "--registry-url", page+"?b", "--who", "Bo")
	path := filepath.Join(w.env["HOME"], "e.csv")
	w.must("retirement", "R1", "R2", "--evidence", path)
	rows := readEvidence(t, path)
	got := strings.Split(rows["R1"]["seen_on_registry"], "; ")
	if len(got) != 2 || !strings.HasSuffix(got[0], " ann "+page+" (page.html SHA-256 b7d082ee12e91b756ea22e8513b8594eebcf5d39fab813da3cb55794dc888ad7)") ||
		!strings.HasSuffix(got[1], " Bo "+page+"?b") || rows["R2"]["seen_on_registry"] != "" {
		t.Errorf("%q", got)
	}
	if got := rows["R1"]["registry_page"]; got != "https://registry.verra.org/app/projectDetail/VCS/1340" {
		t.Errorf("the page is %q", got)
	}
}

func TestASightingNeedsWhoWhereAndOfWhat(t *testing.T) {
	t.Parallel()
	w, _ := knowing(t)
	w.env["LOGNAME"] = "ann"
	const url = "https://registry.verra.org/app"
	for _, c := range []struct {
		args   []string
		status int
	}{
		{nil, command.StatusUsage}, {[]string{"R1", "R2", "--registry-url", url}, command.StatusUsage}, {[]string{"R1"}, command.StatusUsage},
		{[]string{"R1", "--registry-url", "http://registry.verra.org"}, command.StatusUsage}, {[]string{"R1", "--registry-url", "javascript:alert(1)"}, command.StatusUsage},
		{[]string{"R1", "--registry-url", url, "--who", "a\x1b[2J"}, command.StatusUsage}, {[]string{"R9", "--registry-url", url}, command.StatusNotFound},
		{[]string{"R1", "--registry-url", url, "--page", "/nonexist/page"}, command.StatusFailed}, {[]string{"R1", "--registry-url", url, "--page", t.TempDir()}, command.StatusFailed},
	} {
		r := w.run(append([]string{"retirement", "seen"}, c.args...)...)
		if r.status != c.status {
			t.Errorf("%v: status %d\n%s", c.args, r.status, r.stderr)
		}
		r.sentences(t)
	}
}

func TestASightingIsOfCreditsThatTheLedgerHas(t *testing.T) {
	t.Parallel()
	w, _ := knowing(t)
	const url = "https://registry.verra.org/app"
	for subject, want := range map[string]int{
		"ART-GY-102-2024-234-9320001 to 9320010": command.StatusNotFound, "R2": command.StatusFailed, r1Serial: command.StatusDone, "R1": command.StatusDone,
	} {
		r := w.run("retirement", "seen", subject, "--registry-url", url, "--who", "Ann")
		if r.status != want || strings.Contains(r.stderr, "no registry") {
			t.Errorf("%s: status %d\n%s", subject, r.status, r.stderr)
		}
	}
	for _, page := range []string{"https://google.com/search", "https://verra.org.example/app", "https://notverra.org/"} {
		r := w.run("retirement", "seen", "R1", "--registry-url", page, "--who", "Ann")
		if r.status != 0 || !strings.Contains(r.stderr, page+" is of no registry that tonne knows") {
			t.Errorf("%s: status %d\n%s", page, r.status, r.stderr)
		}
	}
}

// A session of a container has no user in its environment.
func TestWhoSawItIsTheUserOfTheSystemOtherwise(t *testing.T) {
	t.Parallel()
	w, _ := knowing(t)
	const url = "https://registry.verra.org/app"
	r := w.run("retirement", "seen", "R1", "--registry-url", url)
	if u, err := user.Current(); err != nil {
		if _, todo := r.sentences(t); r.status != command.StatusUsage || todo != "Give a name with --who NAME." {
			t.Errorf("status %d\n%s", r.status, r.stderr)
		}
	} else if r.status != 0 || r.stderr != "Recorded: "+u.Username+" saw it at "+url+".\n" {
		t.Errorf("status %d\n%s", r.status, r.stderr)
	}
}

// The certificates of the demo say what its service answers, in each format of
// serial numbers.
func TestTheTextOfACertificateIsHeldAgainstTheAnswer(t *testing.T) {
	t.Parallel()
	w, market := knownDemo(t)
	checked := make(map[string]bool)
	for _, id := range texts(t, market.Service, `SELECT r.id FROM retirement_requests r JOIN api_keys k ON k.tenant = r.tenant
		WHERE r.status = 'COMPLETE' ORDER BY r.total_grams DESC LIMIT 12`) {
		answer := market.Retirement(id)
		_, address, _ := strings.Cut(answer.CertificateURL, "/certificates/")
		certificate := market.Get("/certificates/" + address)
		path := w.write(id+".pdf", certificate.Body.String())
		text := audit.ReadCertificate(t.Context(), path)
		if strings.Contains(text.Unread, "pdftotext is installed") {
			t.Skip(text.Unread)
		}
		check := func() model.Check {
			return audit.Subject{Answer: &answer, File: session.Unchanged}.CheckText(func(string) audit.CertificateText { return text })
		}
		if got := check(); got.Result != model.Pass && !(text.Cut && got.Result == model.NotCheckable) {
			t.Errorf("%s: %+v\n%s", id, got, strings.Join(text.Lines, "\n"))
		}
		for _, s := range answer.Serials() {
			checked[s.Registry] = true
		}
		// A quantity that no day, page or serial number of a certificate writes by chance.
		answer.TotalQuantity += 987_654_321 * model.GramsPerTonne
		if got := check(); got.Result == model.Pass {
			t.Errorf("%s agrees with another quantity", id)
		}
	}
	if len(checked) < 5 {
		t.Errorf("only certificates of %v were read", checked)
	}
	for want, path := range map[string]string{
		"no certificate was saved": "", "the file cannot be read": "/nonexist/a.pdf", "it is a picture": w.write("a.png", onePixel),
	} {
		if got := audit.ReadCertificate(t.Context(), path); got.Unread != want {
			t.Errorf("%s: %+v", path, got)
		}
	}
}

// onePixel is a picture.
const onePixel = "\x89PNG\r\n\x1a\n\x00\x00\x00\rIHDR\x00\x00\x00\x01\x00\x00\x00\x01\x08\x00\x00\x00\x00:~\x9bU\x00\x00\x00\nIDATx\x9cc`\x00\x00\x00\x02\x00\x01H\xaf\xa4q\x00\x00\x00\x00IEND\xaeB`\x82"
