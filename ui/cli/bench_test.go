//go:build unix

package cli

import (
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	must "tonne/model/musttest"
)

// These benchmarks measure the released program on a pseudo-terminal, in turns with a
// minimal program of the same library, the peer.
//
//	go test ./ui/cli -run '^$' -bench . -benchtime 30x

// programOf builds a program of this module like a release, without cgo, and returns its
// path.
func programOf(b testing.TB, pkg string) string {
	b.Helper()
	path := filepath.Join(b.TempDir(), filepath.Base(pkg))
	build := exec.Command("go", "build", "-o", path, pkg)
	build.Env = append(os.Environ(), "CGO_ENABLED=0")
	out, err := build.CombinedOutput()
	must.Need(b, err == nil, err, out)
	return path
}

// pair has the paths of the program and its peer.
type pair struct{ tonne, peer string }

func newPair(b *testing.B) pair {
	return pair{programOf(b, "tonne"), programOf(b, "./testdata/peer")}
}

func (p pair) demo(b *testing.B) *program {
	env := releaseEnv(b.TempDir())
	return startAt(b, 120, 36, env, p.tonne, "demo", "--seed", "1").read()
}

func (p pair) counter(b *testing.B) *program {
	return startAt(b, 120, 36, releaseEnv(b.TempDir()), p.peer).read()
}

// releaseEnv returns the environment of the released program.
func releaseEnv(home string) []string {
	return slices.DeleteFunc(environment(home), func(v string) bool { return strings.HasPrefix(v, programVariable) })
}

// since returns the time from begin until the program has written a text.
func (p *program) since(begin time.Time, text string) float64 {
	p.await(text)
	return float64(time.Since(begin))
}

// quit ends a program with q.
func (p *program) quit() {
	p.press("q")
	p.end(0)
	_ = p.master.Close()
	_ = p.slave.Close()
}

func median(values []float64) float64 { return percentile(values, 50) }

// percentile returns the value that so many per cent do not exceed.
func percentile(values []float64, part int) float64 {
	slices.Sort(values)
	return values[min(len(values)*part/100, len(values)-1)]
}

// BenchmarkStart measures the time to the first frame, for the demo, a service and the
// peer, and to the first prices of the demo. An empty program of Go and the page faults of each
// tell how much of it is the machine's.
func BenchmarkStart(b *testing.B) {
	p, emptyProgram := newPair(b), programOf(b, "./testdata/empty")
	address := startLarge(b, largeProjects, largeBook)
	var tonne, served, peer, data, empty []float64
	for b.Loop() {
		start := time.Now()
		e := startAt(b, 120, 36, releaseEnv(b.TempDir()), emptyProgram).read()
		empty = append(empty, e.since(start, "keys: 0"))
		e.end(0)
		b.ReportMetric(e.faults(), "faults/empty")
		begin := time.Now()
		c := p.counter(b)
		peer = append(peer, c.since(begin, "keys: 0"))
		c.quit()
		b.ReportMetric(c.faults(), "faults/peer")
		begin = time.Now()
		d := p.demo(b)
		tonne = append(tonne, d.since(begin, "Retirements"))
		data = append(data, d.since(begin, "vintages"))
		d.quit()
		begin = time.Now()
		s := startAt(b, 120, 36, append(releaseEnv(b.TempDir()), "TONNE_BASE_URL="+address, "TONNE_API_KEY="+testKey),
			p.tonne).read()
		served = append(served, s.since(begin, "Retirements"))
		s.quit()
		b.ReportMetric(s.faults(), "faults/service")
	}
	b.ReportMetric(median(served)/median(empty), "×empty/service")
	b.ReportMetric(median(empty)/1e6, "ms/empty")
	b.ReportMetric(median(served)/median(peer), "×peer/service")
	b.ReportMetric(median(tonne)/median(peer), "×peer")
	b.ReportMetric(median(peer)/1e6, "ms/peer")
	b.ReportMetric(median(tonne)/1e6, "ms/frame")
	b.ReportMetric(median(data)/1e6, "ms/data")
	b.ReportMetric(0, "ns/op")
}

// faults returns the page faults of a program that has ended.
func (p *program) faults() float64 {
	return float64(p.cmd.ProcessState.SysUsage().(*syscall.Rusage).Minflt)
}

// pausedDemo starts the demo and pauses polling.
func (p pair) pausedDemo(b *testing.B) *program {
	d := p.demo(b)
	d.await("vintages")
	time.Sleep(time.Second)
	d.press(" ")
	d.await("paused")
	time.Sleep(4 * time.Second)
	return d
}

// keyLatency presses a key and returns the time until the first byte.
func (p *program) keyLatency(keys string) float64 {
	before, begin := p.length(), time.Now()
	p.press(keys)
	for p.length() == before && time.Since(begin) < timeout {
		time.Sleep(10 * time.Microsecond)
	}
	return float64(time.Since(begin))
}

func (p *program) length() int { return len(p.written()) }

