package preview

import (
	"bytes"
	"compress/zlib"
	"context"
	"encoding/binary"
	"errors"
	"hash/crc32"
	"io"
	"runtime"
	"testing"
	"time"
)

const (
	trueColour16 = 6
	greyscale16  = 0
)

// rawPNG is a PNG with 16 bits a sample, of zeros, without end: decoding it
// fails after everything was allocated.
func rawPNG(t testing.TB, width, height, colour, interlace int) []byte {
	t.Helper()
	bytesPerPixel := 2
	if colour == trueColour16 {
		bytesPerPixel = 8
	}
	var data bytes.Buffer
	w, err := zlib.NewWriterLevel(&data, zlib.BestSpeed)
	if err != nil {
		t.Fatal(err)
	}
	row := make([]byte, 1+width*bytesPerPixel)
	// What is larger is refused before it is unpacked.
	const enough = 64 << 20
	for range min(height+height/8, enough/len(row)) {
		if _, err := w.Write(row); err != nil {
			t.Fatal(err)
		}
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	head := binary.BigEndian.AppendUint32(nil, uint32(width))
	head = binary.BigEndian.AppendUint32(head, uint32(height))
	head = append(head, 16, byte(colour), 0, 0, byte(interlace))
	out := chunk([]byte("\x89PNG\r\n\x1a\n"), "IHDR", head)
	return chunk(chunk(out, "IDAT", data.Bytes()), "IEND", nil)
}

func chunk(out []byte, kind string, data []byte) []byte {
	out = binary.BigEndian.AppendUint32(out, uint32(len(data)))
	body := append([]byte(kind), data...)
	return binary.BigEndian.AppendUint32(append(out, body...), crc32.ChecksumIEEE(body))
}

// segment appends a part of a JPEG.
func segment(out []byte, marker byte, data ...byte) []byte {
	out = append(out, 0xff, marker)
	return append(binary.BigEndian.AppendUint16(out, uint16(len(data)+2)), data...)
}

// rawJPEG is the beginning of a JPEG of Adobe's, before its scans: the code 0
// is a difference of nought for a mean, and for all else the rest of up to
// 32,767 blocks.
func rawJPEG(start byte, width, height, components int) []byte {
	out := segment([]byte{0xff, 0xd8}, 0xee, []byte("Adobe\x00\x64\x00\x00\x00\x00\x00")...)
	quantities := make([]byte, 65)
	for i := range quantities[1:] {
		quantities[i+1] = 1
	}
	out = segment(out, 0xdb, quantities...)
	frame := []byte{8, byte(height >> 8), byte(height), byte(width >> 8), byte(width), byte(components)}
	for n := range components {
		frame = append(frame, byte(n+1), 0x11, 0)
	}
	out = segment(out, start, frame...)
	for table, code := range map[byte]byte{0x00: 0x00, 0x10: 0xe0} {
		out = segment(out, 0xc4, append(append([]byte{table, 1}, make([]byte, 15)...), code)...)
	}
	return out
}

const (
	baseline    = 0xc0
	progressive = 0xc2
)

// means appends a scan of all means, all of them nought, and the end.
func means(out []byte, width, height, components int) []byte {
	scan := []byte{byte(components)}
	for n := range components {
		scan = append(scan, byte(n+1), 0)
	}
	out = segment(out, 0xda, append(scan, 0, 0, 0)...)
	out = append(out, make([]byte, (width+7)/8*((height+7)/8)*components/8+64)...)
	return append(out, 0xff, 0xd9)
}

// scanned is a progressive JPEG in shades of grey that is gone over many times.
func scanned(width, height, scans int) []byte {
	out := rawJPEG(progressive, width, height, 1)
	blocks := (width + 7) / 8 * ((height + 7) / 8)
	for range scans {
		out = segment(out, 0xda, 1, 1, 0, 1, 63, 0)
		// The code and 14 bits, all of them 0, are 16,384 blocks.
		out = append(out, make([]byte, (blocks/(1<<14)+1)*15/8+1)...)
	}
	return append(out, 0xff, 0xd9)
}

func section(content []byte) *io.SectionReader {
	return io.NewSectionReader(bytes.NewReader(content), 0, int64(len(content)))
}

// allocated returns how many bytes a function allocates. No other test may run
// meanwhile.
func allocated(do func()) uint64 {
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	do()
	runtime.ReadMemStats(&after)
	return after.TotalAlloc - before.TotalAlloc
}

func TestNoPictureTakesMoreMemoryThanItMay(t *testing.T) {
	const most = 64 << 20
	for name, content := range map[string][]byte{
		"a small PNG of 256 MiB":    rawPNG(t, 5793, 5793, trueColour16, 0),
		"the largest PNG":           rawPNG(t, 2784, 2784, trueColour16, 0),
		"the largest interlaced":    rawPNG(t, 1952, 1952, trueColour16, 1),
		"one line":                  rawPNG(t, 120_000, 1, trueColour16, 1),
		"grey":                      rawPNG(t, 2784, 2784, greyscale16, 0),
		"the largest JPEG":          means(rawJPEG(baseline, 2976, 2976, 3), 2976, 2976, 3),
		"the largest progressive":   means(rawJPEG(progressive, 1792, 1792, 3), 1792, 1792, 3),
		"the largest in four inks":  means(rawJPEG(progressive, 1600, 1600, 4), 1600, 1600, 4),
		"larger in four inks":       means(rawJPEG(progressive, 5000, 5000, 4), 5000, 5000, 4),
		"progressive, in grey":      means(rawJPEG(progressive, 3520, 3520, 1), 3520, 3520, 1),
		"as wide as a JPEG can be":  means(rawJPEG(progressive, 65535, 1, 4), 65535, 1, 4),
		"as large as a JPEG can be": rawJPEG(baseline, 65535, 65535, 1),
	} {
		got := allocated(func() { _, _ = readPicture(t.Context(), section(content), time.Minute) })
		if got > most {
			t.Errorf("%s (%d bytes) takes %d MiB", name, len(content), got>>20)
		}
	}
}

func TestAPageInColoursIsNotTooLarge(t *testing.T) {
	t.Parallel()
	const width, height = 2480, 3508
	for name, c := range map[string]struct {
		content []byte
		large   bool
	}{
		"300 dots to the inch":   {means(rawJPEG(baseline, width, height, 3), width, height, 3), false},
		"progressive":            {means(rawJPEG(progressive, width, height, 3), width, height, 3), true},
		"a small one":            {means(rawJPEG(progressive, 800, 600, 3), 800, 600, 3), false},
		"a small one in inks":    {means(rawJPEG(progressive, 800, 600, 4), 800, 600, 4), false},
		"a PNG of 16 bits":       {rawPNG(t, width, height, trueColour16, 0), true},
		"a small PNG of 16 bits": {rawPNG(t, 800, 600, greyscale16, 0), false},
	} {
		_, err := readPicture(t.Context(), section(c.content), time.Minute)
		var large *TooLargeError
		if errors.As(err, &large) != c.large || err != nil && !c.large && name != "a small PNG of 16 bits" {
			t.Errorf("%s: %v", name, err)
		}
	}
}

func TestAPictureWithManyScansIsGivenUp(t *testing.T) {
	t.Parallel()
	if _, err := readPicture(t.Context(), section(scanned(640, 480, 3)), time.Minute); err != nil {
		t.Fatalf("a few scans cannot be read: %v", err)
	}
	content := scanned(3500, 3500, 20_000)
	if _, err := readPicture(t.Context(), section(content), 50*time.Millisecond); !errors.Is(err, ErrTooLong) {
		t.Errorf("error is %v", err)
	}
}

// watched is a file whose reading is watched.
type watched struct {
	content *bytes.Reader
	read    func(n int)
}

func (w watched) ReadAt(p []byte, at int64) (int, error) {
	n, err := w.content.ReadAt(p, at)
	w.read(n)
	return n, err
}

func TestNothingIsReadOfAPictureThatNobodyWaitsFor(t *testing.T) {
	t.Parallel()
	content := scanned(640, 480, 2000)
	ctx, cancel := context.WithCancel(t.Context())
	sips, late := 0, 0
	file := watched{bytes.NewReader(content), func(n int) {
		if n > sip {
			return // what looks for the kind of the picture
		}
		if ctx.Err() != nil {
			late++
		}
		if sips++; sips == 500 {
			cancel()
		}
	}}
	_, err := readPicture(ctx, io.NewSectionReader(file, 0, int64(len(content))), time.Minute)
	if !errors.Is(err, context.Canceled) || sips != 500 || late > 0 {
		t.Errorf("%v after %d sips, %d of them late", err, sips, late)
	}
}
