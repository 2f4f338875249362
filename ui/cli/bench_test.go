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
	"testing"
	"time"
)

// What a person at a terminal feels, measured from outside: the program that
// is shipped and, in turns with it, the smallest program of the same library.
//
//	go test ./ui/cli -run '^$' -bench . -benchtime 30x

// programOf builds a program of this module as releases are built, without C, and
// returns its path.
func programOf(b testing.TB, pkg string) string {
	b.Helper()
	path := filepath.Join(b.TempDir(), filepath.Base(pkg))
	build := exec.Command("go", "build", "-o", path, pkg)
	build.Env = append(os.Environ(), "CGO_ENABLED=0")
	if out, err := build.CombinedOutput(); err != nil {
		b.Fatalf("%v: %s", err, out)
	}
	return path
}

// pair is the program and its peer.
type pair struct{ tonne, peer string }

func newPair(b *testing.B) pair {
	return pair{programOf(b, "tonne"), programOf(b, "./testdata/peer")}
}

func (p pair) demo(b *testing.B) *program {
	env := plain(b.TempDir())
	return startAt(b, 120, 36, env, p.tonne, "demo", "--seed", "1").read()
}

func (p pair) counter(b *testing.B) *program {
	return startAt(b, 120, 36, plain(b.TempDir()), p.peer).read()
}

// plain is the environment of the program that is shipped.
func plain(home string) []string {
	return slices.DeleteFunc(environment(home), func(v string) bool { return strings.HasPrefix(v, programVariable) })
}

// since is the time from the start of a program until it has written a text.
func (p *program) since(begin time.Time, text string) float64 {
	p.await(text)
	return float64(time.Since(begin))
}

// quit ends a program with q.
func (p *program) quit() {
	p.press("q")
	p.end()
	_ = p.master.Close()
	_ = p.slave.Close()
}

// median returns the middle of what was measured.
func median(of []float64) float64 {
	slices.Sort(of)
	return of[len(of)/2]
}

// The first frame of the dashboard on the demo and on a service, compared with
// that of a program that shows one number; and the first prices of the demo.
func BenchmarkStart(b *testing.B) {
	p := newPair(b)
	address := startLarge(b, largeProgram)
	var tonne, served, peer, data []float64
	for b.Loop() {
		begin := time.Now()
		c := p.counter(b)
		peer = append(peer, c.since(begin, "keys: 0"))
		c.quit()
		begin = time.Now()
		d := p.demo(b)
		tonne = append(tonne, d.since(begin, "Retirements"))
		data = append(data, d.since(begin, "vintages"))
		d.quit()
		begin = time.Now()
		s := startAt(b, 120, 36, append(plain(b.TempDir()), "TONNE_BASE_URL="+address, "TONNE_API_KEY="+testKey), p.tonne).read()
		served = append(served, s.since(begin, "Retirements"))
		s.quit()
	}
	b.ReportMetric(median(served)/median(peer), "×peer/service")
	b.ReportMetric(median(tonne)/median(peer), "×peer")
	b.ReportMetric(median(peer)/1e6, "ms/peer")
	b.ReportMetric(median(tonne)/1e6, "ms/frame")
	b.ReportMetric(median(data)/1e6, "ms/data")
	b.ReportMetric(0, "ns/op")
}

// still is the demo with its market on the screen and polling paused.
func (p pair) still(b *testing.B) *program {
	d := p.demo(b)
	d.await("vintages")
	time.Sleep(time.Second)
	d.press(" ")
	d.await("paused")
	time.Sleep(4 * time.Second)
	return d
}

// answered presses a key and returns the time until the first byte.
func (p *program) answered(keys string) float64 {
	before := p.length()
	begin := time.Now()
	p.press(keys)
	for p.length() == before && time.Since(begin) < longest {
		<-p.arrived
	}
	return float64(time.Since(begin))
}

func (p *program) length() int {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.screen.Len()
}

// A key until its first byte.
func BenchmarkKeyToBytes(b *testing.B) {
	p := newPair(b)
	d, c := p.still(b), p.counter(b)
	c.await("keys: 0")
	var tonne, peer []float64
	for i := 0; b.Loop(); i++ {
		// The library draws every 8.3 ms: keys come at any moment between.
		time.Sleep(40*time.Millisecond + rand.N(time.Second/60))
		tonne = append(tonne, d.answered(walk(i)))
		time.Sleep(40*time.Millisecond + rand.N(time.Second/60))
		peer = append(peer, c.answered("j"))
	}
	b.ReportMetric(median(tonne)/median(peer), "×peer")
	b.ReportMetric(median(tonne)/1e6, "ms/key")
	b.ReportMetric(0, "ns/op")
	d.quit()
	c.quit()
}

