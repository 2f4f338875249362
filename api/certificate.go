package api

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"net"
	"net/http"
	"net/netip"
	"net/url"
	"os"
	"path/filepath"
	"syscall"
	"time"

	"tonne/model"
	"tonne/model/file/atomicfile"
	"tonne/model/file/localfile"
	"tonne/model/retirement"
)

// certificateTime limits each try of a download.
const certificateTime = 2 * time.Minute

// Certificate downloads the certificate of the retirement request with the given id
// into the directory dir, which is created if necessary. If dir is empty, nothing is
// saved, and the result has no path.
//
// The URL comes from the service and may name any host. The key is not sent. The URL
// and each redirect must pass CheckURL and lead to a public address, or to this machine
// if the marketplace is on it. The content must be a PDF, PNG or JPEG of at most 20 MiB,
// regardless of its declared type. An existing file is never replaced; saving the same
// content again succeeds. If progress is not nil, it receives the bytes so far; total is
// 0 if unknown. The error is an *Error or an error of the file system.
//
// Downloads are repeated and keep the rate of their host like other requests.
func (c *Client) Certificate(ctx context.Context, rawURL, dir, id string,
	progress func(received, total int64)) (retirement.Certificate, error) {
	name, err := certificateName(id)
	if err != nil {
		return retirement.Certificate{}, err
	}
	u, err := CheckURL(rawURL)
	if err != nil {
		return retirement.Certificate{}, err
	}
	var content []byte
	failed := c.repeat(ctx, c.outsideTurn(ctx, u), func() (failed *Error) {
		content, failed = c.download(ctx, u, progress)
		return failed
	})
	if failed != nil {
		return retirement.Certificate{}, failed
	}
	certificate, ending, err := describe(content)
	if err != nil || dir == "" {
		return certificate, err
	}
	certificate.Path = filepath.Join(dir, name+ending)
	return certificate, saveCertificate(dir, name+ending, content)
}

func (c *Client) outsideTurn(ctx context.Context, u *url.URL) turn {
	p, _ := c.outside.LoadOrStore(u.Host, newPacer())
	return turn{pacer: p.(*pacer), caller: callerOf(ctx, u.Host), bulk: c.isBulk(ctx)}
}

func (c *Client) download(ctx context.Context, u *url.URL, progress func(received, total int64)) ([]byte, *Error) {
	ctx, cancel := context.WithTimeout(ctx, certificateTime)
	defer cancel()
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, u.String(), nil)
	if err != nil {
		return nil, refused("the address of the certificate is not a web address")
	}
	req.Header.Set("User-Agent", c.options.UserAgent)
	client := c.outsideClient()
	defer client.CloseIdleConnections()
	resp, err := client.Do(req)
	if err != nil {
		return nil, transportError(ctx, err)
	}
	defer resp.Body.Close()
	if resp.StatusCode != http.StatusOK {
		return nil, hostError(resp)
	}
	content, err := readCertificate(resp, progress)
	if err != nil {
		return nil, transportError(ctx, err)
	}
	return content, nil
}

// hostError is the error of a status of the certificate's host.
func hostError(resp *http.Response) *Error {
	e := &Error{Kind: NotTheAPI, Status: resp.StatusCode,
		Message: fmt.Sprintf("the certificate's host answered %d", resp.StatusCode)}
	switch {
	case e.Status == http.StatusTooManyRequests:
		e.Kind = RateLimited
	case e.Status >= 500:
		e.Kind = ServerError
	default:
		return e
	}
	e.RetryAfter, e.asked = retryAfter(resp.Header, time.Now())
	return e
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
	media := retirement.CertificateMedia(content)
	ending, ok := endings[media]
	if !ok {
		return retirement.Certificate{}, "",
			refused("what the address of the certificate leads to is neither PDF, PNG nor JPEG")
	}
	sum := sha256.Sum256(content)
	return retirement.Certificate{
		MediaType: media, Size: int64(len(content)), SHA256: hex.EncodeToString(sum[:]), FetchedAt: time.Now().UTC(),
	}, ending, nil
}

const maxRedirects = 5

