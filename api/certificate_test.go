package api_test

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io/fs"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"sync/atomic"
	"testing"

	"tonne/api"
	"tonne/api/apitest"
	must "tonne/model/musttest"
)

const (
	pdf  = "%PDF-1.7\nretired"
	png  = "\x89PNG\r\n\x1a\nretired"
	jpeg = "\xff\xd8\xff\xe0retired"
)

// content answers with bytes that the host calls something else.
func content(body string) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		for name := range r.Header {
			if strings.Contains(strings.Join(r.Header[name], ""), key) {
				w.WriteHeader(http.StatusTeapot)
				return
			}
		}
		w.Header().Set("Content-Type", "text/html")
		_, _ = w.Write([]byte(body))
	})
}

// endless sends bytes as long as the client reads, without a Content-Length.
func endless(start string) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		block := []byte(start + strings.Repeat("x", 64<<10))
		for {
			if _, err := w.Write(block); err != nil {
				return
			}
		}
	})
}

// host runs a host of certificates and returns a client of a marketplace on
// this machine.
func host(t *testing.T, h http.Handler) (*api.Client, string) {
	t.Helper()
	server := httptest.NewServer(h)
	t.Cleanup(server.Close)
	return serve(t, apitest.JSON(`{}`)), server.URL
}

func TestCertificateIsSavedByItsContent(t *testing.T) {
	t.Parallel()
	for body, want := range map[string]struct{ ending, media string }{
		pdf:                {".pdf", "application/pdf"},
		"\ufeff\r\n" + pdf: {".pdf", "application/pdf"},
		png:                {".png", "image/png"},
		jpeg:               {".jpg", "image/jpeg"},
	} {
		dir := filepath.Join(t.TempDir(), "certificates")
		c, url := host(t, content(body))
		var received, total int64
		got := must.Get(c.Certificate(t.Context(), url, dir, "00m1", func(r, t int64) { received, total = r, t }))
		sum := sha256.Sum256([]byte(body))
		size := int64(len(body))
		must.Hold(t,
			got.Path == filepath.Join(dir, "00m1"+want.ending) && got.MediaType == want.media && got.Size == size &&
				got.SHA256 == hex.EncodeToString(sum[:]) && !got.FetchedAt.IsZero(),
			"certificate is", got)
		must.Hold(t, received == size && total == size, "progress ends at", received, total)
		must.Equal(t, string(must.Get(os.ReadFile(got.Path))), body)
		must.Get(c.Certificate(t.Context(), url, dir, "00m1", nil)) // the same again
		assertFiles(t, dir, 1)
		only, err := c.Certificate(t.Context(), url, "", "00m1", nil)
		must.Hold(t, err == nil && only.Path == "" && only.SHA256 == got.SHA256 && only.Size == size,
			"without a directory the certificate is", only, err)
	}
}

func TestCertificateThatIsNoneIsNotSaved(t *testing.T) {
	t.Parallel()
	for name, tt := range map[string]struct {
		answer http.Handler
		kind   api.Kind
	}{
		"HTML":                   {content("<html>%PDF-1.7</html>"), api.Refused},
		"a script":               {content("#!/bin/sh\n"), api.Refused},
		"nothing":                {content(""), api.Refused},
		"compressed":             {compressed("gzip", strings.Repeat(" ", 1<<20)), api.Refused},
		"too large, as it says":  {content(pdf + strings.Repeat("x", 20<<20)), api.Refused},
		"too large, without end": {endless(pdf), api.Refused},
		"not found":              {apitest.Status(404, pdf), api.NotTheAPI},
		"broken off":             {apitest.CutOff(pdf), api.Unreachable},
		"server error":           {apitest.Status(500, pdf), api.ServerError},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			dir := t.TempDir()
			c, url := host(t, tt.answer)
			_, err := c.Certificate(t.Context(), url, dir, "r", nil)
			must.Equal(t, api.KindOf(err), tt.kind, err)
			assertFiles(t, dir, 0)
		})
	}
}

func TestCertificateIsFetchedFromSafeAddressesOnly(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	c, url := host(t, content(pdf))
	for _, raw := range []string{
		"http://market.example/c.pdf", "file:///etc/passwd", "javascript:alert(1)", "-x", "",
		"https://user@market.example/", "https://10.0.0.1/", "https://192.168.1.1/",
		"https://169.254.169.254/latest/meta-data",
		"https://[fe80::1]/", "https://[fd00::1]/", "https://0.0.0.0/", "https://100.64.0.1/", "https://[::ffff:10.0.0.1]/",
		"https://[64:ff9b::a00:1]/", "https://[64:ff9b::a00:1%25lo]/", "https://[::10.0.0.1]/", "https://[fe80::1%25lo]/",
		"https://255.255.255.255/", "https://224.0.0.1/",
	} {
		must.Equal(t, api.KindOf(must.Err(c.Certificate(t.Context(), raw, dir, "r", nil))), api.Refused, raw)
	}
	public := newClient(t, apitest.JSON(`{}`))
	must.Equal(t, api.KindOf(must.Err(public.Certificate(t.Context(), url, dir, "r", nil))), api.Refused)
	assertFiles(t, dir, 0)
}

