package api

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"io"
	"net/http"
	"path/filepath"
	"time"

	"tonne/model/retirement"
)

// certificateTime limits a whole download: certificates are small.
const certificateTime = 2 * time.Minute

// Certificate saves the certificate of the retirement request with the given
// id in the directory dir, which is made if it is missing. If dir is empty nothing
// is saved, and only the path of the result is missing. The URL is data
// from the service, and the host it names need not be the marketplace's: the
// key is not sent, the address must pass CheckURL and be a public one at each
// redirect (or this machine's, for a marketplace on it), and the content must
// be a PDF, PNG or JPEG of at most 20 MiB, regardless of its declared type. An
// existing file is never replaced; saving the same content again succeeds.
// progress, which may be nil, receives the bytes so far; the total is 0 if
// unknown. The error is an *Error or one of the file system.
func (c *Client) Certificate(ctx context.Context, rawURL, dir, id string, progress func(received, total int64)) (retirement.Certificate, error) {
	name, err := certificateName(id)
	if err != nil {
		return retirement.Certificate{}, err
	}
	u, err := CheckURL(rawURL)
	if err != nil {
		return retirement.Certificate{}, err
	}
	ctx, cancel := context.WithTimeout(ctx, certificateTime)
	defer cancel()
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, u.String(), nil)
	if err != nil {
		return retirement.Certificate{}, refused("the address of the certificate is not a web address")
	}
	req.Header.Set("User-Agent", c.options.UserAgent)
	client := c.outsideClient()
	defer client.CloseIdleConnections()
	resp, err := client.Do(req)
	if err != nil {
		return retirement.Certificate{}, transportError(ctx, err)
	}
	defer resp.Body.Close()
	if resp.StatusCode != http.StatusOK {
		e := &Error{Kind: NotTheAPI, Status: resp.StatusCode, Message: fmt.Sprintf("the certificate's host answered %d", resp.StatusCode)}
		if e.Status >= 500 {
			e.Kind = ServerError
		}
		return retirement.Certificate{}, e
	}
	content, err := readCertificate(resp, progress)
	if err != nil {
		return retirement.Certificate{}, transportError(ctx, err)
	}
	certificate, ending, err := describe(content)
	if err != nil || dir == "" {
		return certificate, err
	}
	certificate.Path = filepath.Join(dir, name+ending)
	return certificate, saveCertificate(dir, name+ending, content)
}

func readCertificate(resp *http.Response, progress func(received, total int64)) ([]byte, error) {
	total := max(resp.ContentLength, 0)
	if total > retirement.LargestCertificate {
		return nil, errTooLarge()
	}
	body := &counted{r: io.LimitReader(resp.Body, retirement.LargestCertificate+1), total: total, progress: progress}
	content, err := io.ReadAll(body)
	if err == nil && len(content) > retirement.LargestCertificate {
		err = errTooLarge()
	}
	return content, err
}

func errTooLarge() *Error {
	return refused(fmt.Sprintf("the certificate is larger than %d MiB", retirement.LargestCertificate>>20))
}

type counted struct {
	r               io.Reader
	received, total int64
	progress        func(received, total int64)
}

func (c *counted) Read(p []byte) (int, error) {
	n, err := c.r.Read(p)
	c.received += int64(n)
	if n > 0 && c.progress != nil {
		c.progress(c.received, c.total)
	}
	return n, err
}

func describe(content []byte) (retirement.Certificate, string, error) {
	endings := map[string]string{"application/pdf": ".pdf", "image/png": ".png", "image/jpeg": ".jpg"}
	media := http.DetectContentType(content)
	ending, ok := endings[media]
	if !ok {
		return retirement.Certificate{}, "", refused("what the address of the certificate leads to is neither PDF, PNG nor JPEG")
	}
	sum := sha256.Sum256(content)
	return retirement.Certificate{
		MediaType: media, Size: int64(len(content)), SHA256: hex.EncodeToString(sum[:]), FetchedAt: time.Now().UTC(),
	}, ending, nil
}
