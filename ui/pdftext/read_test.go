package pdftext_test

import (
	"bytes"
	"compress/zlib"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"
	"unicode"

	"codeberg.org/go-pdf/fpdf"
	"golang.org/x/image/font/gofont/goregular"

	"tonne/ui/pdftext"
)

// printed is a PDF as a program prints it: headings, names beside values, a
// font of its own, a watermark, on several pages.
func printed(tb testing.TB, pages int, compress bool) []byte {
	tb.Helper()
	p := fpdf.New("P", "mm", "A4", "")
	p.SetCompression(compress)
	p.AddUTF8FontFromBytes("go", "", goregular.TTF)
	for range pages {
		p.AddPage()
		p.SetFont("go", "", 60)
		p.TransformBegin()
		p.TransformRotate(50, 50, 200)
		p.Text(50, 200, "WATERMARK")
		p.TransformEnd()
		p.SetFont("go", "", 20)
		p.CellFormat(0, 12, "Certificate of retirement № 7", "", 1, "L", false, 0, "")
		p.SetFont("Helvetica", "", 10)
		for _, fact := range [][2]string{{"Beneficiary", "Your Customer (Holding) Ltd"}, {"Quantity", "15,000 t"}} {
			p.CellFormat(40, 6, fact[0], "", 0, "L", false, 0, "")
			p.CellFormat(0, 6, fact[1], "", 1, "L", false, 0, "")
		}
	}
	var out bytes.Buffer
	if err := p.Output(&out); err != nil {
		tb.Fatal(err)
	}
	return out.Bytes()
}

func TestWhatAProgramPrintsIsRead(t *testing.T) {
	t.Parallel()
	want := []string{"Certificate of retirement № 7", "Beneficiary   Your Customer (Holding) Ltd", "Quantity   15,000 t"}
	for _, compress := range []bool{true, false} {
		got, err := pdftext.Read(printed(t, 2, compress))
		if err != nil || got.Total != 2 || len(got.Pages) != 2 || !slices.Equal(got.Pages[1], want) {
			t.Errorf("compressed %v: %q of %d pages, %v; want %q", compress, got.Pages, got.Total, err, want)
		}
	}
}

// byHand is a PDF of one page with the operators that are given, and what else
// is to be in the file.
func byHand(operators string, more ...string) []byte {
	return fmt.Appendf(nil, `%%PDF-1.7
1 0 obj <</Type/Catalog/Pages 2 0 R>> endobj
2 0 obj <</Type/Pages/Kids[3 0 R]/Resources<</Font<</F 4 0 R/W 5 0 R>>/XObject<</X 8 0 R>>>>>> endobj
3 0 obj <</Type/Page/Contents 9 0 R>> endobj
4 0 obj <</Type/Font/Subtype/Type1/FirstChar 32/Widths[250]>> endobj
5 0 obj <</Type/Font/Subtype/Type0/DescendantFonts[6 0 R]/ToUnicode 7 0 R>> endobj
6 0 obj <</DW 500/W[1[600 600] 9 20 700]>> endobj
7 0 obj <</Length 1>>stream
2 beginbfchar <0001> <0041> <0002> <D83DDE00> endbfchar
1 beginbfrange <0010> <0012> <0061> endbfrange
1 beginbfrange <0020> <0021> [<0058> <0059>] endbfrange
endstream endobj
8 0 obj <</Subtype/Form/Matrix[1 0 0 1 0 -100]>>stream
BT /F 10 Tf 20 700 Td (in a form) Tj ET
endstream endobj
9 0 obj <</Length 99999>>stream
%s
endstream endobj
%s
`, operators, strings.Join(more, "\n"))
}

