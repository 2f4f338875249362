package pdf

import (
	"bytes"
	"testing"
	must "tonne/model/musttest"
)

func TestOnlyCompletePDFsAreAccepted(t *testing.T) {
	whole := []byte("%PDF-1.7\n1 0 obj <<>> endobj\ntrailer <<>>\nstartxref\n9\n%%EOF\n")
	for name, test := range map[string]struct {
		file []byte
		want error
	}{
		"a whole one":            {whole, nil},
		"one with a mark":        {append([]byte("\ufeff\r\n"), whole...), nil},
		"one with a mail header": {append([]byte("Content-Type: application/pdf\r\n\r\n"), whole...), nil},
		"one that begins late":   {append(make([]byte, 1020), whole...), ErrNotPDF},
		"none":                   {nil, ErrNotPDF},
		"a picture":              {[]byte("\x89PNG\r\n\x1a\nstartxref\n9\n%%EOF"), ErrNotPDF},
		"a page of the web":      {[]byte("<html>%PDF-1.7 startxref 9 %%EOF</html>"), ErrNotPDF},
		"one that is cut off":    {whole[:len(whole)-7], ErrNotPDF},
		"its marks in disorder":  {[]byte("%PDF-1.7\n%%EOF\nstartxref\n9\n"), ErrNotPDF},
		"one with a long tail":   {append(bytes.Clone(whole), make([]byte, 2000)...), ErrNotPDF},
		"the largest": {append([]byte("%PDF-1.7\n"), append(make([]byte, MaxFile-len(whole)-9), whole...)...),
			nil},
		"one that is too large": {append([]byte("%PDF-1.7\n"), append(make([]byte, MaxFile-len(whole)-8), whole...)...),
			ErrTooLarge},
	} {
		must.Fail(t, Check(test.file), test.want, name)
	}
}

func FuzzCheck(f *testing.F) {
	f.Add([]byte("%PDF-1.7\nstartxref\n9\n%%EOF"))
	f.Fuzz(func(t *testing.T, file []byte) {
		must.Hold(t, Check(file) != nil || bytes.Contains(file, []byte("%PDF-")), file)
	})
}
