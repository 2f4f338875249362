package marketplace

import (
	"context"
	"net/http"
	"strings"
	"time"

	"tonne/api/marketplace/exchange"
	"tonne/api/marketplace/pdf"
)

const (
	maxCachedCertificates = 16 << 20
	// A client without a key may take so many certificates a second, and so
	// many at once: a person who files a month of them, but no more.
	certificateRate  = 10
	certificateBurst = 50
	// refusalDelay is how long a client waits to be told that it asks too
	// often. Who asks again at once is then no faster, and costs nothing.
	refusalDelay = time.Second
)

// certificates prints certificates, and keeps what it has printed: the same
// retirement always has the same bytes.
type certificates struct {
	kept boundedCache[string, printed]
	// press is free while nothing is printed. One at a time leaves the other
	// cores to the market, and whoever waits for the same certificate finds it
	// printed.
	press  chan struct{}
	limits *limiter
}

type printed struct {
	id  string
	pdf []byte
}

func newCertificates(now func() time.Time) *certificates {
	return &certificates{
		kept:   boundedCache[string, printed]{limit: maxCachedCertificates},
		press:  make(chan struct{}, 1),
		limits: newLimiter(certificateRate, certificateBurst, now),
	}
}

// getCertificate answers GET /certificates/{name}: the PDF of a retirement.
// It needs no key, because the interface hands out a plain URL: who knows the
// 128 random bits in it was given it. So it is limited by address.
func (m *Marketplace) getCertificate(w http.ResponseWriter, r *http.Request) {
	ctx, cancel := context.WithTimeout(r.Context(), handlerTimeout)
	defer cancel()
	if wait, ok := m.certificates.limits.take(addressOf(r)); !ok {
		m.refuseSlowly(ctx, w, r, wait)
		return
	}
	token, isPDF := strings.CutSuffix(r.PathValue("name"), ".pdf")
	var c printed
	var err error
	if isPDF {
		c, err = m.certificate(ctx, token)
	}
	if err != nil {
		m.respondError(w, r, err)
		return
	}
	if c.id == "" {
		m.unknownPath(w, r)
		return
	}
	h := w.Header()
	h.Set("Content-Type", "application/pdf")
	h.Set("Content-Disposition", `inline; filename="retirement-`+c.id+`.pdf"`)
	h.Set("Cache-Control", "private, max-age=3600")
	h.Set("Referrer-Policy", "no-referrer")
	writeBody(w, http.StatusOK, c.pdf)
}

func (m *Marketplace) refuseSlowly(ctx context.Context, w http.ResponseWriter, r *http.Request, wait time.Duration) {
	timer := time.NewTimer(refusalDelay)
	defer timer.Stop()
	select {
	case <-timer.C:
	case <-ctx.Done():
	}
	setRetryAfter(w, wait)
	m.respondError(w, r, errTooMany)
}

func (m *Marketplace) certificate(ctx context.Context, token string) (c printed, err error) {
	known := &m.certificates.kept
	if c, found := known.get(token); found {
		return c, nil
	}
	var text exchange.Certificate
	err = m.db.Read(ctx, func(tx exchange.Tx) error {
		if c.id, c.pdf = exchange.CertificateFile(tx, token); c.id == "" {
			text = exchange.FindCertificate(tx, token)
			c.id = text.Retirement.ID
		}
		return nil
	})
	if err != nil || c.id == "" {
		return printed{}, err
	}
	if c.pdf == nil {
		select {
		case m.certificates.press <- struct{}{}:
			defer func() { <-m.certificates.press }()
		case <-ctx.Done():
			return printed{}, ctx.Err()
		}
		if c, found := known.get(token); found {
			return c, nil
		}
		page, err := pdf.Print(text)
		if err != nil {
			return printed{}, err
		}
		c.pdf = fitted(page)
	}
	known.put(token, c, cap(c.pdf))
	return c, nil
}