func TestOperatorsOfText(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		operators string
		want      []string
	}{
		"lines":  {"BT /F 10 Tf 12 TL 20 700 Td (one) Tj T* (two) Tj (three) ' 0 0 (four) \" ET", []string{"one", "two", "three", "four"}},
		"moved":  {"BT /F 10 Tf 1 0 0 1 20 500 Tm (low) Tj 0 50 TD (high) Tj ET", []string{"high", "low"}},
		"spaced": {"BT /F 10 Tf 20 700 Td [(sp) -20 (aced) -400 (words) -9000 (far)] TJ ET", []string{"spaced words   far"}},
		"escaped": {`BT /F 10 Tf 20 700 Td (a\(b\)\\ \101\x\
c (d)) Tj ET`, []string{`a(b)\ Axc (d)`}},
		"in hexadecimal":   {"BT /F 10 Tf 20 700 Td <48 65 6C6c6F> Tj ET", []string{"Hello"}},
		"encoded":          {"BT /F 10 Tf 20 700 Td (\x80 \x93quoted\x94 \xe9) Tj ET", []string{"€ “quoted” é"}},
		"mapped":           {"BT /W 10 Tf 20 700 Td <00010002001000110012002000210999> Tj ET", []string{"A😀abcXY"}},
		"scaled and moved": {"q 2 0 0 2 0 0 cm BT /F 10 Tf 20 300 Td (big) Tj ET Q BT /F 10 Tf 20 700 Td (top) Tj ET", []string{"top", "big"}},
		"a form":           {"/X Do BT /F 10 Tf 20 700 Td (above) Tj ET", []string{"above", "in a form"}},
		"past a picture":   {"BI /W 1 /H 1 ID \x01(\xff EI BT /F 10 Tf 20 700 Td (behind) Tj ET", []string{"behind"}},
		"without a font":   {"BT 20 700 Td (lost) Tj ET", nil},
		"hidden":           {"BT /F 10 Tf 20 700 Td (\\033]0;evil\\007\\u202e) Tj ET", []string{"]0;evilu202e"}},
		"out of order":     {"Q Q ET Tj TJ 1 Td (x) cm ] > } BT /F 10 Tf 20 700 Td (fine) Tj", []string{"fine"}},
	} {
		got, err := pdftext.Read(byHand(c.operators))
		if err != nil || len(got.Pages) != 1 || !slices.Equal(got.Pages[0], c.want) {
			t.Errorf("%s: %q, %v; want %q", name, got.Pages, err, c.want)
		}
	}
}

func packed(content string) string {
	var b bytes.Buffer
	w := zlib.NewWriter(&b)
	fmt.Fprint(w, content)
	w.Close()
	return b.String()
}

func TestPackedObjectsAreRead(t *testing.T) {
	t.Parallel()
	body := []string{"<</Type/Catalog/Pages 22 0 R>>", "<</Type/Pages/Kids[23 0 R]>>", "<</Type/Page/Contents[30 0 R]/Resources<</Font<</F<<>>>>>>>>"}
	index := fmt.Sprintf("21 0 22 %d 23 %d ", len(body[0])+1, len(body[0])+len(body[1])+2)
	stream := packed(index + strings.Join(body, " "))
	content := packed("BT /F 10 Tf 20 700 Td (packed) Tj ET")
	file := fmt.Sprintf("%%PDF-1.5\n20 0 obj<</Type/ObjStm/N 3/First %d/Filter/FlateDecode/Length %d>>stream\r\n%s\r\nendstream endobj\n"+
		"30 0 obj<</Filter[/FlateDecode]/Length 31 0 R>>stream\n%s\nendstream endobj 31 0 obj 7 endobj", len(index), len(stream), stream, content)
	got, err := pdftext.Read([]byte(file))
	if err != nil || len(got.Pages) != 1 || !slices.Equal(got.Pages[0], []string{"packed"}) {
		t.Errorf("%q, %v", got.Pages, err)
	}
}