// A key until its first byte while a market of 100,000 orders is polled, from a
// service in another process that reprices an order each time, at the pace of a
// dashboard and as often as a person may ask: how slow the slowest are. Run it
// with -benchtime 600x at least.
func BenchmarkKeyBesidePolls(b *testing.B) {
	p := newPair(b)
	for name, refresh := range map[string]bool{"every=5s": false, "every=1s": true} {
		b.Run(name, func(b *testing.B) {
			env := append(plain(b.TempDir()), "TONNE_BASE_URL="+startLarge(b, hugeProgram), "TONNE_API_KEY="+testKey)
			d, c := startAt(b, 120, 36, env, p.tonne).read(), p.counter(b)
			d.await("1,000 vintages")
			c.await("keys: 0")
			var tonne, peer []float64
			asked := time.Now()
			for i := 0; b.Loop(); i++ {
				if refresh && time.Since(asked) > time.Second {
					d.press("r")
					asked = time.Now()
				}
				time.Sleep(40*time.Millisecond + rand.N(time.Second/60))
				tonne = append(tonne, d.answered(walk(i)))
				time.Sleep(40*time.Millisecond + rand.N(time.Second/60))
				peer = append(peer, c.answered("j"))
			}
			for _, part := range []int{50, 99} {
				t, c := percentile(tonne, part), percentile(peer, part)
				b.ReportMetric(t/c, fmt.Sprintf("×peer/p%d", part))
				b.ReportMetric(t/1e6, fmt.Sprintf("ms/p%d", part))
			}
			b.ReportMetric(0, "ns/op")
			d.quit()
			c.quit()
		})
	}
}

// percentile returns the value that so many per cent of what was measured stay
// below.
func percentile(of []float64, part int) float64 {
	slices.Sort(of)
	return of[min(len(of)*part/100, len(of)-1)]
}

// walk is the i-th key of a walk up and down.
func walk(i int) string {
	if i%40 < 20 {
		return "j"
	}
	return "k"
}

// The bytes of a cursor move: of a key by itself, with the order book that
// follows, and of a key that is held.
func BenchmarkCursorMoveBytes(b *testing.B) {
	p := newPair(b)
	for name, pace := range map[string]time.Duration{"alone": 400 * time.Millisecond, "held": 33 * time.Millisecond} {
		b.Run(name, func(b *testing.B) {
			d := p.still(b)
			before := d.length()
			n := 0
			for b.Loop() {
				d.press(walk(n))
				n++
				time.Sleep(pace)
			}
			time.Sleep(time.Second)
			b.ReportMetric(float64(d.length()-before)/float64(n), "B/move")
			b.ReportMetric(0, "ns/op")
			d.quit()
		})
	}
}

// A dashboard at which nobody looks and in which nothing changes.
func BenchmarkIdle(b *testing.B) {
	p := newPair(b)
	d, c := p.still(b), p.counter(b)
	c.await("keys: 0")
	time.Sleep(time.Second)
	before, tonne, peer := d.length(), d.used(b), c.used(b)
	woken, peerWoken, began := d.wakes(b), c.wakes(b), time.Now()
	for b.Loop() {
		time.Sleep(10 * time.Second)
	}
	took := time.Since(began).Seconds()
	b.ReportMetric((d.wakes(b)-woken)/took, "wakes/s")
	b.ReportMetric((c.wakes(b)-peerWoken)/took, "wakes/s/peer")
	b.ReportMetric(float64(d.length()-before), "B")
	b.ReportMetric(d.used(b)-tonne, "ticks")
	b.ReportMetric(c.used(b)-peer, "ticks/peer")
	b.ReportMetric(d.resident(b), "MiB")
	b.ReportMetric(c.resident(b), "MiB/peer")
	b.ReportMetric(0, "ns/op")
	d.quit()
	c.quit()
}

// The first key after a rest of two seconds, until its first byte.
func BenchmarkFirstKey(b *testing.B) {
	p := newPair(b)
	d, c := p.still(b), p.counter(b)
	c.await("keys: 0")
	var tonne, peer []float64
	for i := 0; b.Loop(); i++ {
		time.Sleep(2*time.Second + rand.N(time.Second/60))
		tonne = append(tonne, d.answered(walk(i)))
		peer = append(peer, c.answered("j"))
	}
	b.ReportMetric(median(tonne)/median(peer), "×peer")
	b.ReportMetric(median(tonne)/1e6, "ms/key")
	b.ReportMetric(median(peer)/1e6, "ms/peer")
	b.ReportMetric(0, "ns/op")
	d.quit()
	c.quit()
}

// wakes is how often the threads of a program have given up the processor to
// wait.
func (p *program) wakes(b *testing.B) float64 {
	tasks, err := filepath.Glob(fmt.Sprintf("/proc/%d/task/*/status", p.cmd.Process.Pid))
	if err != nil || len(tasks) == 0 {
		b.Skip("the kernel does not tell")
	}
	sum := 0.0
	for _, task := range tasks {
		status, _ := os.ReadFile(task)
		if _, after, ok := strings.Cut(string(status), "\nvoluntary_ctxt_switches:"); ok {
			n, _ := strconv.ParseFloat(strings.Fields(after)[0], 64)
			sum += n
		}
	}
	return sum
}

// used is the processor time that a program has used, in ticks of the kernel.
func (p *program) used(b *testing.B) float64 {
	stat, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", p.cmd.Process.Pid))
	if err != nil {
		b.Skip(err)
	}
	fields := strings.Fields(string(stat[strings.LastIndexByte(string(stat), ')')+1:]))
	user, _ := strconv.ParseFloat(fields[11], 64)
	system, _ := strconv.ParseFloat(fields[12], 64)
	return user + system
}

// resident is the memory of a program, in MiB.
func (p *program) resident(b testing.TB) float64 {
	status, err := os.ReadFile(fmt.Sprintf("/proc/%d/status", p.cmd.Process.Pid))
	if err != nil {
		b.Skip(err)
	}
	_, after, _ := strings.Cut(string(status), "VmRSS:")
	kib, _ := strconv.ParseFloat(strings.Fields(after)[0], 64)
	return kib / 1024
}
