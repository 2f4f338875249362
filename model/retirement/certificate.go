package retirement

import (
	"bytes"
	"time"
)

// Certificate is a saved retirement certificate. The zero value is no certificate.
type Certificate struct {
	Path string
	// MediaType is application/pdf, image/png or image/jpeg.
	MediaType string
	Size      int64
	// SHA256 is the hash of the content in hexadecimal.
	SHA256    string
	FetchedAt time.Time
}

// LargestCertificate is the size limit of a certificate, in bytes.
const LargestCertificate = 20 << 20

// PDFHeaderWithin is the number of bytes at the beginning of a PDF in which readers look for its
// header: mail and web servers put a byte order mark, line ends or headers before it.
const PDFHeaderWithin = 1024

// CertificateMedia returns the media type of a certificate from the first PDFHeaderWithin bytes of
// its content: application/pdf, image/png or image/jpeg. It returns "" for any other content, such
// as a web page, also one that mentions PDF.
func CertificateMedia(start []byte) string {
	start = start[:min(len(start), PDFHeaderWithin)]
	text := bytes.TrimSpace(bytes.TrimPrefix(start, []byte("\ufeff")))
	switch {
	case bytes.HasPrefix(start, []byte("\x89PNG\r\n\x1a\n")):
		return "image/png"
	case bytes.HasPrefix(start, []byte("\xff\xd8\xff")):
		return "image/jpeg"
	case bytes.HasPrefix(text, []byte("<")):
		return ""
	case bytes.Contains(start, []byte("%PDF-")):
		return "application/pdf"
	}
	return ""
}
