package session_test

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"os"
	"path/filepath"
	"testing"
	"time"

	"tonne/api/session"
	"tonne/model/retirement"
	"tonne/model/store"
)

// serving saves the content as it is when it is asked for, within a second. Without
// a directory it saves nothing.
func serving(content *string) func(ctx context.Context, dir, id string, progress func(received, total int64)) (retirement.Certificate, error) {
	return func(_ context.Context, dir, id string, _ func(received, total int64)) (retirement.Certificate, error) {
		time.Sleep(time.Second)
		name, sum := filepath.Join(dir, id+".pdf"), sha256.Sum256([]byte(*content))
		if dir == "" {
			return retirement.Certificate{SHA256: hex.EncodeToString(sum[:]), FetchedAt: time.Now()}, nil
		}
		return retirement.Certificate{Path: name, SHA256: hex.EncodeToString(sum[:]), FetchedAt: time.Now()},
			errors.Join(os.MkdirAll(dir, 0o700), os.WriteFile(name, []byte(*content), 0o600))
	}
}

func TestSavedCertificateIsRememberedAndProved(t *testing.T) {
	t.Parallel()
	in(t, func(t *testing.T) {
		path, dir := file(t), t.TempDir()
		content := "a certificate"
		f := &fake{certificate: serving(&content)}
		r := open(t, f, store.Open(path))
		r.Add(session.Entry{ID: "R1"})
		r.news()
		r.SaveCertificate("R1", "https://files.example/c", dir)
		time.Sleep(2 * time.Second)
		e := must[session.LedgerEvent](r)
		if c := e.Requests[0]; c.Certificate.Path != filepath.Join(dir, "R1.pdf") || c.FileStatus != session.Unchanged {
			t.Fatalf("the request is %+v", c)
		}
		r.end()
		saved := e.Requests[0].Certificate.Path
		for _, c := range []struct {
			want   session.FileStatus
			change func() error
		}{
			{session.Unchanged, func() error { return nil }},
			{session.Altered, func() error { return os.WriteFile(saved, []byte("x"), 0o600) }},
			{session.Gone, func() error { return os.Remove(saved) }},
		} {
			if err := c.change(); err != nil {
				t.Fatal(err)
			}
			next := open(t, f, store.Open(path))
			if e := must[session.LedgerEvent](next); e.Requests[0].FileStatus != c.want {
				t.Errorf("the file is %v, want %v", e.Requests[0].FileStatus, c.want)
			}
			next.end()
		}
	})
}

func TestCertificateSavedByAnotherProgramIsRecorded(t *testing.T) {
	t.Parallel()
	in(t, func(t *testing.T) {
		path, kept := file(t), retirement.Certificate{Path: filepath.Join(t.TempDir(), "R1.pdf"), SHA256: "9f"}
		r := open(t, &fake{}, store.Open(path))
		r.Add(session.Entry{ID: "R1"})
		r.news()
		r.KeepCertificate("R1", kept)
		r.KeepCertificate("R2", kept)
		e := must[session.LedgerEvent](r)
		if c := e.Requests[0]; len(e.Requests) != 1 || c.Certificate.Path != kept.Path || c.FileStatus != session.Unchanged {
			t.Errorf("the ledger is %+v", e.Requests)
		}
		r.end()
		next := open(t, &fake{}, store.Open(path))
		if c := must[session.LedgerEvent](next).Requests[0]; c.Certificate.SHA256 != "9f" {
			t.Errorf("the next run knows %+v", c.Certificate)
		}
		next.end()
	})
}

// saved begins a session in whose ledger the certificate of R1 was saved.
func saved(t *testing.T, f *fake) (*running, *session.Request) {
	t.Helper()
	r := open(t, f, store.Open(""))
	r.Add(session.Entry{ID: "R1"})
	r.news()
	r.SaveCertificate("R1", "https://files.example/c", t.TempDir())
	time.Sleep(2 * time.Second)
	e := must[session.LedgerEvent](r)
	if e.Requests[0].FileStatus != session.Unchanged {
		t.Fatalf("the request is %+v", e.Requests[0])
	}
	return r, e.Requests[0]
}

