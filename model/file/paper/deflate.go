package paper

import (
	"bytes"
	"cmp"
	"errors"
	"fmt"
	"slices"
	"strconv"

	"github.com/klauspost/compress/zlib"
)

// object is an object of a file: its number and where it begins.
type object struct{ number, at int }

// Deflate compresses the plain streams of a file that was printed without compression. It uses one
// compressor; the PDF library makes one for each page, which takes longer than compressing it.
func Deflate(file []byte) ([]byte, error) {
	objects, table, err := objectsOf(file)
	if err != nil {
		return nil, err
	}
	var out, page bytes.Buffer
	compressor, err := zlib.NewWriterLevel(&page, zlib.BestSpeed)
	if err != nil {
		return nil, err
	}
	out.Grow(len(file) / 4)
	out.Write(file[:objects[0].at])
	offsets := make([]int, len(objects)+1)
	for n, o := range objects {
		end := table
		if n+1 < len(objects) {
			end = objects[n+1].at
		}
		offsets[o.number] = out.Len()
		head := fmt.Sprintf("%d 0 obj\n", o.number)
		text, isPlainStream := streamOf(file[o.at:end], head)
		if !isPlainStream {
			out.Write(file[o.at:end])
			continue
		}
		page.Reset()
		compressor.Reset(&page)
		_, err := compressor.Write(text)
		if err = errors.Join(err, compressor.Close()); err != nil {
			return nil, err
		}
		fmt.Fprintf(&out, "%s<</Filter /FlateDecode /Length %d>>\nstream\n%s\nendstream\nendobj\n", head, page.Len(),
			page.Bytes())
	}
	start := out.Len()
	fmt.Fprintf(&out, "xref\n0 %d\n0000000000 65535 f \n", len(offsets))
	for _, at := range offsets[1:] {
		fmt.Fprintf(&out, "%010d 00000 n \n", at)
	}
	trailer := file[table:]
	out.Write(trailer[bytes.Index(trailer, []byte("trailer\n")):bytes.LastIndex(trailer, []byte("startxref\n"))])
	fmt.Fprintf(&out, "startxref\n%d\n%%%%EOF\n", start)
	return out.Bytes(), nil
}

// streamOf returns the content of a plain stream, such as a page.
func streamOf(body []byte, head string) (text []byte, isPlainStream bool) {
	length, text, isStream := bytes.Cut(body, []byte(">>\nstream\n"))
	digits, isPlain := bytes.CutPrefix(length, []byte(head+"<</Length "))
	n, err := strconv.Atoi(string(digits))
	if !isStream || !isPlain || err != nil || string(text[min(n, len(text)):]) != "\nendstream\nendobj\n" {
		return nil, false
	}
	return text[:n], true
}

// objectsOf returns the objects of a file in their order, and where its table of objects begins.
func objectsOf(file []byte) (objects []object, table int, err error) {
	_, end, _ := bytes.Cut(file[max(0, bytes.LastIndex(file, []byte("startxref\n"))):], []byte("\n"))
	count := 0
	if _, err := fmt.Sscanf(string(end), "%d", &table); err != nil || table > len(file) {
		return nil, 0, errors.New("the file has no table of objects")
	}
	if _, err := fmt.Sscanf(string(file[table:min(table+40, len(file))]), "xref\n0 %d", &count); err != nil || count < 2 {
		return nil, 0, errors.New("the table of objects cannot be read")
	}
	lines := bytes.Split(file[table:], []byte("\n"))[3:]
	for n := 1; n < count && n <= len(lines); n++ {
		at, err := strconv.Atoi(string(lines[n-1][:min(10, len(lines[n-1]))]))
		if err != nil || at > table {
			return nil, 0, errors.New("the table of objects cannot be read")
		}
		objects = append(objects, object{n, at})
	}
	slices.SortFunc(objects, func(a, b object) int { return cmp.Compare(a.at, b.at) })
	return objects, table, nil
}
