package audit

import (
	"archive/zip"
	"bytes"
	"errors"
	"io"
	"strings"
)

// What a pack can have. A pack at all of these limits is verified in less than 200
// MiB of memory.
const (
	maxPackFiles = 60_000
	maxPackFile  = 512 << 20 // bytes
	maxPack      = 1<<32 - 1 // bytes
	// maxDepth is how deep JSON is nested, maxCell how long a value is in bytes.
	maxDepth = 64
	maxCell  = 256 << 10
	// maxObjects is how many objects and arrays a file of JSON has, maxMembers how
	// many members an object has: a parser keeps their names until its end.
	maxObjects = 100_000
	maxMembers = 1_000
)

// limits returns how long a file of a pack may be, in bytes, and how many values
// may be in it, 0 for a file that is not parsed.
func limits(name string) (size int64, values int) {
	switch name {
	case sumsFile:
		return 12 << 20, 0
	case signatureFile:
		// A longer key of RSA takes minutes to check.
		return 16 << 10, 0
	case manifestFile, monthFile + ".json":
		return 16 << 20, 500_000
	case evidenceFile + ".json":
		return 48 << 20, 1_000_000
	}
	if strings.HasPrefix(name, answersDir) {
		return 8 << 20, 50_000
	}
	return maxPackFile, 0
}

// boundError says which limit the content of a file exceeds.
type boundError string

func (e boundError) Error() string { return string(e) }

// bounds reads JSON, and fails with a boundError before a parser would need much
// memory for it.
type bounds struct {
	io.Reader
	quoted, escaped bool
	// left is how many values may follow, cell how long the current one is.
	left, cell, depth, objects int
	// members counts the members of the objects that are open, and is negative for
	// arrays, which may be long.
	members [maxDepth + 2]int
}

func (b *bounds) Read(p []byte) (int, error) {
	n, err := b.Reader.Read(p)
	for _, c := range p[:n] {
		b.count(c)
		switch {
		case b.left < 0 || b.objects > maxObjects:
			return 0, boundError("has too many values")
		case b.cell > maxCell:
			return 0, boundError("has a value that is too long")
		case b.depth > maxDepth:
			return 0, boundError("is nested too deep")
		case b.depth > 0 && b.members[b.depth] > maxMembers:
			return 0, boundError("has an object with too many members")
		}
	}
	return n, err
}

func (b *bounds) count(c byte) {
	b.cell++
	switch {
	case b.escaped:
		b.escaped = false
	case c == '"':
		b.quoted = !b.quoted
	case b.quoted:
		b.escaped = c == '\\'
	case c == ',':
		b.left--
		b.cell = 0
		if b.depth > 0 && b.members[b.depth] >= 0 {
			b.members[b.depth]++
		}
	case c == '{' || c == '[':
		b.depth++
		b.objects++
		b.cell = 0
		if b.depth > 0 {
			b.members[b.depth] = -1
		}
		if b.depth > 0 && c == '{' {
			b.members[b.depth] = 0
		}
	case c == '}' || c == ']':
		b.depth--
		b.cell = 0
	}
}

func bounded(name string, content io.Reader) io.Reader {
	_, most := limits(name)
	if most == 0 {
		return content
	}
	return &bounds{Reader: content, left: most}
}

func within(name string, content []byte) bool {
	size, _ := limits(name)
	_, err := io.Copy(io.Discard, bounded(name, bytes.NewReader(content)))
	return err == nil && int64(len(content)) <= size
}

func openPacked(f *zip.File) (io.ReadCloser, error) {
	r, err := f.Open()
	if err != nil {
		return nil, err
	}
	return struct {
		io.Reader
		io.Closer
	}{bounded(f.Name, r), r}, nil
}

func readPacked(f *zip.File) ([]byte, error) {
	r, err := openPacked(f)
	if err != nil {
		return nil, refuse("%s cannot be read", f.Name)
	}
	defer r.Close()
	size, _ := limits(f.Name)
	if f.UncompressedSize64 > uint64(size) {
		return nil, refuse("%s is longer than %d bytes", f.Name, size)
	}
	text := make([]byte, f.UncompressedSize64)
	if _, err := io.ReadFull(r, text); err != nil {
		return nil, unreadable(f.Name, err)
	}
	return text, nil
}

func unreadable(name string, err error) error {
	var exceeded boundError
	if errors.As(err, &exceeded) {
		return refuse("%s %v", name, exceeded)
	}
	return refuse("%s cannot be read", name)
}
