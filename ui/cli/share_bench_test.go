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

// startProgram starts tonne in a process without a terminal, and waits for a line of output
// that begins with word. It returns the output by the first word of each line.
func startProgram(b *testing.B, home string, env []string, word string, args ...string) (p *program, lines map[string]string) {
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
	lines = make(map[string]string)
	for s := bufio.NewScanner(out); s.Scan(); {
		name, rest, _ := strings.Cut(s.Text(), " ")
		lines[name] = rest
		if name == word {
			return &program{cmd: cmd}, lines
		}
	}
	b.Fatalf("tonne %q prints %v", args, lines)
	return nil, nil
}

// tabLatency switches tabs many times and returns the median and the 99th percentile of the
// latency, in milliseconds.
func tabLatency(f *remoteDashboard, samples int) (p50, p99 float64) {
	took := make([]time.Duration, samples)
	for n := range took {
		at := f.out.Size()
		began := time.Now()
		f.press("2")
		f.await(at, "WALLET")
		took[n] = time.Since(began)
		at = f.out.Size()
		f.press("1")
		f.await(at, "TREND")
	}
	slices.Sort(took)
	return took[samples/2].Seconds() * 1000, took[samples*99/100].Seconds() * 1000
}

// BenchmarkShare200Sessions compares the cost of 200 people who view the demo's market, each
// with a different key, with the cost of one.
func BenchmarkShare200Sessions(b *testing.B) {
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
	server, share := startProgram(b, home, []string{"TONNE_BASE_URL=" + service.URL, "TONNE_API_KEY=" + market["key"]}, "listening",
		"share", "--listen", "127.0.0.1:0", "--authorized-keys", keys)
	address := strings.TrimPrefix(share["listening"], "on ")
	open := func(n int) *remoteDashboard {
		dialer := net.Dialer{LocalAddr: &net.TCPAddr{IP: net.IPv4(127, 0, 0, byte(2+n%8))}, Timeout: timeout}
		raw, err := dialer.Dial("tcp", address)
		if err != nil {
			b.Fatal(err)
		}
		config := &ssh.ClientConfig{User: "x", Auth: []ssh.AuthMethod{ssh.PublicKeys(guests[n].signer)}, HostKeyCallback: ssh.InsecureIgnoreHostKey()}
		c, channels, requests, err := ssh.NewClientConn(raw, address, config)
		if err != nil {
			b.Fatal(err)
		}
		client := ssh.NewClient(c, channels, requests)
		b.Cleanup(func() { _ = client.Close() })
		f := (&shared{t: b}).openDashboard(client, true)
		f.await(0, "at the desk")
		if err := f.shell.WindowChange(36, 120); err != nil {
			b.Fatal(err)
		}
		f.await(0, "TREND")
		return f
	}
	const idleTime = 10 * time.Second
	// idle measures the requests to the service and the processor ticks without
	// keypresses.
	idle := func() (calls, ticks float64) {
		before, used := requests.Load(), server.used(b)
		time.Sleep(idleTime)
		return float64(requests.Load() - before), server.used(b) - used
	}
	for b.Loop() {
		first := open(0)
		tabLatency(first, 5)
		report := func(who string) {
			calls, ticks := idle()
			p50, p99 := tabLatency(first, samples)
			b.ReportMetric(calls, "requests-"+who)
			b.ReportMetric(ticks, "ticks-"+who)
			b.ReportMetric(p50, "ms-p50-"+who)
			b.ReportMetric(p99, "ms-p99-"+who)
		}
		report("alone")
		before := server.resident(b)
		for n := 1; n < people; n++ {
			open(n)
		}
		report("200")
		each := (server.resident(b) - before) / (people - 1)
		b.ReportMetric(each, "MiB/session")
		if each > 3 {
			b.Error("a session needs more than 3 MiB")
		}
		b.ReportMetric(before, "MiB-alone")
	}
}
