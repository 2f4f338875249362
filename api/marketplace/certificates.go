package marketplace

import (
	"net/http"
	"strings"

	"zombiezen.com/go/sqlite"

	"tonne/api/marketplace/certificate"
)

// getCertificate answers GET /certificates/{name}: the PDF of a retirement.
// It needs no key, because the interface hands out a plain URL: who knows the
// 128 random bits in it was given it.
func (m *Marketplace) getCertificate(w http.ResponseWriter, r *http.Request) {
	token, isPDF := strings.CutSuffix(r.PathValue("name"), ".pdf")
	var c certificate.Certificate
	found := false
	err := m.db.read(r.Context(), func(conn *sqlite.Conn) (err error) {
		if isPDF {
			c, found, err = readCertificate(conn, token)
		}
		return err
	})
	if err != nil {
		m.answerError(w, r, err)
		return
	}
	if !found {
		m.unknownPath(w, r)
		return
	}
	pdf, err := c.PDF()
	if err != nil {
		m.answerError(w, r, err)
		return
	}
	h := w.Header()
	h.Set("Content-Type", "application/pdf")
	h.Set("Content-Disposition", `inline; filename="retirement-`+c.Retirement.ID+`.pdf"`)
	h.Set("Cache-Control", "private, max-age=3600")
	h.Set("Referrer-Policy", "no-referrer")
	writeBody(w, http.StatusOK, pdf)
}

func readCertificate(conn *sqlite.Conn, token string) (c certificate.Certificate, found bool, err error) {
	var number, tenant int64
	var id, project string
	found, err = find(conn, `SELECT r.number, r.tenant, r.id, p.id, p.registry_number, v.year,
			EXISTS (SELECT 1 FROM demo_vintages d WHERE d.vintage = v.number)
		FROM retirement_requests r JOIN vintages v ON v.number = r.vintage JOIN projects p ON p.number = v.project
		WHERE r.certificate = ?`, func(stmt *sqlite.Stmt) {
		number, tenant, id, project = stmt.ColumnInt64(0), stmt.ColumnInt64(1), stmt.ColumnText(2), stmt.ColumnText(3)
		c = certificate.Certificate{RegistryProject: stmt.ColumnText(4), VintageYear: stmt.ColumnInt(5), Synthetic: stmt.ColumnBool(6)}
	}, token)
	if err != nil || !found {
		return c, false, err
	}
	if c.Retirement, _, err = readRetirement(conn, tenant, id, ""); err != nil {
		return c, false, err
	}
	projects, err := findProject(conn, project)
	if err != nil {
		return c, false, err
	}
	c.Project = projects[0]
	err = each(conn, "SELECT serial, tonnes FROM serial_numbers WHERE request = ? ORDER BY position", func(stmt *sqlite.Stmt) error {
		c.Ranges = append(c.Ranges, certificate.Range{Serial: stmt.ColumnText(0), Tonnes: stmt.ColumnInt64(1)})
		return nil
	}, number)
	return c, true, err
}
