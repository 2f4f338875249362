//go:build unix

package cli

import (
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

	must "tonne/model/musttest"
)

// TestSoak runs the released program on a terminal, with a market of 45,000 orders that it
// polls every second.
//
//	go test ./ui/cli -run Soak -soak 10m -timeout 20m
var soakTime = flag.Duration("soak", 0, "duration of TestSoakDashboardMemoryIsStable; 0 skips it")

// startLarge starts the service with a large market in another process and returns its
// address.
func startLarge(t testing.TB, projects, book int) string {
	t.Helper()
	cmd := exec.Command(os.Args[0], strconv.Itoa(projects), strconv.Itoa(book))
	cmd.Env = append(os.Environ(), programVariable+"="+largeProgram)
	return startServing(t, cmd)["listening"]
}

// usage is the memory, open files and threads of a process.
type usage struct {
	resident       float64 // MiB
	files, threads int
}

func (u usage) max(other usage) usage {
	return usage{max(u.resident, other.resident), max(u.files, other.files), max(u.threads, other.threads)}
}

func (p *program) usage() usage {
	p.t.Helper()
	count := func(what string) int {
		return len(must.Get(os.ReadDir(fmt.Sprintf("/proc/%d/%s", p.cmd.Process.Pid, what))))
	}
	return usage{p.resident(p.t), count("fd"), count("task")}
}

// startSoak starts the dashboard on the large market and shows the changes.
func startSoak(t *testing.T, tonne, address, temp string) *program {
	t.Helper()
	env := append(releaseEnv(t.TempDir()), "TMPDIR="+temp, "TONNE_BASE_URL="+address, "TONNE_API_KEY="+testKey)
	p := startAt(t, 120, 36, env, tonne).read()
	p.await("450 vintages")
	p.press("v")
	p.await("All vintages")
	return p
}

// goroutines ends the program and returns its number of goroutines.
func (p *program) goroutines(t *testing.T, temp string) int {
	t.Helper()
	p.signal(syscall.SIGQUIT)
	p.end(131)
	path, text := onlyFile(t, temp, "tonne-stacks-*.txt")
	must.Fail(t, os.Remove(path), nil)
	total, _, _ := strings.Cut(strings.TrimPrefix(text, "goroutine profile: total "), "\n")
	n, err := strconv.Atoi(total)
	must.Hold(t, err == nil, err)
	return n
}

// refresh presses the refresh key and other keys for a time, and returns the maximum usage.
func (p *program) refresh(d time.Duration) (peak usage) {
	p.t.Helper()
	keys := []string{"j", "k", "2", "1", "c", "v"}
	for i, end := 0, time.Now().Add(d); time.Now().Before(end); i++ {
		p.press("r")
		p.press(keys[i%len(keys)])
		time.Sleep(1050 * time.Millisecond)
		peak = peak.max(p.usage())
	}
	return peak
}

// A leak of the ids of each poll would be hundreds of megabytes.
const soakMiB, soakFiles, soakThreads, soakGoroutines = 32, 2, 4, 6

func TestSoakDashboardMemoryIsStable(t *testing.T) {
	if *soakTime == 0 || runtime.GOOS != "linux" {
		t.Skip("needs -soak 10m, and Linux")
	}
	tonne, address, temp := programOf(t, "tonne"), startLarge(t, largeProjects, largeBook), t.TempDir()
	fresh := startSoak(t, tonne, address, temp)
	fresh.refresh(5 * time.Second)
	before := fresh.goroutines(t, temp)
	p := startSoak(t, tonne, address, temp)
	var quarters [4]usage
	for i := range quarters {
		quarters[i] = p.refresh(*soakTime / 4)
		t.Logf("quarter %d: %+v", i+1, quarters[i])
	}
	after := p.goroutines(t, temp)
	t.Logf("goroutines: %d at the start, %d at the end", before, after)
	early, late := quarters[1], quarters[3]
	must.Hold(t,
		late.resident <= early.resident+soakMiB && late.files <= early.files+soakFiles &&
			late.threads <= early.threads+soakThreads,
		"usage grows from", early, "to", late)
	must.Hold(t, after <= before+soakGoroutines, "goroutines grow from", before, "to", after)
}