func TestWhatCannotBeReadIsRefused(t *testing.T) {
	t.Parallel()
	for content, want := range map[string]error{
		"":                                     pdftext.ErrUnreadable,
		"\x89PNG":                              pdftext.ErrUnreadable,
		"%PDF-1.7":                             pdftext.ErrUnreadable,
		"%PDF-1.7\n1 0 obj <</Type/Catalog>>":  pdftext.ErrUnreadable,
		"%PDF-1.7\ntrailer <</Encrypt 3 0 R>>": pdftext.ErrEncrypted,
	} {
		if _, err := pdftext.Read([]byte(content)); !errors.Is(err, want) {
			t.Errorf("%q: %v, want %v", content, err, want)
		}
	}
}

func TestHostileFilesStayWithinTheirBudget(t *testing.T) {
	t.Parallel()
	for name, file := range map[string][]byte{
		"a loop of pages":    []byte("%PDF-1.7\n1 0 obj <</Type/Catalog/Pages 2 0 R>> endobj 2 0 obj <</Kids[2 0 R 1 0 R 3 0 R]>> endobj 3 0 obj 3 0 R endobj"),
		"a loop of forms":    byHand("/X Do", "8 0 obj <</Subtype/Form/Resources<</XObject<</X 8 0 R>>>>>>stream\n/X Do /X Do /X Do\nendstream endobj"),
		"deep nesting":       byHand(strings.Repeat("[", 200_000) + strings.Repeat("<<", 200_000)),
		"a bomb":             byHand("", "9 0 obj <</Filter/FlateDecode>>stream\n"+packed(strings.Repeat("BT /F 9 Tf (x) Tj ", 1_000_000))+"\nendstream endobj"),
		"a bomb in a bomb":   byHand("", "9 0 obj <</Filter[/FlateDecode/FlateDecode]>>stream\n"+packed(packed(strings.Repeat(" ", 20_000_000)))+"\nendstream endobj"),
		"wide maps":          byHand("BT /W 9 Tf <0001> Tj ET", "7 0 obj <<>>stream\n"+strings.Repeat("<0000> <00ff> <0000> <0000> <ffffffff> <0000> ", 20_000)+"endbfrange\nendstream endobj"),
		"numbers beyond all": byHand("BT /F 1e999 Tf 1e300 -1e300 Td (x) Tj nan inf Td (y) Tj ET"),
		"many objects":       []byte("%PDF-1.7\n" + strings.Repeat("1 0 obj <</Type/Catalog/Pages 1 0 R>> ", 20_000)),
		"many catalogues":    []byte("%PDF-1.7\n" + manyCatalogues()),
	} {
		text, _ := pdftext.Read(file)
		letters := 0
		for _, p := range text.Pages {
			letters += len(strings.Join(p, ""))
		}
		if letters > 1_000_000 {
			t.Errorf("%s: %d letters", name, letters)
		}
	}
}

func manyCatalogues() string {
	var b strings.Builder
	for i := range 20_000 {
		fmt.Fprintf(&b, "%d 0 obj <</Type/Catalog/Pages %d 0 R/Kids[%d 0 R %d 0 R]>> ", i, i+1, i+1, i+2)
	}
	return b.String()
}

func FuzzRead(f *testing.F) {
	f.Add([]byte("%PDF-1.7\n1 0 obj <</Type/Page/Contents 2 0 R>> 2 0 obj <</Filter/FlateDecode>>stream\n" + packed("BT (x) Tj")))
	f.Add(byHand("BT /W 10 Tf 20 700 Td [(a) -20 <0001>] TJ ET /X Do BI x ID EI"))
	f.Fuzz(func(t *testing.T, content []byte) {
		text, err := pdftext.Read(content)
		if err == nil && text.Total == 0 {
			t.Error("no pages and no error")
		}
		for _, page := range text.Pages {
			for _, line := range page {
				if line == "" || strings.ContainsFunc(line, unicode.IsControl) {
					t.Errorf("a line reads %q", line)
				}
			}
		}
	})
}
