//go:build unix

package cli

import (
	"bytes"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"tonne/model/longtest"
	must "tonne/model/musttest"
)

// racer is a process of a round: its arguments after `retire --allow-retire --yes`, and
// its address.
type racer struct {
	args      []string
	localhost bool
}

// Two processes that retire the same references at the same time, in any way, retire each once.
func TestConcurrentProcessesRetireEachReferenceOnce(t *testing.T) {
	t.Parallel()
	const lines = 4
	file := func(w *world, name string, references ...string) []string {
		text := shortHeader
		for _, reference := range references {
			text += reference + ",004bale21,20\n"
		}
		path := w.write(name, text)
		return []string{"--file", path, "--results", path + ".results"}
	}
	single := func(reference string) []string {
		return []string{"--vintage", "004bale21", "--grams", "20", "--reference", reference}
	}
	for name, pair := range map[string]func(w *world, references []string) [2]racer{
		"two names of a batch": func(w *world, r []string) [2]racer {
			return [2]racer{{args: file(w, r[0]+"-a.csv", r...)}, {args: file(w, r[0]+"-b.csv", r...)}}
		},
		"in another order": func(w *world, r []string) [2]racer {
			backward := slices.Collect(func(yield func(string) bool) {
				for _, s := range slices.Backward(r) {
					if !yield(s) {
						return
					}
				}
			})
			return [2]racer{{args: file(w, r[0]+"-a.csv", r...)}, {args: file(w, r[0]+"-b.csv", backward...)}}
		},
		"a batch and a command": func(w *world, r []string) [2]racer {
			return [2]racer{{args: file(w, r[0]+"-a.csv", r...)}, {args: single(r[0])}}
		},
		"spelled in two ways": func(w *world, r []string) [2]racer {
			return [2]racer{{args: single("Mu\u0308ller " + r[0])}, {args: single("M\u00fcller\u00a0" + r[0])}}
		},
		"at two addresses": func(w *world, r []string) [2]racer {
			return [2]racer{{args: single(r[0])}, {args: single(r[0]), localhost: true}}
		},
		"two names at two addresses": func(w *world, r []string) [2]racer {
			return [2]racer{{args: file(w, r[0]+"-a.csv", r...)}, {args: file(w, r[0]+"-b.csv", r...), localhost: true}}
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			r := newRetirer(t)
			address, home := listen(t, r.handler), t.TempDir()
			retired := int64(0)
			for round := range longtest.Runs(4, 40) {
				references := make([]string, lines)
				for n := range lines {
					references[n] = fmt.Sprintf("round-%d-%d", round, n)
				}
				both := pair(r.world, references)
				runTogether(t, home, address, both[:]...)
				// What is left of the first is finished, without doing anything twice.
				runTogether(t, home, address, both[0])
				least, most := int64(20), int64(20)
				if both[0].args[0] == "--file" {
					most = 20 * lines
				}
				// A batch does not go on if a command has retired one of its lines.
				if both[1].args[0] == "--file" {
					least = most
				}
				got := r.retired() - retired
				must.Need(t, least <= got && got <= most, "round", round, "retired", got, "want", least, "to", most)
				retired += got
			}
		})
	}
}

// runTogether starts processes at the same moment and waits for them. A process that finds that another one
// retires the same fails and names it.
func runTogether(t *testing.T, home, address string, racers ...racer) {
	t.Helper()
	said := make(map[*exec.Cmd]*bytes.Buffer)
	for _, racer := range racers {
		at := address
		if racer.localhost {
			at = strings.Replace(address, "127.0.0.1", "localhost", 1)
		}
		cmd := exec.Command(os.Args[0], append([]string{"retire", "--allow-retire", "--yes"}, racer.args...)...)
		cmd.Env = environment(home, "TONNE_BASE_URL="+at, "TONNE_API_KEY="+retirerMarket.key)
		cmd.Dir = filepath.Clean(home)
		said[cmd] = new(bytes.Buffer)
		cmd.Stderr = said[cmd]
		must.Succeed(t, cmd.Start())
		t.Cleanup(func() { _ = cmd.Process.Kill() })
	}
	for cmd, stderr := range said {
		if err := cmd.Wait(); err != nil {
			why := stderr.String()
			known := slices.ContainsFunc([]string{"another program", "another call", "is not settled",
				"were confirmed and not sent", "moved", "the same reference and request", "the wallet of",
				"it is not known whether"},
				func(text string) bool { return strings.Contains(why, text) })
			must.Hold(t, known, cmd.Args[4:], err, why)
		}
	}
}
