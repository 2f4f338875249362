//go:build linux

package cli

import (
	"bufio"
	"fmt"
	"net"
	"net/http"
	"net/http/httptest"
	"net/http/httputil"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"golang.org/x/crypto/ssh"
)

// startProgram starts tonne in a process of its own without a terminal, and
// returns the first line of its output that begins with a word.
func startProgram(b *testing.B, home string, env []string, word string, args ...string) (p *program, said map[string]string) {
	b.Helper()
	cmd := exec.Command(os.Args[0], args...)
	cmd.Env = environment(home, env...)
	out, err := cmd.StdoutPipe()
	if err != nil {
		b.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		b.Fatal(err)
	}
	b.Cleanup(func() { _, _ = cmd.Process.Kill(), cmd.Wait() })
	said = make(map[string]string)
	for lines := bufio.NewScanner(out); lines.Scan(); {
		name, rest, _ := strings.Cut(lines.Text(), " ")
		said[name] = rest
		if name == word {
			return &program{cmd: cmd}, said
		}
	}
	b.Fatalf("tonne %q says %v", args, said)
	return nil, nil
}

// waits shows another tab many times, and returns how long half of them and the
// slowest hundredth take, in milliseconds.
func waits(f *far, samples int) (p50, p99 float64) {
	took := make([]time.Duration, samples)
	for n := range took {
		at := f.out.size()
		began := time.Now()
		f.press("2")
		f.await(at, "WALLET")
		took[n] = time.Since(began)
		at = f.out.size()
		f.press("1")
		f.await(at, "TREND")
	}
	slices.Sort(took)
	return took[samples/2].Seconds() * 1000, took[samples*99/100].Seconds() * 1000
}

// BenchmarkTwoHundredAtADesk reports what 200 people cost who look at the demo's
// market, each with a key of their own, beside one.
func BenchmarkTwoHundredAtADesk(b *testing.B) {
	const people, samples = 200, 300
	home := b.TempDir()
	_, market := startProgram(b, home, nil, "listening", "serve", "--listen", "127.0.0.1:0", "--db", filepath.Join(home, "market.db"), "--demo-data", "--live")
	target, err := url.Parse(strings.TrimPrefix(market["listening"], "on "))
	if err != nil {
		b.Fatal(err)
	}
	var requests atomic.Int64
	proxy := httputil.NewSingleHostReverseProxy(target)
	service := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		requests.Add(1)
		proxy.ServeHTTP(w, r)
	}))
	defer service.Close()
	var lines strings.Builder
	guests := make([]person, people)
	for n := range guests {
		guests[n] = newPerson(b, fmt.Sprintf("person-%03d", n))
		lines.WriteString(guests[n].line(""))
	}
	keys := filepath.Join(home, "authorized_keys")
	if err := os.WriteFile(keys, []byte(lines.String()), 0o600); err != nil {
		b.Fatal(err)
	}
	server, desk := startProgram(b, home, []string{"TONNE_BASE_URL=" + service.URL, "TONNE_API_KEY=" + market["key"]}, "listening",
		"share", "--listen", "127.0.0.1:0", "--authorized-keys", keys)
	address := strings.TrimPrefix(desk["listening"], "on ")
	sit := func(n int) *far {
		dialer := net.Dialer{LocalAddr: &net.TCPAddr{IP: net.IPv4(127, 0, 0, byte(2+n%8))}, Timeout: timeout}
		raw, err := dialer.Dial("tcp", address)
		if err != nil {
			b.Fatal(err)
		}
		config := &ssh.ClientConfig{User: "x", Auth: []ssh.AuthMethod{ssh.PublicKeys(guests[n].signer)}, HostKeyCallback: ssh.InsecureIgnoreHostKey()}
		c, channels, asked, err := ssh.NewClientConn(raw, address, config)
		if err != nil {
			b.Fatal(err)
		}
		client := ssh.NewClient(c, channels, asked)
		b.Cleanup(func() { _ = client.Close() })
		f := (&shared{t: b}).open(client, true)
		f.await(0, "at the desk")
		if err := f.shell.WindowChange(36, 120); err != nil {
			b.Fatal(err)
		}
		f.await(0, "TREND")
		return f
	}
	const spell = 10 * time.Second
	// idle are the requests to the service and the ticks of the processor while
	// nobody presses a key.
	idle := func() (asked, ticks float64) {
		before, used := requests.Load(), server.used(b)
		time.Sleep(spell)
		return float64(requests.Load() - before), server.used(b) - used
	}
	for b.Loop() {
		first := sit(0)
		waits(first, 5)
		report := func(who string) {
			asked, ticks := idle()
			p50, p99 := waits(first, samples)
			b.ReportMetric(asked, "requests-"+who)
			b.ReportMetric(ticks, "ticks-"+who)
			b.ReportMetric(p50, "ms-p50-"+who)
			b.ReportMetric(p99, "ms-p99-"+who)
		}
		report("alone")
		before := server.resident(b)
		for n := 1; n < people; n++ {
			sit(n)
		}
		report("200")
		b.ReportMetric((server.resident(b)-before)/(people-1), "MiB/session")
		b.ReportMetric(before, "MiB-alone")
	}
}
