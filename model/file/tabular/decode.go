package tabular

import (
	"cmp"
	"encoding/binary"
	"fmt"
	"io"
	"strings"
	"unicode/utf16"
	"unicode/utf8"
)

// TooLargeError is the error for a file of more than this number of bytes.
type TooLargeError int64

// Error states the limit in MiB.
func (e TooLargeError) Error() string { return fmt.Sprintf("it is larger than %d MiB", int64(e)>>20) }

// readAll reads up to the limit. It never holds more than twice what it reads.
func readAll(r io.Reader, o Options) (string, error) {
	limit := cmp.Or(o.Largest, Largest)
	if o.Size > limit {
		return "", TooLargeError(limit)
	}
	in := &io.LimitedReader{R: r, N: limit + 1}
	var text strings.Builder
	text.Grow(int(o.Size))
	var blocks [][]byte
	for in.N > 0 {
		block := make([]byte, 64<<10)
		n, err := io.ReadFull(in, block)
		if text.Len()+n <= int(o.Size) && blocks == nil {
			text.Write(block[:n])
		} else {
			blocks = append(blocks, block[:n])
		}
		if err == io.EOF || err == io.ErrUnexpectedEOF {
			break
		}
		if err != nil {
			return "", err
		}
	}
	if in.N == 0 {
		return "", TooLargeError(limit)
	}
	return join(&text, blocks), nil
}

func join(text *strings.Builder, blocks [][]byte) string {
	more := 0
	for _, block := range blocks {
		more += len(block)
	}
	if more > 0 {
		text.Grow(more)
	}
	for _, block := range blocks {
		text.Write(block)
	}
	return text.String()
}

const byteOrderMark = "\ufeff"

// signatures are the first bytes of files that are no tables.
var signatures = []struct{ start, what string }{
	{"\xff\xfe\x00\x00", "it is UTF-32; save it as UTF-8"},
	{"\x00\x00\xfe\xff", "it is UTF-32; save it as UTF-8"},
	{"\xd0\xcf\x11\xe0", "it is an encrypted or an old (.xls) workbook; save it as .xlsx without a password"},
	{"%PDF-", "it is a PDF"},
	{"\x1f\x8b", "it is compressed with gzip; unpack it"},
	{"{\\rtf", "it is a rich text document"},
	{"<!doctype", "it is HTML, not a table; save it as CSV or .xlsx"},
	{"<html", "it is HTML, not a table; save it as CSV or .xlsx"},
	{"<table", "it is HTML, not a table; save it as CSV or .xlsx"},
	{"<?xml", "it is XML, not a table; save it as CSV or .xlsx"},
}

// decode returns the text of a file as UTF-8 without its byte order mark, and the name of another
// encoding.
func decode(raw string) (text, encoding string, err error) {
	head := raw[:min(len(raw), 64)]
	start := strings.ToLower(strings.TrimLeft(strings.TrimPrefix(head, byteOrderMark), " \t\r\n"))
	for _, s := range signatures {
		if strings.HasPrefix(head, s.start) || s.start[0] == '<' && strings.HasPrefix(start, s.start) {
			return "", "", formatError("%s", s.what)
		}
	}
	switch {
	case strings.HasPrefix(raw, "\xff\xfe"):
		text, err = decodeUTF16(raw[2:], binary.LittleEndian)
		return text, "UTF-16", err
	case strings.HasPrefix(raw, "\xfe\xff"):
		text, err = decodeUTF16(raw[2:], binary.BigEndian)
		return text, "UTF-16", err
	}
	// DOS ends a file with Ctrl-Z.
	return strings.TrimRight(strings.TrimLeft(raw, byteOrderMark), "\x1a"), "", checkUTF8(raw)
}

func checkUTF8(raw string) error {
	if at := strings.IndexByte(raw, 0); at >= 0 {
		if head := raw[:min(len(raw), 200)]; strings.Count(head, "\x00")*3 > len(head) {
			return formatError("it is UTF-16 without a byte order mark; save it as UTF-8")
		}
		return formatError("it is binary, not text: line %d has a NUL", lineOf(raw, at))
	}
	if utf8.ValidString(raw) {
		return nil
	}
	for at, r := range raw {
		if _, n := utf8.DecodeRuneInString(raw[at:]); r == utf8.RuneError && n == 1 {
			return formatError("it is not UTF-8: line %d has the byte %#x, perhaps of Windows-1252; save it as UTF-8",
				lineOf(raw, at), raw[at])
		}
	}
	return nil
}

func lineOf(text string, at int) int { return 1 + countLines(text[:at]) }

// countLines counts the line ends: CR LF, LF, and CR alone.
func countLines(text string) int {
	n := strings.Count(text, "\n")
	for from := 0; ; {
		at := strings.IndexByte(text[from:], '\r')
		if at < 0 {
			return n
		}
		if from += at + 1; from == len(text) || text[from] != '\n' {
			n++
		}
	}
}

func decodeUTF16(raw string, order binary.ByteOrder) (string, error) {
	if len(raw)%2 != 0 {
		return "", formatError("it is UTF-16, and its last character is incomplete")
	}
	var text strings.Builder
	text.Grow(len(raw) / 2)
	unit := func(i int) rune { return rune(order.Uint16([]byte(raw[i : i+2]))) }
	for i := 0; i < len(raw); i += 2 {
		r := unit(i)
		if utf16.IsSurrogate(r) {
			if i += 2; i == len(raw) {
				return "", formatError("it is UTF-16, and its last character is incomplete")
			}
			r = utf16.DecodeRune(r, unit(i))
		}
		switch r {
		case 0:
			return "", formatError("it is binary, not text: line %d has a NUL", lineOf(text.String(), text.Len()))
		case utf8.RuneError:
			return "", formatError("it is UTF-16 with a broken character in line %d", lineOf(text.String(), text.Len()))
		}
		text.WriteRune(r)
	}
	return text.String(), nil
}
