package storage

import "tonne/api/marketplace/exchange"

func (b *books) RetiredSerials(vintage int64) ([]string, error) {
	return collect(b, `SELECT s.serial FROM vintages a JOIN vintages v ON v.project = a.project
		JOIN retirement_requests r ON r.vintage = v.number JOIN serial_numbers s ON s.request = r.number
		WHERE a.number = $1 AND r.retired_at IS NOT NULL`, firstText, vintage)
}

func (b *books) IsRetired(serial string) (bool, error) {
	return exists(b, "SELECT 1 FROM serial_numbers WHERE serial = $1 LIMIT 1", serial)
}

func (b *books) KeepCertificate(r exchange.Request, pdf []byte) error {
	return b.Do("INSERT INTO certificate_files (request, pdf) VALUES ($1, $2)", r.Number, pdf)
}

// CertificateFile is the registry's own certificate with a name, and the id of
// its request.
func CertificateFile(tx Tx, name string) (id string, pdf []byte, found bool, err error) {
	found, err = find(tx, `SELECT r.id, length(f.pdf), f.pdf FROM retirement_requests r JOIN certificate_files f ON f.request = r.number
		WHERE r.certificate = $1`, func(row Row) {
		id, pdf = row.Text(0), make([]byte, row.Int64(1))
		row.Bytes(2, pdf)
	}, name)
	return id, pdf, found, err
}
