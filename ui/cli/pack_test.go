package cli

import (
	"archive/zip"
	"bytes"
	"crypto/ed25519"
	"crypto/sha256"
	"encoding/hex"
	"encoding/pem"
	"io"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"golang.org/x/crypto/ssh"

	"tonne/api/audit"
	"tonne/model/retirement"
	"tonne/ui/cli/command"
)

// sshKey writes an SSH private key and returns its path and fingerprint.
func (w *world) sshKey(passphrase string) (path, fingerprint string) {
	w.t.Helper()
	key := ed25519.NewKeyFromSeed(make([]byte, ed25519.SeedSize))
	block, err := ssh.MarshalPrivateKey(key, "")
	if passphrase != "" {
		block, err = ssh.MarshalPrivateKeyWithPassphrase(key, "", []byte(passphrase))
	}
	if err != nil {
		w.t.Fatal(err)
	}
	signer, err := ssh.NewSignerFromKey(key)
	if err != nil {
		w.t.Fatal(err)
	}
	return w.write("id_ed25519", string(pem.EncodeToMemory(block))), ssh.FingerprintSHA256(signer.PublicKey())
}

// packedText returns the content of a file in a pack.
func packedText(t *testing.T, pack, name string) string {
	t.Helper()
	archive, err := zip.OpenReader(pack)
	if err != nil {
		t.Fatal(err)
	}
	defer archive.Close()
	f, err := archive.Open(name)
	if err != nil {
		t.Fatal(err)
	}
	text, err := io.ReadAll(f)
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

func TestPackIsReproducibleAndVerifiesOffline(t *testing.T) {
	t.Parallel()
	w, c := withCertificates(t)
	key, fingerprint := w.sshKey("")
	packs := []string{filepath.Join(w.env["HOME"], "a.zip"), filepath.Join(w.env["HOME"], "b.zip")}
	var bytesOf [][]byte
	for i, ids := range [][]string{{"C1", "C2", "T1"}, {"T1", "C2", "C1"}} {
		r := w.run(append([]string{"retirement", "--pack", packs[i], "--sign", key}, ids...)...)
		if r.status != 0 || !strings.Contains(r.stderr, packs[i]+" contains full tax ids") {
			t.Errorf("status %d\n%s", r.status, r.stderr)
		}
		text, err := os.ReadFile(packs[i])
		if err != nil {
			t.Fatal(err)
		}
		bytesOf = append(bytesOf, text)
	}
	if !bytes.Equal(bytesOf[0], bytesOf[1]) {
		t.Error("the packs differ")
	}
	if got := packedText(t, packs[0], "certificates/C1.pdf"); got != anyPDF {
		t.Errorf("the certificate is %q", got)
	}
	if got := packedText(t, packs[0], "answers/C1.json"); !strings.HasPrefix(got, `{"id":"C1","status":"COMPLETE"`) || !strings.Contains(got, "GB 123 456 789") {
		t.Errorf("the response is %q", got)
	}
	if got := packedText(t, packs[0], "evidence.csv"); strings.Contains(got, "123 456") {
		t.Errorf("the evidence shows a tax id:\n%s", got)
	}
	c.host.Close()
	want := `{"file":"` + packs[0] + `","files":11,"requests":3,"left_out":0,"doubts":6,"signer":"` + fingerprint + `","origin":"signed by the key ` + fingerprint + "\"}\n"
	if got := w.unconfigured().must("evidence", "verify", packs[0], "-o", "json"); got != want {
		t.Errorf("got  %swant %s", got, want)
	}
}

func TestPackReportsMissingRequests(t *testing.T) {
	t.Parallel()
	w, _ := withCertificates(t)
	pack := filepath.Join(w.env["HOME"], "a.zip")
	r := w.run("retirement", "C1", "gone-x", "--pack", pack)
	if r.status != command.StatusNotFound || !strings.Contains(r.stderr, pack+" lacks 1 of 2 requests.\n") {
		t.Errorf("status %d\n%s", r.status, r.stderr)
	}
	if got := packedText(t, pack, "manifest.json"); !strings.Contains(got, `"id": "gone-x"`) || strings.Contains(got, "created_at") {
		t.Errorf("the manifest is\n%s", got)
	}
	if got := w.must("evidence", "verify", pack); !strings.Contains(got, "Left out      1, see left_out in manifest.json") || !strings.HasPrefix(got, "Origin        unsigned: origin not proven\n") {
		t.Errorf("verify prints\n%s", got)
	}
	r = w.run("retirement", "gone-x", "--pack", filepath.Join(w.env["HOME"], "none.zip"))
	if _, err := os.Stat(filepath.Join(w.env["HOME"], "none.zip")); err == nil || !strings.Contains(r.stderr, "none.zip was not written: no request was found") {
		t.Errorf("empty pack (%v)\n%s", err, r.stderr)
	}
}

func TestVerifyOfModifiedPackExits1AndNamesFile(t *testing.T) {
	t.Parallel()
	w, _ := withCertificates(t)
	pack := filepath.Join(w.env["HOME"], "a.zip")
	w.must("retirement", "C1", "--pack", pack)
	text, err := os.ReadFile(pack)
	if err != nil {
		t.Fatal(err)
	}
	altered := w.write("b.zip", strings.Replace(string(text), anyPDF, strings.Replace(anyPDF, "a certificate", "a forgery....", 1), 1))
	r := w.run("evidence", "verify", altered)
	// The checksum of the zip does not match either.
	if what, _ := r.sentences(t); r.status != command.StatusFailed || what != "tonne: "+altered+" has been modified: certificates/C1.pdf is damaged." {
		t.Errorf("status %d, %s", r.status, what)
	}
	r = w.run("evidence", "verify", w.write("c.zip", "not a pack, but long enough"))
	if what, _ := r.sentences(t); r.status != command.StatusFailed || !strings.Contains(what, "is not an evidence pack that can be trusted") {
		t.Errorf("status %d, %s", r.status, what)
	}
	if r := w.run("evidence", "verify", filepath.Join(w.env["HOME"], "none.zip")); r.status != command.StatusFailed {
		t.Errorf("missing file: status %d", r.status)
	}
	for _, args := range [][]string{nil, {pack, altered}} {
		if r := w.run(append([]string{"evidence", "verify"}, args...)...); r.status != command.StatusUsage {
			t.Errorf("%d packs: status %d", len(args), r.status)
		}
	}
}

func TestInvalidPackOptionsSendNoRequest(t *testing.T) {
	t.Parallel()
	s := new(service)
	w := newWorld(t, s)
	locked, _ := w.sshKey("secret words")
	pack := filepath.Join(w.env["HOME"], "a.zip")
	for want, c := range map[string]struct {
		args   []string
		status int
	}{
		"does not end in .zip":   {[]string{"--pack", "a.tar"}, command.StatusUsage},
		"--sign needs --pack":    {[]string{"--sign", locked}, command.StatusUsage},
		"/nonexist/a.zip":        {[]string{"--pack", "/nonexist/a.zip"}, command.StatusFailed},
		"/nonexist/key":          {[]string{"--pack", pack, "--sign", "/nonexist/key"}, command.StatusFailed},
		"needs its passphrase":   {[]string{"--pack", pack, "--sign", locked}, command.StatusUsage},
		"not an SSH private key": {[]string{"--pack", pack, "--sign", w.write("id.pub", "ssh-ed25519 AAAA")}, command.StatusUsage},
	} {
		r := w.run(append([]string{"retirement", "R1"}, c.args...)...)
		if what, _ := r.sentences(t); r.status != c.status || !strings.Contains(what, want) || len(s.requests) > 0 {
			t.Errorf("%v: status %d after %d requests, %s", c.args, r.status, len(s.requests), what)
		}
	}
}

func TestPackWithSavedCertificatesIsReproducible(t *testing.T) {
	t.Parallel()
	w, _ := withCertificates(t)
	var before string
	for _, name := range []string{"a.zip", "b.zip"} {
		pack := filepath.Join(w.env["HOME"], name)
		w.must("retirement", "C1", "T1", "--pack", pack, "--certificates", filepath.Join(w.env["HOME"], "certificates"))
		text, err := os.ReadFile(pack)
		if err != nil {
			t.Fatal(err)
		}
		if before != "" && before != string(text) {
			t.Errorf("the second pack differs; its evidence is\n%s", packedText(t, pack, "evidence.csv"))
		}
		before = string(text)
	}
	if got := packedText(t, filepath.Join(w.env["HOME"], "a.zip"), "evidence.json"); strings.Contains(got, `"certificate_fetched_at":""`) {
		t.Errorf("the evidence does not say when the certificate was fetched:\n%s", got)
	}
}

func TestPackReportsItsPath(t *testing.T) {
	t.Parallel()
	w, _ := withCertificates(t)
	pack, kept := filepath.Join(w.env["HOME"], "a.zip"), filepath.Join(w.env["HOME"], "kept")
	const failed = " (items_sum_to_total, serials_match_vintage)"
	for doubts, ids := range map[string][]string{"C1" + failed: {"C1"}, "C1" + failed + "; T1" + failed: {"C1", "T1"}} {
		r := w.run(append([]string{"retirement", "--show-tax-ids", "--pack", pack}, ids...)...)
		if r.status != 0 || r.stderr != "tonne: checks failed in "+pack+", which says why: "+doubts+".\ntonne: the pack is in "+pack+".\n" {
			t.Errorf("%v: status %d\n%s", ids, r.status, r.stderr)
		}
		if err := os.Remove(pack); err != nil {
			t.Error(err)
		}
	}
	r := w.run("retirement", "C1", "--pack", pack, "--certificates", kept, "-o", "json")
	for _, want := range []string{`"message":"the pack is in ` + pack, `"message":"certificate saved as ` + kept} {
		if !strings.Contains(r.stderr, `{"code":"saved",`+want) {
			t.Errorf("no %s in\n%s", want, r.stderr)
		}
	}
}

func TestPackUsesSavedCertificateIfNotServed(t *testing.T) {
	t.Parallel()
	w, c := withCertificates(t)
	dir, pack := filepath.Join(w.env["HOME"], "certificates"), filepath.Join(w.env["HOME"], "a.zip")
	w.must("retirement", "C1", "C2", "--certificates", dir)
	w.write("certificates/C2.pdf", anyPDF+" altered")
	c.host.Config.Handler = http.NotFoundHandler()
	if r := w.run("retirement", "C1", "C2", "--pack", pack); r.status != command.StatusFailed {
		t.Errorf("status %d\n%s", r.status, r.stderr)
	}
	if got := packedText(t, pack, "certificates/C1.pdf"); got != anyPDF {
		t.Errorf("the certificate is %q", got)
	}
	rows := readEvidence(t, w.write("evidence.json", packedText(t, pack, "evidence.json")))
	sum := sha256.Sum256([]byte(anyPDF))
	c1 := rows["C1"]
	if day := c1["certificate_fetched_at"]; day == "" || c1["certificate_file"] != "C1.pdf" || c1["certificate_sha256"] != hex.EncodeToString(sum[:]) ||
		!strings.Contains(c1["doubts"], "certificate_on_file: the copy saved at "+day[:19]) ||
		!strings.Contains(c1["doubts"], " is unchanged, not fetched: the certificate's host answered 404") {
		t.Errorf("C1: %s %s %s: %s", c1["certificate_file"], c1["certificate_sha256"], day, c1["doubts"])
	}
	// An altered copy is not evidence.
	if c2 := rows["C2"]; c2["certificate_file"]+c2["certificate_sha256"] != "" || !strings.Contains(c2["doubts"], "was altered") {
		t.Errorf("C2: %s %s: %s", c2["certificate_file"], c2["certificate_sha256"], c2["doubts"])
	}
}

func TestPackOmitsCertificateOfMissingRequest(t *testing.T) {
	t.Parallel()
	w, c := withCertificates(t)
	pack := filepath.Join(w.env["HOME"], "a.zip")
	w.must("retirement", "C1", "C2", "--certificates", filepath.Join(w.env["HOME"], "certificates"))
	c.lost = "C1"
	if r := w.run("retirement", "C1", "C2", "--pack", pack); r.status != command.StatusNotFound || !strings.Contains(r.stderr, pack+" lacks 1 of 2 requests") {
		t.Errorf("status %d\n%s", r.status, r.stderr)
	}
	if got := w.must("evidence", "verify", pack); !strings.Contains(got, "Left out      1,") || strings.Contains(packedText(t, pack, "SHA256SUMS"), "C1.pdf") {
		t.Errorf("verify prints\n%s", got)
	}
}

func TestPackSavesCertificatesOnce(t *testing.T) {
	t.Parallel()
	w, c := withCertificates(t)
	var saved []string
	dashboard := w.dashboardAudit(c)
	dashboard.auditor.Kept = func(id string, c retirement.Certificate) { saved = append(saved, id+" "+filepath.Base(c.Path)) }
	of := []audit.Request{{Retirement: retirement.Request{ID: "C1"}}}
	for _, name := range []string{"a.zip", "b.zip"} {
		if _, err := dashboard.auditor.WriteFile(t.Context(), audit.File{Path: filepath.Join(w.env["HOME"], name), Of: of}); err != nil {
			t.Fatal(err)
		}
	}
	if len(saved) != 1 || saved[0] != "C1 C1.pdf" {
		t.Errorf("the dashboard receives %q", saved)
	}
	entries, err := dashboard.auditor.Store.Of(dashboard.auditor.Origin).Ledger.Entries(t.Context())
	if err != nil || len(entries) != 1 {
		t.Fatal(entries, err)
	}
	path := entries[0].Certificate.Path
	if got, err := os.ReadFile(path); string(got) != anyPDF || !strings.HasPrefix(path, filepath.Join(w.env["XDG_DATA_HOME"], "tonne", "certificates")) {
		t.Errorf("%s contains %q (%v)", path, got, err)
	}
	// A deleted copy is reported, even though the service still has it.
	if err := os.Remove(path); err != nil {
		t.Fatal(err)
	}
	if w, err := dashboard.auditor.WriteFile(t.Context(), audit.File{Path: filepath.Join(w.env["HOME"], "c.zip"), Of: of}); err != nil ||
		!strings.Contains(w.Failed[len(w.Failed)-1].Detail, "is gone, a new download is identical to the saved file") {
		t.Errorf("wrote %+v (%v)", w, err)
	}
}

func TestDemoSavesNoCertificates(t *testing.T) {
	t.Parallel()
	w, c := withCertificates(t)
	dashboard := w.dashboardAudit(c)
	dashboard.App.Fleeting = filepath.Join(w.env["HOME"], "fleeting")
	dashboard.auditor.KeepIn = dashboard.App.CertificatesDir()
	file := audit.File{Path: filepath.Join(w.env["HOME"], "a.zip"), Of: []audit.Request{{Retirement: retirement.Request{ID: "C1"}}}}
	if _, err := dashboard.auditor.WriteFile(t.Context(), file); err != nil {
		t.Fatal(err)
	}
	if _, err := os.Stat(filepath.Join(w.env["XDG_DATA_HOME"], "tonne", "certificates")); err == nil {
		t.Error("the demo left certificates in the data directory")
	}
	if found, err := filepath.Glob(filepath.Join(dashboard.App.Fleeting, "*", "C1.pdf")); err != nil || len(found) != 1 {
		t.Errorf("%q (%v)", found, err)
	}
}

func TestReplacedFileIsReported(t *testing.T) {
	t.Parallel()
	w, _ := withCertificates(t)
	for _, c := range []struct{ flag, name string }{{"--pack", "a.zip"}, {"--evidence", "e.csv"}} {
		path := filepath.Join(w.env["HOME"], c.name)
		for _, step := range []struct {
			id       string
			replaced bool
		}{{"C1", false}, {"C1", false}, {"C2", true}} {
			r := w.run("retirement", step.id, c.flag, path)
			if r.status != 0 || strings.Contains(r.stderr, path+" was replaced; its earlier contents had the SHA-256 ") != step.replaced {
				t.Errorf("%s %s: status %d\n%s", c.flag, step.id, r.status, r.stderr)
			}
		}
	}
}

func TestPackManifestNotesTaxIDsInResponses(t *testing.T) {
	t.Parallel()
	w, _ := withCertificates(t)
	pack, path := filepath.Join(w.env["HOME"], "a.zip"), filepath.Join(w.env["HOME"], "e.csv")
	w.must("retirement", "C1", "--pack", pack, "--evidence", path)
	if got := packedText(t, pack, "manifest.json"); !strings.Contains(got, `"tax_ids_masked": true`) || !strings.Contains(got, `"tax_ids_in_answers": true`) {
		t.Errorf("the manifest is\n%s", got)
	}
	// Evidence without a pack has no responses.
	if got, err := os.ReadFile(path + ".manifest.json"); err != nil || strings.Contains(string(got), "tax_ids_in_answers") {
		t.Errorf("the manifest is\n%s (%v)", got, err)
	}
}
