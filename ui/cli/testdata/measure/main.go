// Measure runs the benchmarks of docs/performance.md and prints its table:
// the median of each figure over several rounds, with the smallest and the
// largest. Every round runs all benchmarks once, so that other load of the machine
// affects all of them. After an interrupt it prints the table of the
// measurements so far.
//
//	go run ./ui/cli/testdata/measure -rounds 5 -row '^1[0-9]? '
package main

import (
	"context"
	"flag"
	"fmt"
	"os"
	"os/exec"
	"os/signal"
	"regexp"
	"slices"
	"strconv"
	"strings"
)

// run is one call of go test, which several rows may share.
type run struct{ pkg, bench, benchtime string }

// figures are the results of a benchmark: "benchmark unit" and its values, one per
// round.
type figures map[string][]float64

func main() {
	rounds := flag.Int("rounds", 5, "how often each benchmark runs")
	which := flag.String("row", "", "only rows whose name matches the `pattern`")
	flag.Parse()
	pattern, err := regexp.Compile(*which)
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(2)
	}
	chosen := slices.DeleteFunc(slices.Clone(rows), func(r row) bool { return !pattern.MatchString(r.name) })
	measured := make(map[run]figures)
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	for round := range *rounds {
		for _, r := range runsOf(chosen) {
			if ctx.Err() != nil {
				break
			}
			fmt.Fprintf(os.Stderr, "round %d of %d: %s %s\n", round+1, *rounds, r.pkg, r.bench)
			if measured[r] == nil {
				measured[r] = make(figures)
			}
			if err := r.measure(measured[r]); err != nil {
				fmt.Fprintln(os.Stderr, err)
			}
		}
	}
	fmt.Println("| What | Median | From–to | Wanted |\n|---|---|---|---|")
	for _, r := range chosen {
		fmt.Println(r.line(measured[r.run()]))
	}
}

func (r row) run() run { return run{r.pkg, r.bench, r.benchtime} }

// runsOf returns the runs of the rows, each once, in their order.
func runsOf(rows []row) []run {
	var runs []run
	for _, r := range rows {
		if !slices.Contains(runs, r.run()) {
			runs = append(runs, r.run())
		}
	}
	return runs
}

// measure runs the benchmarks once and adds what they report.
func (r run) measure(f figures) error {
	out, err := exec.Command("go", "test", r.pkg, "-run", "^$", "-bench", r.bench, "-benchtime", r.benchtime, "-timeout", "30m").CombinedOutput()
	for line := range strings.Lines(string(out)) {
		f.add(strings.Fields(line))
	}
	if err != nil {
		return fmt.Errorf("%s: %w\n%s", r.pkg, err, out)
	}
	return nil
}

var processors = regexp.MustCompile(`-\d+$`)

// add takes a line of a benchmark: its name, how often it ran, and pairs of a
// value and its unit.
func (f figures) add(fields []string) {
	if len(fields) < 4 || !strings.HasPrefix(fields[0], "Benchmark") {
		return
	}
	name := processors.ReplaceAllString(fields[0], "")
	for i := 2; i+1 < len(fields); i += 2 {
		if value, err := strconv.ParseFloat(fields[i], 64); err == nil {
			f[name+" "+fields[i+1]] = append(f[name+" "+fields[i+1]], value)
		}
	}
}

// values returns the figure of a row, one per round.
func (r row) values(f figures) []float64 {
	values := slices.Clone(f[r.of])
	if r.by == "" {
		return values
	}
	by := f[r.by]
	values = values[:min(len(values), len(by))]
	for i := range values {
		values[i] /= by[i]
	}
	return values
}

// line is the row in the table.
func (r row) line(f figures) string {
	values := r.values(f)
	if len(values) == 0 {
		return fmt.Sprintf("| %s | not measured | – | %s |", r.name, r.budget)
	}
	slices.Sort(values)
	return fmt.Sprintf("| %s | %s | %s–%s | %s |", r.name, short(values[len(values)/2]), short(values[0]), short(values[len(values)-1]), r.budget)
}

func short(v float64) string { return strconv.FormatFloat(v, 'g', 3, 64) }
