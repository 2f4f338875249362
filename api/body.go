package api

import (
	"bytes"
	"compress/gzip"
	"errors"
	"fmt"
	"io"
	"net/http"
	"strings"
	"sync"

	"github.com/klauspost/compress/zstd"
)

const (
	// maxBody is the largest answer that is read, after decompression.
	maxBody = 32 << 20
	// maxPresized bounds the room that is made for an answer before it is there.
	maxPresized = 4 << 20
	// maxWindow is how much of an answer a service may have kept for what follows, in
	// bytes: as much as it may expect of any client (RFC 9659).
	maxWindow = 8 << 20
	// acceptedEncodings are how a service may compress its answers. The first is read
	// in a quarter of the time.
	acceptedEncodings = "zstd, gzip"
)

var zstdDecoder = sync.OnceValue(func() *zstd.Decoder {
	d, err := zstd.NewReader(nil, zstd.WithDecoderConcurrency(connections), zstd.WithDecoderMaxMemory(maxBody), zstd.WithDecoderMaxWindow(maxWindow), zstd.WithDecoderLowmem(true))
	if err != nil {
		panic(err)
	}
	return d
})

func readBody(resp *http.Response) (body []byte, err error) {
	notTheAPI := func(message string) ([]byte, error) {
		return nil, &Error{Kind: NotTheAPI, Status: resp.StatusCode, Message: message}
	}
	from, encoding := io.Reader(resp.Body), strings.ToLower(resp.Header.Get("Content-Encoding"))
	switch {
	case resp.ContentLength == 0, encoding == "", encoding == "identity", encoding == "zstd":
	case encoding == "gzip":
		if from, err = gzip.NewReader(resp.Body); err != nil {
			return nil, err
		}
	default:
		return notTheAPI("the service compressed its answer in a way that it was not asked for")
	}
	var room bytes.Buffer
	room.Grow(int(min(max(resp.ContentLength, 0), maxPresized)) + bytes.MinRead)
	_, err = room.ReadFrom(io.LimitReader(from, maxBody+1))
	if body = room.Bytes(); err == nil && encoding == "zstd" && 0 < len(body) && len(body) <= maxBody {
		body, err = zstdDecoder().DecodeAll(body, nil)
	}
	if len(body) > maxBody || errors.Is(err, zstd.ErrDecoderSizeExceeded) {
		return notTheAPI(fmt.Sprintf("the service answered with more than %d MiB", maxBody>>20))
	}
	return body, err
}
