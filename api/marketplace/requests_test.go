package marketplace

import (
	"bufio"
	_ "embed"
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"strconv"
	"strings"
	"testing"

	"tonne/api/wire"
	must "tonne/model/musttest"
)

// requestsFile lists requests as METHOD TARGET [BODY] => STATUS [CODE [TEXT]]. A line with #
// begins a section, one with > sets a header for its section. TEXT is a part of the answer.
//
//go:embed testdata/requests.txt
var requestsFile string

// listedRequest is a line of requestsFile.
type listedRequest struct {
	line, method, target, body string
	status                     int
	code, text                 string
}

func parseRequest(t *testing.T, line string) (r listedRequest) {
	t.Helper()
	sent, want, _ := strings.Cut(line, " => ")
	fields := append(strings.SplitN(sent, " ", 3), "")
	r.line, r.method, r.target, r.body = line, fields[0], fields[1], fields[2]
	fields = append(strings.SplitN(want, " ", 3), "", "")
	status, err := strconv.Atoi(fields[0])
	must.Need(t, err == nil, line, err)
	r.status, r.code, r.text = status, strings.ReplaceAll(fields[1], "-", " "), fields[2]
	return r
}

func TestRequests(t *testing.T) {
	t.Parallel()
	d, doc := newFixture(t), newOpenAPI(t)
	for section := range strings.SplitSeq(strings.TrimPrefix(requestsFile, "# "), "\n# ") {
		name, lines, _ := strings.Cut(section, "\n")
		t.Run(name, func(t *testing.T) {
			header := make(http.Header)
			for line := range strings.SplitSeq(strings.TrimSpace(lines), "\n") {
				if field, ok := strings.CutPrefix(line, "> "); ok {
					name, value, _ := strings.Cut(field, ": ")
					header.Set(name, value)
					continue
				}
				listed := parseRequest(t, line)
				r := httptest.NewRequest(listed.method, "http://market.example"+listed.target, strings.NewReader(listed.body))
				r.Header = header.Clone()
				r.Header.Set("Authorization", "Bearer "+d.Key)
				w := d.answer(r)
				listed.check(t, w)
				if listed.status != http.StatusNotFound && listed.status != http.StatusMethodNotAllowed {
					r.URL.Scheme, r.URL.Host = "", ""
					doc.Check(t, r, listed.body, w)
				}
			}
		})
	}
}

func (r listedRequest) check(t *testing.T, w *httptest.ResponseRecorder) {
	t.Helper()
	f := wire.DecodeFailure(w.Body.Bytes())
	must.Hold(t, w.Code == r.status &&
		(w.Code < 400 || f.Code == r.code && f.StatusCode == w.Code && f.Message != "") &&
		strings.Contains(w.Body.String(), r.text) && w.Header().Get("Content-Type") == "application/json", r.line, w.Code,
		w.Body)
	allow := w.Header().Get("Allow")
	must.Hold(t, r.status != http.StatusMethodNotAllowed || strings.HasSuffix(f.Message, " takes "+allow), r.line,
		allow)
}

// Paths are answered in JSON, whatever they are.
func FuzzPathsAreAnsweredInJSON(f *testing.F) {
	for _, path := range []string{"/", "//", "/api//market", "/a/../b", "/%2f", "/api/market/", "*", "/;"} {
		f.Add(path)
	}
	m := must.Get(Open(f.Context(), "", Options{}))
	f.Cleanup(func() { _ = m.Close() })
	f.Fuzz(func(t *testing.T, path string) {
		r, err := http.ReadRequest(bufio.NewReader(strings.NewReader("GET " + path + " HTTP/1.1\r\nHost: x\r\n\r\n")))
		if err != nil || r.URL.Path == "/metrics" {
			return
		}
		w := m.answer(r)
		got := w.Header().Get("Content-Type")
		must.Hold(t, got == "application/json" && json.Valid(w.Body.Bytes()), path, w.Code, got)
	})
}
