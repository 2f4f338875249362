package audit

import (
	"errors"
	"fmt"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"tonne/api"
	"tonne/api/apitest"
	"tonne/api/wire"
	"tonne/model/modeltest"
	must "tonne/model/musttest"
)

// fetching is a marketplace and a host of certificates that serves so many of them before it demands
// a long wait.
type fetching struct {
	serves, served atomic.Int64
	path           string
}

func (f *fetching) client(t *testing.T) *api.Client {
	service := http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		id := r.URL.Query().Get("id")
		answer := *modeltest.RetirementOf(id, "p", "v", "2026-02-08", modeltest.Verra, "Ann", 15000e6)
		answer.CertificateURL = "https://host.example/" + f.path + id + ".pdf"
		_, _ = w.Write(wire.AppendRetirement(nil, answer, "x"))
	})
	host := http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if f.serves.Add(-1) < 0 {
			w.Header().Set("Retry-After", "3600")
			w.WriteHeader(http.StatusTooManyRequests)
			return
		}
		f.served.Add(1)
		_, _ = fmt.Fprintf(w, "%%PDF-1.7 %s", r.URL.Path)
	})
	c := must.Get(api.New(api.Options{
		BaseURL: "https://market.example", Retries: 4, Transport: apitest.Transport(service),
		Outside: apitest.Transport(host),
	}))
	t.Cleanup(c.Close)
	return c
}

// fetch looks up ten requests for a pack, and returns how many have a certificate.
func (f *fetching) fetch(t *testing.T, dir string) (fetched, resumed int) {
	t.Helper()
	var ids []string
	for i := range 10 {
		ids = append(ids, fmt.Sprint("r", i))
	}
	record := must.Get(OpenFetched(dir, time.Now))
	a := &Auditor{Client: f.client(t)}
	answers := must.Get(a.LookUp(t.Context(), LookUp{Certificates: dir, Fetched: record}, ids))
	complete := true
	for _, answer := range answers {
		if answer.Certificate != nil && answer.CertificateErr == nil {
			fetched++
		}
		complete = complete && !answer.Passes()
	}
	must.Succeed(t, record.Close(complete))
	return fetched, record.Resumed()
}

func TestInterruptedPackResumes(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		dir := filepath.Join(t.TempDir(), "q3.zip.partial")
		var f fetching
		f.serves.Store(4)
		first, _ := f.fetch(t, dir)
		must.Equal(t, first, 4)
		// The end of the list is cut off, as by a crash.
		list := filepath.Join(dir, fetchedList)
		must.Succeed(t, os.WriteFile(list, append(must.Get(os.ReadFile(list)), `{"id":"r9","u`...), 0o600))
		f.serves.Store(3)
		second, resumed := f.fetch(t, dir)
		must.Equal(t, []int{second, resumed}, []int{7, 4})
		f.serves.Store(100)
		last, resumed := f.fetch(t, dir)
		must.Equal(t, []int{last, resumed, int(f.served.Load())}, []int{10, 7, 10})
		_, err := os.Stat(dir)
		must.Hold(t, errors.Is(err, os.ErrNotExist), "the certificates are kept after the pack is complete", err)
	})
}

func TestCertificatesThatMayHaveChangedAreFetchedAgain(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		change  func(t *testing.T, dir string, f *fetching)
		resumed int
	}{
		"nothing": {func(*testing.T, string, *fetching) {}, 5},
		"a file was altered": {func(t *testing.T, dir string, _ *fetching) {
			names := must.Get(filepath.Glob(filepath.Join(dir, "*.pdf")))
			must.Succeed(t, os.WriteFile(names[0], []byte("%PDF-1.7 forged"), 0o600))
			must.Succeed(t, os.Remove(names[1]))
			for i := range 10 {
				name := filepath.Join(dir, fmt.Sprintf("r%d.pdf", i))
				if !slices.Contains(names, name) {
					must.Succeed(t, os.WriteFile(name, []byte("%PDF-1.7 of a crash"), 0o600))
				}
			}
		}, 3},
		"another address": {func(_ *testing.T, _ string, f *fetching) { f.path = "new/" }, 0},
		"a day later":     {func(*testing.T, string, *fetching) { time.Sleep(reusedFor + time.Second) }, 0},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				dir := filepath.Join(t.TempDir(), "partial")
				var f fetching
				f.serves.Store(5)
				f.fetch(t, dir)
				c.change(t, dir, &f)
				f.serves.Store(100)
				fetched, resumed := f.fetch(t, dir)
				must.Equal(t, []int{fetched, resumed}, []int{10, c.resumed})
			})
		})
	}
}

func TestDirectoryOfAnotherUserIsNotUsed(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	shared, file, link := filepath.Join(dir, "shared"), filepath.Join(dir, "file"), filepath.Join(dir, "link")
	must.Succeed(t, os.Mkdir(shared, 0o700))
	must.Succeed(t, os.Chmod(shared, 0o777))
	must.Succeed(t, os.WriteFile(file, nil, 0o600))
	must.Succeed(t, os.Symlink(t.TempDir(), link))
	for _, path := range []string{shared, file, link} {
		_, err := OpenFetched(path, time.Now)
		must.Hold(t, errors.Is(err, ErrNotOurs) && strings.Contains(err.Error(), path), path, err)
	}
}
