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

// group is one run of benchmarks, and the rows of the table that it fills.
type group struct {
	pkg, bench, benchtime string
	// prefix is the start of the names of the rows' figures.
	prefix string
	rows   []row
}

// row is one line of the table. Its figures are "benchmark unit", without "Benchmark" and the
// prefix: of is divided by by, unless by is empty.
type row struct{ name, budget, of, by string }

// figures are the results of a group: "benchmark unit" and its values, one per round.
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
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	chosen := groups[:0]
	for _, g := range groups {
		g.rows = slices.DeleteFunc(g.rows, func(r row) bool { return !pattern.MatchString(r.name) })
		if len(g.rows) > 0 {
			chosen = append(chosen, g)
		}
	}
	measured := make([]figures, len(chosen))
	for round := range *rounds {
		for i, g := range chosen {
			if ctx.Err() != nil {
				break
			}
			fmt.Fprintf(os.Stderr, "round %d of %d: %s %s\n", round+1, *rounds, g.pkg, g.bench)
			if measured[i] == nil {
				measured[i] = make(figures)
			}
			if err := g.measure(measured[i]); err != nil {
				fmt.Fprintln(os.Stderr, err)
			}
		}
	}
	fmt.Println("| What | Median | From–to | Wanted |\n|---|---|---|---|")
	for i, g := range chosen {
		for _, r := range g.rows {
			fmt.Println(r.line(measured[i], g.prefix))
		}
	}
}

// measure runs the benchmarks once and adds what they report.
func (g group) measure(f figures) error {
	args := []string{"test", g.pkg, "-run", "^$", "-bench", g.bench, "-benchtime", g.benchtime, "-timeout", "30m"}
	out, err := exec.Command("go", args...).CombinedOutput()
	for line := range strings.Lines(string(out)) {
		f.add(strings.Fields(line))
	}
	if err != nil {
		return fmt.Errorf("%s: %w\n%s", g.pkg, err, out)
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
	name := processors.ReplaceAllString(strings.TrimPrefix(fields[0], "Benchmark"), "")
	for i := 2; i+1 < len(fields); i += 2 {
		if value, err := strconv.ParseFloat(fields[i], 64); err == nil {
			f[name+" "+fields[i+1]] = append(f[name+" "+fields[i+1]], value)
		}
	}
}

// values returns the figure of a row, one per round.
func (r row) values(f figures, prefix string) []float64 {
	values := slices.Clone(f[prefix+r.of])
	if r.by == "" {
		return values
	}
	by := f[prefix+r.by]
	values = values[:min(len(values), len(by))]
	for i := range values {
		values[i] /= by[i]
	}
	return values
}

// line is the row in the table.
func (r row) line(f figures, prefix string) string {
	values := r.values(f, prefix)
	if len(values) == 0 {
		return fmt.Sprintf("| %s | not measured | – | %s |", r.name, r.budget)
	}
	slices.Sort(values)
	median, last := short(values[len(values)/2]), short(values[len(values)-1])
	return fmt.Sprintf("| %s | %s | %s–%s | %s |", r.name, median, short(values[0]), last, r.budget)
}

func short(v float64) string { return strconv.FormatFloat(v, 'g', 3, 64) }
