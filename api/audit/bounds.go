package audit

import (
	"archive/zip"
	"io"
	"strings"
)

// The limits of a pack. Verifying a pack at all limits takes less than 200 MiB of memory.
const (
	maxPackFiles = 60_000
	maxPackFile  = 512 << 20 // bytes
	maxPack      = 1<<32 - 1 // bytes
	// maxDepth limits the nesting of JSON, maxColumns the values of a row.
	maxDepth   = 64
	maxColumns = 1_000
)

func limits(name string) (size int64, values int) {
	switch name {
	case sumsFile:
		return 12 << 20, 0
	case signatureFile:
		// A longer RSA key takes minutes to check.
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

// checkJSON rejects JSON that takes a parser too much memory.
func checkJSON(name string, text []byte, most int) error {
	depth, quoted := 0, false
	for i := 0; i < len(text) && most > 0; i++ {
		switch c := text[i]; {
		case c == '"':
			quoted = !quoted
		case quoted && c == '\\':
			i++
		case quoted:
		case c == ',':
			most--
		case c == '{' || c == '[':
			most--
			depth++
		case c == '}' || c == ']':
			depth--
		}
		if depth > maxDepth {
			return refuse("%s is nested too deep", name)
		}
		if most == 0 {
			return refuse("%s has too many values", name)
		}
	}
	return nil
}

func checkContent(name string, content []byte) error {
	size, values := limits(name)
	if int64(len(content)) > size {
		return refuse("%s is longer than %d bytes", name, size)
	}
	return checkJSON(name, content, values)
}

func readPacked(f *zip.File) ([]byte, error) {
	r, err := f.Open()
	if err != nil {
		return nil, unreadable(f.Name)
	}
	defer r.Close()
	text := make([]byte, f.UncompressedSize64)
	if _, err := io.ReadFull(r, text); err != nil {
		return nil, unreadable(f.Name)
	}
	return text, checkContent(f.Name, text)
}

func unreadable(name string) error { return refuse("%s cannot be read", name) }