// outsideClient returns a client for untrusted addresses. It has no key, no cookies and
// no proxy, and checks each address when it connects.
func (c *Client) outsideClient() *http.Client {
	transport := c.options.Outside
	if transport == nil {
		dialer := &net.Dialer{Timeout: c.options.Timeout, Control: c.checkAddress}
		transport = &http.Transport{
			DialContext:            dialer.DialContext,
			TLSHandshakeTimeout:    10 * time.Second,
			ResponseHeaderTimeout:  c.options.Timeout,
			MaxResponseHeaderBytes: maxHeader,
			DisableCompression:     true,
			ForceAttemptHTTP2:      true,
		}
	}
	return &http.Client{
		Transport: transport,
		CheckRedirect: func(req *http.Request, via []*http.Request) error {
			req.Header.Del("Referer")
			if len(via) > maxRedirects {
				return refused("the address of the certificate redirects too often")
			}
			_, err := CheckURL(req.URL.String())
			return err
		},
	}
}

// checkAddress refuses addresses that are not public, so that a service cannot make
// this program connect to its local network. A marketplace on this machine may have its
// certificates on this machine.
func (c *Client) checkAddress(_, address string, _ syscall.RawConn) error {
	at, err := netip.ParseAddrPort(address)
	if err != nil {
		return refused("the address of the certificate cannot be checked")
	}
	// No netip.Prefix contains an address with a zone.
	ip := at.Addr().Unmap().WithZone("")
	if ip.IsLoopback() && isLoopback(c.base.Hostname()) || isPublic(ip) {
		return nil
	}
	return refused("the certificate lies in a private network")
}

func isPublic(ip netip.Addr) bool {
	if !ip.IsGlobalUnicast() || ip.IsPrivate() {
		return false
	}
	for _, reserved := range [...]netip.Prefix{
		netip.MustParsePrefix("0.0.0.0/8"),
		netip.MustParsePrefix("100.64.0.0/10"),  // shared by carriers
		netip.MustParsePrefix("192.0.0.0/24"),   // protocol assignments
		netip.MustParsePrefix("198.18.0.0/15"),  // benchmarks
		netip.MustParsePrefix("240.0.0.0/4"),    // reserved
		netip.MustParsePrefix("::/96"),          // IPv4-compatible, deprecated
		netip.MustParsePrefix("64:ff9b::/96"),   // NAT64
		netip.MustParsePrefix("64:ff9b:1::/48"), // local NAT64
		netip.MustParsePrefix("2002::/16"),      // 6to4
		netip.MustParsePrefix("2001::/32"),      // Teredo
		netip.MustParsePrefix("fec0::/10"),      // site-local, deprecated
	} {
		if reserved.Contains(ip) {
			return false
		}
	}
	return true
}

// maxCertificateName limits a file name in bytes, without its extension.
const maxCertificateName = 200

func certificateName(id string) (string, error) {
	name := model.FileName(id)
	if name == "" || len(name) > maxCertificateName {
		return "", refused("the id is too long or empty, no file can be named after it")
	}
	return name, nil
}

// saveCertificate writes content to a temporary file in dir and renames it. It keeps an
// existing file, and returns an error if that has another content.
func saveCertificate(dir, name string, content []byte) error {
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return err
	}
	root, err := os.OpenRoot(dir)
	if err != nil {
		return err
	}
	defer root.Close()
	_, err = root.Lstat(name)
	if errors.Is(err, fs.ErrNotExist) {
		err = atomicfile.Create(root, name, content)
	} else if err == nil {
		err = fs.ErrExist
	}
	if errors.Is(err, fs.ErrExist) {
		return sameContent(root, name, content)
	}
	return err
}

func sameContent(root *os.Root, name string, content []byte) error {
	if named, err := root.Lstat(name); err == nil && named.Mode().IsRegular() {
		there, err := localfile.Read(filepath.Join(root.Name(), name), int64(len(content)))
		if err == nil && bytes.Equal(there, content) {
			return nil
		}
	}
	different := refused("a file " + name + " is there already and holds something else")
	different.Err = fs.ErrExist
	return different
}
