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
	"strconv"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"golang.org/x/crypto/ssh"
)

// startProgram starts tonne in a process of its own without a terminal, and
// returns the first line of its output that begins with a word.
func startProgram(b *testing.B, home string, env []string, word string, args ...string) (pid int, said map[string]string) {
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
			return cmd.Process.Pid, said
		}
	}
	b.Fatalf("tonne %q says %v", args, said)
	return 0, nil
}

// resident returns the memory of a process, in KiB.
func resident(b *testing.B, pid int) int {
	b.Helper()
	text, err := os.ReadFile(fmt.Sprintf("/proc/%d/status", pid))
	if err != nil {
		b.Fatal(err)
	}
	for line := range strings.Lines(string(text)) {
		if fields := strings.Fields(line); fields[0] == "VmRSS:" {
			n, err := strconv.Atoi(fields[1])
			if err != nil {
				b.Fatal(err)
			}
			return n
		}
	}
	b.Fatal("the memory is not told")
	return 0
}

// percentile99 shows another tab many times, and returns how long the slowest
// hundredth takes.
func percentile99(f *far, samples int) time.Duration {
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
	return took[samples*99/100]
}

// BenchmarkTwoHundredAtADesk reports what 200 people cost who look at the demo's
// market, each with a key of their own, beside one.
func BenchmarkTwoHundredAtADesk(b *testing.B) {
	const people, samples = 200, 100
	home := b.TempDir()
	_, market := startProgram(b, home, nil, "listening", "serve", "--addr", "127.0.0.1:0", "--db", filepath.Join(home, "market.db"), "--demo-data", "--live")
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
	pid, desk := startProgram(b, home, []string{"TONNE_BASE_URL=" + service.URL, "TONNE_API_KEY=" + market["key"]}, "listening",
		"share", "--listen", "127.0.0.1:0", "--authorized-keys", keys)
	address := strings.TrimPrefix(desk["listening"], "on ")
	sit := func(n int) *far {
		dialer := net.Dialer{LocalAddr: &net.TCPAddr{IP: net.IPv4(127, 0, 0, byte(2+n%8))}, Timeout: longest}
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
	polls := func() int64 {
		before := requests.Load()
		time.Sleep(spell)
		return requests.Load() - before
	}
	for b.Loop() {
		first := sit(0)
		percentile99(first, 5)
		alonePolls := polls()
		alone := percentile99(first, samples)
		before := resident(b, pid)
		for n := 1; n < people; n++ {
			sit(n)
		}
		together := polls()
		crowd := percentile99(first, samples)
		b.ReportMetric(float64(resident(b, pid)-before)/(people-1)/1024, "MiB/session")
		b.ReportMetric(float64(before)/1024, "MiB-alone")
		b.ReportMetric(float64(alone.Microseconds())/1000, "ms-p99-alone")
		b.ReportMetric(float64(crowd.Microseconds())/1000, "ms-p99-200")
		b.ReportMetric(float64(alonePolls), "requests-alone")
		b.ReportMetric(float64(together), "requests-200")
	}
}
