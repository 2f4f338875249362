package cli

import (
	"context"
	"errors"

	"tonne/model"
	"tonne/ui/retirement/localfile"
	"tonne/ui/retirement/preview"
)

// certificateText returns the text of a certificate that was saved, as far as
// it can be read here: poppler reads it in a confined process.
func certificateText(ctx context.Context, path string) model.CertificateText {
	if path == "" {
		return model.CertificateText{Unread: "no certificate was saved"}
	}
	file, err := localfile.Open(path, model.LargestCertificate)
	if err != nil {
		return model.CertificateText{Unread: "the file cannot be read"}
	}
	defer file.Close()
	content, err := preview.Reader{}.Read(ctx, file)
	switch {
	case errors.Is(err, preview.ErrPicture):
		return model.CertificateText{Unread: "it is a picture"}
	case err != nil:
		return model.CertificateText{Unread: err.Error(), Broken: errors.Is(err, preview.ErrDamaged) || errors.Is(err, preview.ErrOther)}
	}
	text := model.CertificateText{Cut: content.Cut}
	for _, page := range content.Pages {
		text.Lines = append(text.Lines, page...)
	}
	return text
}
