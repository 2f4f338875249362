package cli

import (
	"archive/zip"
	"crypto/sha256"
	"encoding/hex"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"tonne/ui/cli/command"
)

// repack copies a pack and passes each file through change. It drops empty files and
// writes matching hashes.
func repack(t *testing.T, pack string, change func(name, content string) string) string {
	t.Helper()
	archive, err := zip.OpenReader(pack)
	if err != nil {
		t.Fatal(err)
	}
	defer archive.Close()
	path := filepath.Join(t.TempDir(), "altered.zip")
	file, err := os.Create(path)
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	out, sums := zip.NewWriter(file), ""
	write := func(name, content string) {
		w, err := out.Create(name)
		if err == nil {
			_, err = io.WriteString(w, content)
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	for _, f := range archive.File {
		content := change(f.Name, packedText(t, pack, f.Name))
		if f.Name == "SHA256SUMS" || content == "" {
			continue
		}
		if f.Name == "SHA256SUMS.sig" {
			write(f.Name, content)
			continue
		}
		hash := sha256.Sum256([]byte(content))
		sums += hex.EncodeToString(hash[:]) + "  " + f.Name + "\n"
		write(f.Name, content)
	}
	write("SHA256SUMS", sums)
	if err := out.Close(); err != nil {
		t.Fatal(err)
	}
	return path
}

func TestVerifyDetectsAlteredMonth(t *testing.T) {
	t.Parallel()
	w, _ := withCertificates(t)
	w.must("retirement", "C1", "T1", "T2")
	pack := filepath.Join(w.env["HOME"], "january.zip")
	w.must("ledger", "close", "2026-01", "--pack", pack)
	w.must("evidence", "verify", repack(t, pack, func(_, content string) string { return content }))
	both := func(old, replaced string) func(name, content string) string {
		return func(name, content string) string {
			if name == "close.csv" || name == "close.json" {
				return strings.Replace(content, old, replaced, 1)
			}
			return content
		}
	}
	only := func(name, old, replaced string) func(string, string) string {
		return func(file, content string) string {
			if file == name {
				return strings.Replace(content, old, replaced, 1)
			}
			return content
		}
	}
	for _, c := range []struct {
		change func(name, content string) string
		wrong  string
	}{
		{only("close.csv", "doubtful", "complete"), "close.csv does not match the evidence"},
		{only("close.json", `"bought_cents":"`, `"bought_cents":"1`), "close.xlsx does not match the evidence"},
		{only("close.json", `"requested_grams":"6000000"`, `"requested_grams":"7000000"`), "the sums of close.json do not match its requests"},
		{both("doubtful", "complete"), "close.json and manifest.json differ in the failed checks of C1"},
		{both("2000000", "3000000"), "close.json and the API response of C1 differ"},
		{both("C1", "C9"), "close.json lacks C1, which is in the evidence"},
		{func(name, content string) string {
			if name == "close.xlsx" {
				return ""
			}
			return content
		}, "close.xlsx is missing"},
	} {
		r := w.run("evidence", "verify", repack(t, pack, c.change))
		if r.status != command.StatusFailed || !strings.Contains(r.stderr, c.wrong) {
			t.Errorf("status %d, want %s:\n%s%s", r.status, c.wrong, r.stdout, r.stderr)
		}
	}
}