func TestRedirectOfACertificateIsCheckedEachTime(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	_, end := host(t, content(pdf))
	for name, tt := range map[string]struct {
		location string
		kind     api.Kind
	}{
		"to a safe address":    {end, 0},
		"to a private network": {"https://10.0.0.1/c.pdf", api.Refused},
		"to http":              {"http://market.example/c.pdf", api.Refused},
		"to a file":            {"file:///etc/passwd", api.Refused},
		"in a loop":            {"/", api.Refused},
	} {
		c, url := host(t, apitest.Redirect(tt.location))
		must.Equal(t, api.KindOf(must.Err(c.Certificate(t.Context(), url, dir, "r", nil))), tt.kind, name)
	}
}

func TestCertificateStaysInItsDirectory(t *testing.T) {
	t.Parallel()
	c, url := host(t, content(pdf))
	parent := t.TempDir()
	dir := filepath.Join(parent, "in")
	names := make(map[string]bool)
	for _, id := range []string{"../up", "/etc/cron", "..", ".", ".hidden", "-rf", "a/b", `a\b`, "a%2Fb", "a\x00b", "a\nb",
		"CON:", "ü"} {
		got, err := c.Certificate(t.Context(), url, dir, id, nil)
		if err != nil {
			t.Errorf("%q: %v", id, err)
			continue
		}
		base := filepath.Base(got.Path)
		must.Hold(t, filepath.Dir(got.Path) == dir && !names[base] && !strings.ContainsAny(base[:1], ".-"),
			id, got.Path)
		names[base] = true
	}
	assertFiles(t, parent, 1)
	assertFiles(t, dir, len(names))
	for _, id := range []string{"", strings.Repeat("r", 300)} {
		must.Equal(t, api.KindOf(must.Err(c.Certificate(t.Context(), url, dir, id, nil))), api.Refused, id)
	}
}

func TestFileThatIsThereIsNotReplaced(t *testing.T) {
	t.Parallel()
	c, url := host(t, content(pdf))
	for name, prepare := range map[string]func(path string) error{
		"a file":      func(path string) error { return os.WriteFile(path, []byte("mine"), 0o600) },
		"a directory": func(path string) error { return os.Mkdir(path, 0o700) },
		"a dead link": func(path string) error { return os.Symlink("nowhere", path) },
		"a link to a directory": func(path string) error {
			target := filepath.Join(filepath.Dir(path), "target")
			return errors.Join(os.Mkdir(target, 0o700), os.Symlink(target, path))
		},
		"a link to a file": func(path string) error {
			target := filepath.Join(filepath.Dir(path), "target")
			return errors.Join(os.WriteFile(target, []byte(pdf), 0o600), os.Symlink("target", path))
		},
	} {
		dir := t.TempDir()
		path := filepath.Join(dir, "r.pdf")
		must.Succeed(t, prepare(path))
		before := must.Get(os.Lstat(path))
		must.Equal(t, api.KindOf(must.Err(c.Certificate(t.Context(), url, dir, "r", nil))), api.Refused, name)
		after := must.Get(os.Lstat(path))
		must.Hold(t, os.SameFile(before, after) && after.ModTime() == before.ModTime(), name)
		left := must.Get(filepath.Glob(filepath.Join(dir, "target", "*")))
		must.Hold(t, len(left) == 0, name, left)
	}
}

func TestOfSeveralThatSaveACertificateOneWins(t *testing.T) {
	t.Parallel()
	var served atomic.Int64
	c, url := host(t, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		content(fmt.Sprint(pdf, served.Add(1))).ServeHTTP(w, r)
	}))
	dir := t.TempDir()
	saved := make(chan string, 8)
	var all sync.WaitGroup
	for range cap(saved) {
		all.Go(func() {
			if got, err := c.Certificate(t.Context(), url, dir, "r", nil); err == nil {
				saved <- got.SHA256
			} else {
				must.Equal(t, api.KindOf(err), api.Refused, err)
			}
		})
	}
	all.Wait()
	close(saved)
	sum := sha256.Sum256(must.Get(os.ReadFile(filepath.Join(dir, "r.pdf"))))
	hash := <-saved
	must.Hold(t, hash == hex.EncodeToString(sum[:]) && len(saved) == 0, hash, len(saved), sum)
}

func assertFiles(t *testing.T, dir string, want int) {
	t.Helper()
	entries, err := os.ReadDir(dir)
	must.Need(t, err == nil || errors.Is(err, fs.ErrNotExist), err)
	must.Equal(t, len(entries), want, dir, entries)
}
