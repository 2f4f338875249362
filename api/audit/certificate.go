package audit

import (
	"context"
	"errors"
	"slices"

	"tonne/api/audit/pdftext"
	"tonne/model"
	"tonne/model/localfile"
)

// ReadCertificate returns the text of a saved certificate, or why it cannot be
// read.
func ReadCertificate(ctx context.Context, path string) model.CertificateText {
	if path == "" {
		return model.CertificateText{Unread: "no certificate was saved"}
	}
	file, err := localfile.Open(path, model.LargestCertificate)
	if err != nil {
		return model.CertificateText{Unread: "the file cannot be read"}
	}
	defer file.Close()
	content, err := pdftext.Reader{}.Read(ctx, file)
	switch {
	case errors.Is(err, pdftext.ErrPicture):
		return model.CertificateText{Unread: "it is a picture"}
	case err != nil:
		return model.CertificateText{Unread: err.Error(), Broken: errors.Is(err, pdftext.ErrDamaged) || errors.Is(err, pdftext.ErrOther)}
	}
	return model.CertificateText{Cut: content.Cut, Lines: slices.Concat(content.Pages...)}
}
