package pdftext

import (
	"bytes"
	"compress/zlib"
	"fmt"
	"io"
	"strings"
)

// pdf returns a PDF of one page with the given contents and the stream of object 4.
func pdf(contents, filter string, stream []byte) []byte {
	var out bytes.Buffer
	out.WriteString("%PDF-1.4\n")
	var at []int
	for n, object := range []string{
		"<</Type/Catalog/Pages 2 0 R>>",
		"<</Type/Pages/Kids[3 0 R]/Count 1>>",
		"<</Type/Page/Parent 2 0 R/MediaBox[0 0 600 800]/Contents[" + contents +
			"]/Resources<</Font<</F<</Type/Font/Subtype/Type1/BaseFont/Helvetica>>>>>>>>",
		fmt.Sprintf("<<%s/Length %d>>stream\n%s\nendstream", filter, len(stream), stream),
	} {
		at = append(at, out.Len())
		fmt.Fprintf(&out, "%d 0 obj%sendobj\n", n+1, object)
	}
	table := out.Len()
	out.WriteString("xref\n0 5\n0000000000 65535 f \n")
	for _, offset := range at {
		fmt.Fprintf(&out, "%010d 00000 n \n", offset)
	}
	fmt.Fprintf(&out, "trailer<</Root 1 0 R/Size 5>>\nstartxref\n%d\n%%%%EOF", table)
	return out.Bytes()
}

func packed(content any) []byte {
	var r io.Reader
	switch content := content.(type) {
	case io.Reader:
		r = content
	case []byte:
		r = bytes.NewReader(content)
	}
	var b bytes.Buffer
	w := zlib.NewWriter(&b)
	_, _ = io.Copy(w, r)
	_ = w.Close()
	return b.Bytes()
}

// blanks returns a stream of about size bytes that draws the same letter repeatedly.
func blanks(size int) io.Reader {
	const letter = "BT /F 9 Tf (x) Tj ET "
	block := strings.Repeat(letter, 1000)
	var parts []io.Reader
	for n := 0; n < size; n += len(block) {
		parts = append(parts, strings.NewReader(block))
	}
	return io.MultiReader(parts...)
}
