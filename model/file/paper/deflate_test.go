package paper_test

import (
	"bytes"
	"compress/zlib"
	"fmt"
	"io"
	"regexp"
	"strconv"
	"testing"

	"tonne/model/file/paper"
	must "tonne/model/musttest"
)

func TestDeflateCompressesThePagesAndKeepsTheRest(t *testing.T) {
	t.Parallel()
	s := sheet()
	for s.PDF.PageNo() < 30 {
		s.Fact("Retired", fmt.Sprint("15,000 t on page ", s.PDF.PageNo()))
	}
	s.PDF.SetCompression(false)
	plain := must.Get(s.Bytes())
	file := must.Get(paper.Deflate(plain))
	must.Equal(t, paper.Pages(file), 30)
	must.Hold(t, len(file) < len(plain), len(file), len(plain))
	pages := regexp.MustCompile(`(?s)obj\n<</Filter /FlateDecode /Length (\d+)>>\nstream\n`)
	seen := 0
	for _, m := range pages.FindAllSubmatchIndex(file, -1) {
		n := must.Get(strconv.Atoi(string(file[m[2]:m[3]])))
		text := must.Get(io.ReadAll(must.Get(zlib.NewReader(bytes.NewReader(file[m[1] : m[1]+n])))))
		must.Hold(t, bytes.Contains(plain, append(append([]byte("stream\n"), text...), "\nendstream"...)), string(text))
		must.Hold(t, bytes.HasPrefix(file[m[1]+n:], []byte("\nendstream\nendobj\n")), "the length is wrong")
		seen++
	}
	must.Hold(t, seen >= 30, seen)
	start := must.Get(strconv.Atoi(string(regexp.MustCompile(`startxref\n(\d+)\n`).FindSubmatch(file)[1])))
	table := regexp.MustCompile(`(\d{10}) 00000 n `).FindAllSubmatch(file[start:], -1)
	must.Hold(t, bytes.HasPrefix(file[start:], []byte(fmt.Sprintf("xref\n0 %d\n", len(table)+1))), start)
	for n, m := range table {
		at := must.Get(strconv.Atoi(string(m[1])))
		must.Hold(t, bytes.HasPrefix(file[at:], []byte(fmt.Sprintf("%d 0 obj\n", n+1))), n+1, at)
	}
}

func TestDeflateRefusesWhatIsNoFileOfOurs(t *testing.T) {
	t.Parallel()
	s := sheet()
	s.PDF.SetCompression(false)
	plain := must.Get(s.Bytes())
	for _, file := range [][]byte{nil, []byte("%PDF-1.4"), plain[:len(plain)-40], plain[100:], []byte("startxref\n0\n"),
		[]byte("xref\n0 9\nstartxref\n0\n")} {
		_, err := paper.Deflate(file)
		must.Hold(t, err != nil, "a file was taken of bytes:", len(file))
	}
}
