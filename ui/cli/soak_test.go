//go:build unix

package cli

import (
	"bufio"
	"flag"
	"fmt"
	"os"
	"os/exec"
	"runtime"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"
)

// A day at the desk, shortened: the program that is shipped, on a terminal,
// polls a market of 45,000 orders every second.
//
//	go test ./ui/cli -run Soak -soak 10m -timeout 20m
var soakTime = flag.Duration("soak", 0, "how long the dashboard is watched by TestSoak; 0 for not at all")

// startLarge starts the service with a large market in a process of its own
// and returns its address.
func startLarge(t testing.TB, which string) string {
	t.Helper()
	cmd := exec.Command(os.Args[0])
	cmd.Env = append(os.Environ(), programVariable+"="+which)
	out, err := cmd.StdoutPipe()
	if err == nil {
		err = cmd.Start()
	}
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		_ = cmd.Process.Kill()
		_ = cmd.Wait()
	})
	lines := bufio.NewScanner(out)
	if !lines.Scan() {
		t.Fatal("the service does not start")
	}
	return lines.Text()
}

// usage of a process, as the kernel has it.
type inUse struct {
	resident       float64 // MiB
	files, threads int
}

func (u inUse) most(other inUse) inUse {
	return inUse{max(u.resident, other.resident), max(u.files, other.files), max(u.threads, other.threads)}
}

func (p *program) inUse() inUse {
	p.t.Helper()
	count := func(what string) int {
		entries, err := os.ReadDir(fmt.Sprintf("/proc/%d/%s", p.cmd.Process.Pid, what))
		if err != nil {
			p.t.Fatal(err)
		}
		return len(entries)
	}
	return inUse{p.resident(p.t), count("fd"), count("task")}
}

// startSoaked starts the program on the large market, with the changes shown.
func startSoaked(t *testing.T, tonne, address, temp string) *program {
	t.Helper()
	env := append(releaseEnv(t.TempDir()), "TMPDIR="+temp, "TONNE_BASE_URL="+address, "TONNE_API_KEY="+testKey)
	p := startAt(t, 120, 36, env, tonne).read()
	p.await("450 vintages")
	p.press("v")
	p.await("All vintages")
	return p
}

// goroutines ends the program and returns how many goroutines it had.
func (p *program) goroutines(t *testing.T, temp string) int {
	t.Helper()
	p.signal(syscall.SIGQUIT)
	if status := p.end(); status != 131 {
		t.Errorf("status %d", status)
	}
	path, text := onlyFile(t, temp, "tonne-stacks-*.txt")
	if err := os.Remove(path); err != nil {
		t.Error(err)
	}
	total, _, _ := strings.Cut(strings.TrimPrefix(text, "goroutine profile: total "), "\n")
	n, err := strconv.Atoi(total)
	if err != nil {
		t.Error(err)
	}
	return n
}

// follow refreshes and walks for a time and returns the most that was in use.
func (p *program) follow(d time.Duration) (most inUse) {
	p.t.Helper()
	walks := []string{"j", "k", "2", "1", "c", "v"}
	for i, end := 0, time.Now().Add(d); time.Now().Before(end); i++ {
		p.press("r")
		p.press(walks[i%len(walks)])
		time.Sleep(1050 * time.Millisecond)
		most = most.most(p.inUse())
		p.forget()
	}
	return most
}

// forget drops what the program has written so far.
func (p *program) forget() {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.screen.Reset()
}

// A leak of one snapshot's ids a poll would be hundreds of megabytes.
const soakMiB, soakFiles, soakThreads, soakGoroutines = 32, 2, 4, 6

func TestSoakADashboardOnALargeMarketHoldsItsMemory(t *testing.T) {
	if *soakTime == 0 || runtime.GOOS != "linux" {
		t.Skip("it takes minutes, and Linux: -soak 10m")
	}
	tonne, address, temp := programOf(t, "tonne"), startLarge(t, largeProgram), t.TempDir()
	fresh := startSoaked(t, tonne, address, temp)
	fresh.follow(5 * time.Second)
	before := fresh.goroutines(t, temp)
	p := startSoaked(t, tonne, address, temp)
	var quarters [4]inUse
	for i := range quarters {
		quarters[i] = p.follow(*soakTime / 4)
		t.Logf("quarter %d: %+v", i+1, quarters[i])
	}
	after := p.goroutines(t, temp)
	t.Logf("goroutines: %d of a fresh program, %d at the end", before, after)
	early, late := quarters[1], quarters[3]
	if late.resident > early.resident+soakMiB || late.files > early.files+soakFiles || late.threads > early.threads+soakThreads {
		t.Errorf("it grows from %+v to %+v", early, late)
	}
	if after > before+soakGoroutines {
		t.Errorf("%d goroutines are %d at the end", before, after)
	}
}
