package marketplace

import (
	"net/http/httptest"
	"testing"
)

func TestAnAnswerIsCompressedAsTheClientLikesItBest(t *testing.T) {
	t.Parallel()
	for accepts, want := range map[string]coding{
		"": identity, "identity": identity, "br": identity, "gzip;q=0": identity, "zstd;q=0, gzip;q=0": identity, "gzip;q=x": identity,
		"gzip": gzipped, "deflate, gzip;q=1.0": gzipped, "gzip, br": gzipped, "zstd;q=0.5, gzip": gzipped, "zstd;q=0,gzip": gzipped, "gzip;q=NaN": identity,
		"zstd": zstandard, "gzip, deflate, br, zstd": zstandard, "zstd, gzip": zstandard, "gzip;q=0.5, zstd;q=0.5": zstandard, "gzip;q=0.2,zstd ;q=0.8": zstandard,
	} {
		r := httptest.NewRequest("GET", "/api/market", nil)
		r.Header.Set("Accept-Encoding", accepts)
		if got := preferred(r); got != want {
			t.Errorf("%q is answered in %q, want %q", accepts, got, want)
		}
	}
}
