package dbfile

import (
	"bufio"
	"bytes"
	"encoding/binary"
	"errors"
	"io"
	"io/fs"
	"os"
)

// logged is what a write-ahead log says about its database.
type logged struct {
	head head
	// found says that the log holds a first page, so that the one in the file
	// is an older one, or the same with other pages still to come.
	found bool
}

// readLog returns what the newest first page says that was committed to a
// write-ahead log. There may be neither a page nor a log.
func readLog(path string) (logged, error) {
	if size, err := sizeBeside(path); size == 0 || err != nil {
		return logged{}, err
	}
	f, err := os.Open(path)
	if errors.Is(err, fs.ErrNotExist) {
		// A program that ends takes its log away once all is in the file.
		return logged{}, nil
	}
	if err != nil {
		return logged{}, err
	}
	defer f.Close()
	newest, err := newestHead(bufio.NewReaderSize(f, 1<<18))
	if errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF) {
		err = nil
	}
	return newest, err
}

// newestHead reads a log to its end. The error says how it ended.
func newestHead(from io.Reader) (committed logged, err error) {
	l, err := openLog(from)
	if err != nil {
		return logged{}, err
	}
	var written logged
	for {
		if err := l.next(); err != nil {
			return committed, err
		}
		if l.number() == 1 {
			written = logged{parseHead(l.page()), true}
		}
		if l.commits() {
			committed = written
		}
	}
}

// The sizes of the parts of a write-ahead log (SQLite's file format, section
// 4.1): its header, and the header of each frame, which holds a page.
const (
	logHeader   = 32
	frameHeader = 24
)

// log reads the frames of a write-ahead log that SQLite would take: up to the
// first that was not written whole, or is left from an earlier round.
type log struct {
	from     io.Reader
	order    binary.ByteOrder
	sum      [2]uint32
	salt     []byte
	contents []byte
}

// openLog reads the header. The error is io.EOF for what is no log.
func openLog(from io.Reader) (*log, error) {
	header := make([]byte, logHeader)
	if _, err := io.ReadFull(from, header); err != nil {
		return nil, err
	}
	const littleEndian, bigEndian = 0x377f0682, 0x377f0683
	l := &log{from: from, order: binary.LittleEndian, salt: header[16:24]}
	magic := binary.BigEndian.Uint32(header)
	if magic == bigEndian {
		l.order = binary.BigEndian
	}
	size := binary.BigEndian.Uint32(header[8:])
	l.add(header[:24])
	if magic != littleEndian && magic != bigEndian || size < 512 || size > 1<<16 || size&(size-1) != 0 || !l.whole(header[24:]) {
		return nil, io.EOF
	}
	l.contents = make([]byte, frameHeader+size)
	return l, nil
}

// next reads a frame. The error is io.EOF after the last.
func (l *log) next() error {
	if _, err := io.ReadFull(l.from, l.contents); err != nil {
		return err
	}
	l.add(l.contents[:8])
	l.add(l.page())
	if !bytes.Equal(l.contents[8:16], l.salt) || l.number() == 0 || !l.whole(l.contents[16:]) {
		return io.EOF
	}
	return nil
}

// number is the number of the page in the frame, from 1.
func (l *log) number() uint32 { return binary.BigEndian.Uint32(l.contents) }

// commits says that the frame is the last of a transaction.
func (l *log) commits() bool { return binary.BigEndian.Uint32(l.contents[4:]) != 0 }

func (l *log) page() []byte { return l.contents[frameHeader:] }

// add goes on with the checksum of all that was read (section 4.2).
func (l *log) add(bytes []byte) {
	a, b := l.sum[0], l.sum[1]
	for ; len(bytes) > 0; bytes = bytes[8:] {
		a += l.order.Uint32(bytes) + b
		b += l.order.Uint32(bytes[4:]) + a
	}
	l.sum = [2]uint32{a, b}
}

// whole compares the checksum with the one that was written.
func (l *log) whole(written []byte) bool {
	return l.sum[0] == binary.BigEndian.Uint32(written) && l.sum[1] == binary.BigEndian.Uint32(written[4:])
}
