package retirement

import (
	"strings"
	"testing"

	must "tonne/model/musttest"
)

func TestCertificateMedia(t *testing.T) {
	for content, want := range map[string]string{
		"%PDF-1.7\n":                        "application/pdf",
		"\ufeff%PDF-1.7":                    "application/pdf",
		"\r\n%PDF-1.4":                      "application/pdf",
		"\ufeff\r\n %PDF-1.4":               "application/pdf",
		"HTTP/1.1 200 OK\r\n\r\n%PDF-2.0":   "application/pdf",
		"%!PS-Adobe-3.0 PDF\n%PDF-1.3":      "application/pdf",
		strings.Repeat(" ", 1019) + "%PDF-": "application/pdf",
		strings.Repeat(" ", 1020) + "%PDF-": "",
		"\x89PNG\r\n\x1a\n%PDF-":            "image/png",
		"\xff\xd8\xff\xe0%PDF-":             "image/jpeg",
		"<html>%PDF-1.7</html>":             "",
		"\ufeff\n<!DOCTYPE html> %PDF-":     "",
		"<?xml version='1.0'?><e>%PDF-</e>": "",
		"GIF89a":                            "",
		"%pdf-1.7":                          "",
		"":                                  "",
	} {
		must.Equal(t, CertificateMedia([]byte(content)), want, content)
	}
}
