package pdftext

import (
	"bytes"
	"compress/zlib"
	"encoding/ascii85"
	"io"
	"maps"
	"slices"
	"strconv"
)

// object is a numbered value of a file. A stream has its packed bytes too.
type object struct {
	value  any
	packed []byte
}

// file is the objects of a PDF. Its table of contents is not read: objects
// are found where they stand, which works for damaged files too.
type file struct {
	objects map[int]object
	// left is how many bytes may still be unpacked.
	left int64
}

// mostObjects is how many objects are kept.
const mostObjects = 200_000

func newFile(content []byte) *file {
	f := &file{objects: make(map[int]object), left: budget}
	for at := 0; len(f.objects) < mostObjects; {
		next := bytes.Index(content[at:], []byte("obj"))
		if next < 0 {
			break
		}
		start := at + next
		at = start + len("obj")
		if number, ok := numberBefore(content[:start]); ok {
			at = f.read(number, content, at)
		}
	}
	for _, number := range slices.Sorted(maps.Keys(f.objects)) {
		f.unpackObjects(f.objects[number])
	}
	return f
}

// numberBefore returns the number of an object from what stands before its
// "obj", such as "12 0 ".
func numberBefore(b []byte) (int, bool) {
	fields := bytes.Fields(b[max(len(b)-24, 0):])
	if len(fields) < 2 || !isBlank(b[len(b)-1]) {
		return 0, false
	}
	// What stands right before the number may be joined to it.
	digits := fields[len(fields)-2]
	for i := len(digits); i > 0; i-- {
		if c := digits[i-1]; c < '0' || c > '9' {
			digits = digits[i:]
			break
		}
	}
	number, err := strconv.Atoi(string(digits))
	_, bad := strconv.ParseUint(string(fields[len(fields)-1]), 10, 16)
	return number, err == nil && bad == nil
}

// read keeps the object that begins at a place, and returns where it ends.
func (f *file) read(number int, content []byte, at int) int {
	s := &scanner{b: content, at: at}
	o := object{value: s.value(0)}
	at = s.at
	if d, ok := o.value.(dict); ok {
		s.skip()
		if rest, ok := bytes.CutPrefix(content[s.at:], []byte("stream")); ok {
			rest = bytes.TrimPrefix(bytes.TrimPrefix(rest, []byte("\r")), []byte("\n"))
			n := length(d, rest)
			o.packed = rest[:n]
			at = len(content) - len(rest) + n
		}
	}
	f.objects[number] = o
	return at
}

// length returns how long a stream is: as it says of itself, if that is where
// it ends, or else up to its end mark.
func length(d dict, rest []byte) int {
	end := []byte("endstream")
	if n, ok := d["Length"].(float64); ok && n >= 0 && n <= float64(len(rest)) {
		if bytes.HasPrefix(bytes.TrimLeft(rest[int(n):], "\r\n "), end) {
			return int(n)
		}
	}
	if n := bytes.Index(rest, end); n >= 0 {
		return n
	}
	return len(rest)
}

// unpackObjects keeps the objects that are packed in a stream.
func (f *file) unpackObjects(o object) {
	d, _ := o.value.(dict)
	if d["Type"] != name("ObjStm") {
		return
	}
	content := f.unpack(o)
	first, _ := f.resolve(d["First"]).(float64)
	head := &scanner{b: content}
	for head.more() && len(f.objects) < mostObjects {
		number, ok := head.value(0).(float64)
		offset, also := head.value(0).(float64)
		at := first + offset
		if !ok || !also || at < 0 || at > float64(len(content)) {
			return
		}
		body := &scanner{b: content, at: int(at)}
		if _, there := f.objects[int(number)]; !there {
			f.objects[int(number)] = object{value: body.value(0)}
		}
	}
}

// resolve returns the value that a reference stands for.
func (f *file) resolve(v any) any {
	for range deepest {
		r, ok := v.(ref)
		if !ok {
			return v
		}
		v = f.objects[int(r)].value
	}
	return nil
}

func (f *file) dict(v any) dict {
	d, _ := f.resolve(v).(dict)
	return d
}

func (f *file) list(v any) list {
	switch v := f.resolve(v).(type) {
	case list:
		return v
	case nil:
		return nil
	default:
		return list{v}
	}
}

// stream returns the unpacked bytes of the stream that a value refers to.
func (f *file) stream(v any) []byte {
	for range deepest {
		r, ok := v.(ref)
		if !ok {
			return nil
		}
		if o := f.objects[int(r)]; o.packed != nil {
			return f.unpack(o)
		}
		v = f.objects[int(r)].value
	}
	return nil
}

// unpack returns the bytes of a stream, as far as the budget goes. It returns
// none where they are packed in a way that text is not.
func (f *file) unpack(o object) []byte {
	d, _ := o.value.(dict)
	var r io.Reader = bytes.NewReader(o.packed)
	for _, filter := range f.list(d["Filter"]) {
		switch filter {
		case name("FlateDecode"), name("Fl"):
			inflated, err := zlib.NewReader(r)
			if err != nil {
				return nil
			}
			r = inflated
		case name("ASCII85Decode"), name("A85"):
			r = ascii85.NewDecoder(&until{r: r, end: '~'})
		default:
			return nil
		}
	}
	// What can be unpacked of a damaged stream is better than nothing.
	content, _ := io.ReadAll(io.LimitReader(r, f.left))
	f.left -= int64(len(content))
	return content
}

// until ends before a byte.
type until struct {
	r   io.Reader
	end byte
	hit bool
}

// Read reads up to the byte.
func (u *until) Read(p []byte) (int, error) {
	if u.hit {
		return 0, io.EOF
	}
	n, err := u.r.Read(p)
	if at := bytes.IndexByte(p[:n], u.end); at >= 0 {
		u.hit = true
		return at, nil
	}
	return n, err
}