// compareKeys presses keys in turns with the peer, with a pause before each. It reports the
// median and the 99th percentile of the time to the first byte.
func (p pair) compareKeys(b *testing.B, d *program, pause time.Duration) {
	c := p.counter(b)
	c.await("keys: 0")
	var tonne, peer []float64
	for i := 0; b.Loop(); i++ {
		// The library draws every 8.3 ms, so the keypresses are spread over a frame.
		time.Sleep(pause + rand.N(time.Second/60))
		tonne = append(tonne, d.keyLatency(cursorKey(i)))
		time.Sleep(pause + rand.N(time.Second/60))
		peer = append(peer, c.keyLatency("j"))
	}
	b.ReportMetric(median(tonne)/median(peer), "×peer")
	b.ReportMetric(median(tonne)/1e6, "ms/key")
	b.ReportMetric(percentile(tonne, 99)/percentile(peer, 99), "×peer/p99")
	b.ReportMetric(percentile(tonne, 99)/1e6, "ms/p99")
	b.ReportMetric(slices.Max(tonne)/1e6, "ms/max")
	b.ReportMetric(slices.Max(peer)/1e6, "ms/max-peer")
	b.ReportMetric(0, "ns/op")
	d.quit()
	c.quit()
}

// BenchmarkKeyToBytes measures the time from a keypress to the first byte, without polls.
func BenchmarkKeyToBytes(b *testing.B) {
	p := newPair(b)
	p.compareKeys(b, p.pausedDemo(b), 40*time.Millisecond)
}

// BenchmarkFirstKey measures the keypress after two idle seconds.
func BenchmarkFirstKey(b *testing.B) {
	p := newPair(b)
	p.compareKeys(b, p.pausedDemo(b), 2*time.Second)
}

// BenchmarkKeyDuringPolls measures keypresses while a market of 100,000 orders is polled every
// five seconds. The service is another process. It has no tags, and reprices an order per poll.
// The slowest keypresses need -benchtime 600x.
func BenchmarkKeyDuringPolls(b *testing.B) {
	p := newPair(b)
	for _, projects := range []int{1000, 10_000} {
		b.Run(fmt.Sprint("projects=", projects), func(b *testing.B) {
			address := startLarge(b, projects, 100_000/projects)
			env := append(releaseEnv(b.TempDir()), "TONNE_BASE_URL="+address, "TONNE_API_KEY="+testKey)
			d := startAt(b, 120, 36, env, p.tonne).read()
			d.await(fmt.Sprintf("%d,000 vintages", projects/1000))
			p.compareKeys(b, d, 40*time.Millisecond)
		})
	}
}

// BenchmarkCursorMove counts the bytes of a cursor move: of one keypress with the order book
// that follows, and of a key that is held down.
func BenchmarkCursorMove(b *testing.B) {
	p := newPair(b)
	for name, pause := range map[string]time.Duration{"alone": 400 * time.Millisecond, "held": 33 * time.Millisecond} {
		b.Run(name, func(b *testing.B) {
			d := p.pausedDemo(b)
			before := d.length()
			for i := 0; b.Loop(); i++ {
				d.press(cursorKey(i))
				time.Sleep(pause)
			}
			time.Sleep(time.Second)
			b.ReportMetric(float64(d.length()-before)/float64(b.N), "B/move")
			b.ReportMetric(0, "ns/op")
			d.quit()
		})
	}
}

// BenchmarkIdle measures ten seconds without keypresses and without polls.
func BenchmarkIdle(b *testing.B) {
	p := newPair(b)
	d, c := p.pausedDemo(b), p.counter(b)
	c.await("keys: 0")
	time.Sleep(time.Second)
	written, tonne, peer := d.length(), d.ticks(b), c.ticks(b)
	for b.Loop() {
		time.Sleep(10 * time.Second)
	}
	b.ReportMetric(float64(d.length()-written), "B")
	b.ReportMetric(d.ticks(b)-tonne, "ticks")
	b.ReportMetric(c.ticks(b)-peer, "ticks/peer")
	b.ReportMetric(0, "ns/op")
	d.quit()
	c.quit()
}

// cursorKey returns the i-th key of a sequence that moves the cursor down and up again.
func cursorKey(i int) string {
	if i%40 < 20 {
		return "j"
	}
	return "k"
}

// proc returns what the kernel says about a program.
func (p *program) proc(b testing.TB, file string) string {
	text, err := os.ReadFile(fmt.Sprintf("/proc/%d/%s", p.cmd.Process.Pid, file))
	if err != nil {
		b.Skip(err)
	}
	return string(text)
}

// resident returns the resident memory of a program, in MiB.
func (p *program) resident(b testing.TB) float64 {
	_, after, _ := strings.Cut(p.proc(b, "status"), "VmRSS:")
	return must.Get(strconv.ParseFloat(strings.Fields(after)[0], 64)) / 1024
}

// ticks returns the processor time of a program, in ticks of the kernel.
func (p *program) ticks(b testing.TB) float64 {
	stat := p.proc(b, "stat")
	fields := strings.Fields(stat[strings.LastIndexByte(stat, ')')+1:])
	return must.Get(strconv.ParseFloat(fields[11], 64)) + must.Get(strconv.ParseFloat(fields[12], 64))
}
