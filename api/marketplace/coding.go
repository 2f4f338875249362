package marketplace

import (
	"bytes"
	"compress/gzip"
	"io"
	"net/http"
	"strconv"
	"strings"
	"sync"

	"github.com/klauspost/compress/zstd"
)

type coding int

const (
	identity coding = iota
	gzipped
	zstandard
	codings
)

// String returns the name of the coding in HTTP, or "" for identity.
func (c coding) String() string { return [...]string{"", "gzip", "zstd"}[c] }

// worthCompressing is the size from which a body does not fit into one packet.
const worthCompressing = 1400

func codingFor(size int, accepted coding) coding {
	if size < worthCompressing {
		return identity
	}
	return accepted
}

// preferred returns the coding with the highest weight in Accept-Encoding. On a tie it is
// zstd, which decompresses four times as fast.
func preferred(r *http.Request) (best coding) {
	most := 0.0
	for listed := range strings.SplitSeq(r.Header.Get("Accept-Encoding"), ",") {
		name, params, _ := strings.Cut(listed, ";")
		for c := gzipped; c < codings; c++ {
			if q := quality(params); strings.TrimSpace(name) == c.String() && (q > most || q == most && q > 0 && c > best) {
				best, most = c, q
			}
		}
	}
	return best
}

func quality(params string) float64 {
	text, found := strings.CutPrefix(strings.TrimSpace(params), "q=")
	if !found {
		return 1
	}
	q, err := strconv.ParseFloat(text, 64)
	if err != nil || !(q >= 0) {
		return 0
	}
	return q
}

// The fastest levels already make a page of the market four times smaller.
var (
	gzipWriters = sync.Pool{New: func() any {
		w, _ := gzip.NewWriterLevel(io.Discard, gzip.BestSpeed)
		return w
	}}
	zstdWriter = sync.OnceValue(func() *zstd.Encoder {
		// The client has to keep the window.
		w, err := zstd.NewWriter(nil, zstd.WithEncoderLevel(zstd.SpeedFastest), zstd.WithWindowSize(256<<10),
			zstd.WithLowerEncoderMem(true))
		if err != nil {
			panic(err)
		}
		return w
	})
)

func (c coding) compress(body []byte) []byte {
	switch c {
	case gzipped:
		var out bytes.Buffer
		out.Grow(len(body) / 4)
		w := gzipWriters.Get().(*gzip.Writer)
		defer gzipWriters.Put(w)
		w.Reset(&out)
		// Writing to a bytes.Buffer never fails.
		_, _ = w.Write(body)
		_ = w.Close()
		return out.Bytes()
	case zstandard:
		return zstdWriter().EncodeAll(body, make([]byte, 0, len(body)/4))
	}
	return body
}
