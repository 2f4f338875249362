package marketplace

import (
	"context"
	"net/http"
	"strings"

	"tonne/api/marketplace/exchange"
	"tonne/api/marketplace/pdf"
)

// Limits of a client without a key: certificates per second, and the burst.
const (
	certificateRate  = 10
	certificateBurst = 50
)

// getCertificate answers GET /certificates/{name}: the PDF of a retirement. It needs no
// key: the 128 random bits in the URL authorise the client. So it is limited by address.
func (m *Marketplace) getCertificate(w http.ResponseWriter, r *http.Request) {
	ctx, cancel := context.WithTimeout(r.Context(), handlerTimeout)
	defer cancel()
	if wait, ok := m.certificateLimits.take(addressOf(r)); !ok {
		setRetryAfter(w, wait)
		m.respondError(w, r, errTooMany)
		return
	}
	token, isPDF := strings.CutSuffix(r.PathValue("name"), ".pdf")
	var id string
	var file []byte
	var err error
	if isPDF {
		id, file, err = m.certificate(ctx, token)
	}
	if err != nil {
		m.respondError(w, r, err)
		return
	}
	if id == "" {
		m.unknownPath(w, r)
		return
	}
	h := w.Header()
	h.Set("Content-Type", "application/pdf")
	h.Set("Content-Disposition", `inline; filename="retirement-`+id+`.pdf"`)
	h.Set("Cache-Control", "private, max-age=3600")
	h.Set("Referrer-Policy", "no-referrer")
	writeBody(w, http.StatusOK, file)
}

func (m *Marketplace) certificate(ctx context.Context, token string) (id string, file []byte, err error) {
	var text exchange.Certificate
	err = m.db.Read(ctx, func(tx exchange.Tx) error {
		if id, file = exchange.CertificateFile(tx, token); id == "" {
			text = exchange.FindCertificate(tx, token)
			id = text.Retirement.ID
		}
		return nil
	})
	if err != nil || id == "" || file != nil {
		return id, file, err
	}
	select {
	case m.press <- struct{}{}:
		defer func() { <-m.press }()
	case <-ctx.Done():
		return "", nil, ctx.Err()
	}
	file, err = pdf.Print(text)
	return id, file, err
}