func TestAFileIsLookedAtAgain(t *testing.T) {
	t.Parallel()
	for _, first := range []session.FileStatus{session.Unchanged, session.Superseded} {
		in(t, func(t *testing.T) {
			content := "first"
			r, q := saved(t, &fake{certificate: serving(&content)})
			if first == session.Superseded {
				content = "second"
				r.VerifyCertificate("R1")
				time.Sleep(2 * time.Second)
			}
			r.news()
			r.CheckCertificateFile("R1")
			r.CheckCertificateFile("R2")
			time.Sleep(time.Second)
			for _, e := range r.news() {
				if _, ledger := e.(session.LedgerEvent); ledger {
					t.Errorf("%v: a file that is as it was is news: %+v", first, e)
				}
			}
			for _, c := range []struct {
				want   session.FileStatus
				change func() error
			}{
				{session.Altered, func() error { return os.WriteFile(q.Certificate.Path, []byte("x"), 0o600) }},
				{session.Gone, func() error { return os.Remove(q.Certificate.Path) }},
				{session.Unchanged, func() error { return os.WriteFile(q.Certificate.Path, []byte("first"), 0o600) }},
			} {
				if err := c.change(); err != nil {
					t.Fatal(err)
				}
				r.CheckCertificateFile("R1")
				time.Sleep(time.Second)
				if got := must[session.LedgerEvent](r).Requests[0].FileStatus; got != c.want {
					t.Errorf("%v: the file is %v, want %v", first, got, c.want)
				}
			}
		})
	}
}

func TestVerifyingTellsTheFileAndTheServiceApart(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		file, service string
		want          session.FileStatus
	}{
		{"first", "first", session.Unchanged},
		{"first", "second", session.Superseded},
		{"altered", "first", session.Altered},
		{"altered", "second", session.Altered},
	} {
		in(t, func(t *testing.T) {
			content := "first"
			r, q := saved(t, &fake{certificate: serving(&content)})
			r.news()
			if err := os.WriteFile(q.Certificate.Path, []byte(c.file), 0o600); err != nil {
				t.Fatal(err)
			}
			content = c.service
			r.VerifyCertificate("R1")
			r.VerifyCertificate("R1")
			r.SaveCertificate("R1", "https://files.example/c", t.TempDir())
			time.Sleep(2 * time.Second)
			sum := sha256.Sum256([]byte(c.service))
			verified := 0
			for _, e := range r.news() {
				switch e := e.(type) {
				case session.VerifiedEvent:
					verified++
					if e.ID != "R1" || e.FileStatus != c.want || e.Served != hex.EncodeToString(sum[:]) || e.Err != nil {
						t.Errorf("file %s, service %s: %+v", c.file, c.service, e)
					}
				case session.LedgerEvent:
					if now := e.Requests[0]; now.FileStatus != c.want || now.Certificate != q.Certificate {
						t.Errorf("file %s, service %s: the request is %+v", c.file, c.service, now)
					}
				case session.CertificateEvent:
					if e.Saved != nil {
						t.Errorf("a copy is reported as saved: %+v", e)
					}
				}
			}
			if verified != 1 {
				t.Errorf("%d verdicts", verified)
			}
		})
	}
}

func TestVerifyingAFileThatIsGoneSavesItAgain(t *testing.T) {
	t.Parallel()
	in(t, func(t *testing.T) {
		content := "first"
		r, q := saved(t, &fake{certificate: serving(&content)})
		if err := os.Remove(q.Certificate.Path); err != nil {
			t.Fatal(err)
		}
		r.VerifyCertificate("R1")
		time.Sleep(2 * time.Second)
		if e := must[session.LedgerEvent](r); e.Requests[0].FileStatus != session.Unchanged {
			t.Errorf("the request is %+v", e.Requests[0])
		}
		if got, err := os.ReadFile(q.Certificate.Path); err != nil || string(got) != content {
			t.Errorf("the file is %q, %v", got, err)
		}
	})
}

// A program that is killed removes nothing.
func TestVerifyingMakesNothingBeforeTheServiceHasAnswered(t *testing.T) {
	temporary := t.TempDir()
	in(t, func(t *testing.T) {
		content := "first"
		r, _ := saved(t, &fake{certificate: serving(&content)})
		t.Setenv("TMPDIR", temporary)
		r.VerifyCertificate("R1")
		time.Sleep(500 * time.Millisecond)
		if left, err := filepath.Glob(filepath.Join(temporary, "*")); err != nil || len(left) > 0 {
			t.Errorf("there are %v, %v", left, err)
		}
	})
}

func TestVerifyingLeavesNoCopyBehindEvenIfTheSessionEnds(t *testing.T) {
	for _, after := range []time.Duration{2 * time.Second, 500 * time.Millisecond} {
		temporary := t.TempDir()
		in(t, func(t *testing.T) {
			content := "first"
			r, _ := saved(t, &fake{certificate: serving(&content)})
			t.Setenv("TMPDIR", temporary)
			r.VerifyCertificate("R1")
			time.Sleep(after)
			r.end()
		})
		if left, err := filepath.Glob(filepath.Join(temporary, "tonne-*")); err != nil || len(left) > 0 {
			t.Errorf("ended after %s, left behind are %v, %v", after, left, err)
		}
	}
}
