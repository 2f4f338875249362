package session_test

import (
	"context"
	"errors"
	"testing"
	"time"

	"tonne/api/session"
	"tonne/model/retirement"
)

func TestCertificateTellsItsProgressAndItsEnd(t *testing.T) {
	t.Parallel()
	f := &fake{certificate: func(_ context.Context, _, _ string, progress func(received, total int64)) (retirement.Certificate, error) {
		for n := range int64(100) {
			time.Sleep(10 * time.Millisecond)
			progress(n*10, 1000)
		}
		return retirement.Certificate{Path: "r1.pdf", Size: 1000}, nil
	}}
	polling(t, f, session.Options{}, func(t *testing.T, d *session.Session, read *running) {
		d.SaveCertificate("r1", "https://market.example/c", "dir")
		d.SaveCertificate("r1", "https://market.example/c", "dir")
		time.Sleep(500 * time.Millisecond)
		if e := must[session.CertificateEvent](read); e.Received < 300 || e.Received > 500 || e.Total != 1000 || e.Saved != nil {
			t.Errorf("event is %+v", e)
		}
		time.Sleep(time.Second)
		if e := must[session.CertificateEvent](read); e.Saved == nil || e.Saved.Path != "r1.pdf" || e.Received != 1000 || e.Err != nil {
			t.Errorf("event is %+v", e)
		}
		if n := len(f.called("certificate")); n != 1 {
			t.Errorf("%d downloads", n)
		}
	})
}

func TestCertificateThatFailsSaysWhyAndMayBeTriedAgain(t *testing.T) {
	t.Parallel()
	broken := errors.New("disk full")
	f := &fake{certificate: func(context.Context, string, string, func(received, total int64)) (retirement.Certificate, error) {
		return retirement.Certificate{}, broken
	}}
	polling(t, f, session.Options{}, func(t *testing.T, d *session.Session, read *running) {
		for range 2 {
			d.SaveCertificate("r1", "https://market.example/c", "dir")
			if e := must[session.CertificateEvent](read); !errors.Is(e.Err, broken) || e.Saved != nil {
				t.Errorf("event is %+v", e)
			}
		}
		if n := len(f.called("certificate")); n != 2 {
			t.Errorf("%d downloads", n)
		}
	})
}
