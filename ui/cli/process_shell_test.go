//go:build unix

package cli

import (
	"encoding/base64"
	"encoding/csv"
	"os"
	"os/exec"
	"regexp"
	"strings"
	"testing"
	"time"

	must "tonne/model/musttest"
)

var copiedText = regexp.MustCompile("\x1b\\]52;c;([A-Za-z0-9+/=]*)\a")

// copied waits until the dashboard has copied n texts, and returns the last one.
func (p *program) copied(n int) string {
	p.t.Helper()
	for deadline := time.Now().Add(timeout); ; time.Sleep(time.Millisecond) {
		if all := copiedText.FindAllStringSubmatch(p.written(), -1); len(all) >= n {
			return string(must.Get(base64.StdEncoding.DecodeString(all[n-1][1])))
		}
		must.Need(p.t, !time.Now().After(deadline), "copied", n, tail(p.written()))
	}
}

// inShell runs a line of shell in which tonne is the program under test.
func inShell(t *testing.T, env []string, line string) string {
	t.Helper()
	cmd := exec.Command("/bin/sh", "-c", `tonne() { "$0" "$@"; }; `+line, os.Args[0])
	cmd.Env = env
	out, err := cmd.Output()
	must.Need(t, err == nil, line, err, string(out))
	return string(out)
}

func TestCopiedCommandPrintsTheRowsOfTheScreen(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct{ keys, command string }{
		"market": {"", "tonne market --sort project_name --columns vintage_year,vintage_id,best_ask_cents"},
		"market, sorted": {":sort -vintageid\r",
			"tonne market --sort -vintage_id --columns vintage_year,vintage_id,best_ask_cents"},
		"market, filtered": {"/vintage>=2021 !\"it's\"\r",
			`tonne market --filter 'vintage>=2021 !"it'\''s"' --sort project_name --columns vintage_year,vintage_id,best_ask_cents`},
		"inventory": {"2z:columns vintage,vintageid,ask\r",
			"tonne inventory --sort project_name --columns vintage_year,vintage_id,best_ask_cents"},
		"a page of the inventory": {"2z:columns vintage,vintageid,ask\rP",
			"tonne inventory --sort project_name --columns vintage_year,vintage_id,best_ask_cents --page 1 --per-page 1"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			env := withService(t)
			p := startAt(t, 120, 36, env, os.Args[0]).read()
			p.await("Mountains", "book ")
			p.press(":columns vintage,vintageid,ask\r" + test.keys)
			if strings.HasSuffix(test.keys, "P") {
				p.await("page 1/2")
			}
			p.press("!")
			command := p.copied(1)
			must.Equal(t, command, test.command)
			p.press("YY")
			// The terminal may get the row after the table.
			p.copied(3)
			table := longer(p.copied(2), p.copied(3))
			rows := strings.Split(strings.TrimSuffix(table, "\n"), "\n")[1:]
			printed := must.Get(csv.NewReader(strings.NewReader(inShell(t, env, command+" -o csv"))).ReadAll())[1:]
			must.Need(t, len(printed) == len(rows), command, rows, printed)
			for i, row := range rows {
				must.Hold(t, strings.Contains(row, "\t"+printed[i][1]+"\t"), row, printed[i], command)
			}
			must.Hold(t, len(rows) > 0, "no rows", command)
			p.press("q")
			p.end(0)
		})
	}
}

func TestCopiedCommandPrintsTheQuoteTheBasketAndTheComparison(t *testing.T) {
	t.Parallel()
	env := withService(t)
	p := startAt(t, 120, 36, env, os.Args[0]).read()
	p.await("Mountains", "book ")
	for n, test := range []struct{ keys, command, says string }{
		{"b3\r", "tonne quote --project P1 --vintage V1 --tonnes 3", "18.60"},
		{"b\x15retire 20 g\r", "tonne quote --project P1 --vintage V1 --grams 20", "0.000020"},
		{"qB5\t\t$7\t40%\r", "tonne basket --tonnes 5 --max-price '$7.00' --cap project=40%", "$"},
		{"qMjM=", "tonne compare V1 V2", "V2"},
		{"qki", "tonne project P1", "P1"},
	} {
		p.press(test.keys + "!")
		command := p.copied(n + 1)
		must.Equal(t, command, test.command)
		if !strings.Contains(command, "--cap") {
			out := inShell(t, env, command)
			must.Hold(t, strings.Contains(out, test.says), command, out)
		}
	}
	p.press("qq")
	p.end(0)
}

func longer(a, b string) string {
	if len(a) > len(b) {
		return a
	}
	return b
}

// A command runs on the marketplace of the user, which is not that of the demo.
func TestDemoCopiesNoCommand(t *testing.T) {
	t.Parallel()
	p := start(t, t.TempDir(), nil, "demo").read()
	p.await("BEST ASK", "● live")
	p.press("!")
	p.await("No command reads a demo. Run `tonne serve --demo-data` to use commands.")
	p.press("q")
	p.end(0)
}
