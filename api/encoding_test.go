package api_test

import (
	"bytes"
	"compress/gzip"
	"io"
	"net/http"
	"strings"
	"testing"

	"github.com/klauspost/compress/zstd"

	"tonne/api"
)

// encodings compress what is written, by what HTTP calls them.
var encodings = map[string]func(io.Writer) io.WriteCloser{
	"gzip": func(w io.Writer) io.WriteCloser { return gzip.NewWriter(w) },
	"zstd": func(w io.Writer) io.WriteCloser { return zstdWriter(w) },
}

func zstdWriter(w io.Writer, options ...zstd.EOption) *zstd.Encoder {
	z, err := zstd.NewWriter(w, append(options, zstd.WithEncoderConcurrency(1))...)
	if err != nil {
		panic(err)
	}
	return z
}

// compressed answers with bodies in an encoding.
func compressed(name string, body string) http.HandlerFunc {
	var small bytes.Buffer
	z := encodings[name](&small)
	_, _ = io.WriteString(z, body)
	_ = z.Close()
	return encoded(name, small.Bytes())
}

func encoded(name string, small []byte) http.HandlerFunc {
	return func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Encoding", name)
		_, _ = w.Write(small)
	}
}

// A client asks for both, and one that was used for one page is used for others.
func TestAnAnswerIsReadHoweverItIsCompressed(t *testing.T) {
	t.Parallel()
	h := http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		accepted := r.Header.Get("Accept-Encoding")
		body := marketPage(1, 1, 1, "p")
		switch page := r.URL.Query().Get("page"); {
		case !strings.Contains(accepted, "zstd") || !strings.Contains(accepted, "gzip"):
			t.Errorf("the client accepts %q", accepted)
		case page == "3":
			_, _ = io.WriteString(w, body)
		case page == "2":
			compressed("gzip", body)(w, r)
		default:
			compressed("zstd", body)(w, r)
		}
	})
	c := serve(t, h)
	for page := range 6 {
		part, _, err := c.MarketPage(t.Context(), api.MarketQuery{Page: 1 + page%3})
		if err != nil || part.Orders() != 1 {
			t.Errorf("page %d is %v (%v)", 1+page%3, part, err)
		}
	}
}

func TestAnAnswerThatCannotBeExpandedIsAnError(t *testing.T) {
	t.Parallel()
	whole := new(bytes.Buffer)
	z := zstdWriter(whole)
	_, _ = io.WriteString(z, marketPage(1, 1, 1, "p"))
	_ = z.Close()
	wide := new(bytes.Buffer)
	z = zstdWriter(wide, zstd.WithWindowSize(64<<20))
	_, _ = z.Write(make([]byte, 1<<20))
	_ = z.Flush()
	_, _ = z.Write(make([]byte, 1<<20))
	_ = z.Close()
	for name, tt := range map[string]struct {
		h    http.Handler
		kind api.Kind
	}{
		"zstd that ends too soon":            {encoded("zstd", whole.Bytes()[:whole.Len()-5]), api.Unreachable},
		"zstd that is none":                  {encoded("zstd", []byte(marketPage(1, 1, 1, "p"))), api.Unreachable},
		"zstd that wants 64 MiB to be kept":  {encoded("zstd", wide.Bytes()), api.Unreachable},
		"gzip that is none":                  {encoded("gzip", []byte(marketPage(1, 1, 1, "p"))), api.Unreachable},
		"an encoding that was not requested": {encoded("br", whole.Bytes()), api.NotTheAPI},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			c := serve(t, tt.h)
			for range 2 {
				_, _, err := c.MarketPage(t.Context(), api.MarketQuery{})
				if e := failure(t, err); e.Kind != tt.kind {
					t.Errorf("%v", e)
				}
			}
		})
	}
}
