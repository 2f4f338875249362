package cli

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
	"time"

	"tonne/api/apitest"
	"tonne/api/marketplace"
	"tonne/api/marketplace/demo"
	"tonne/ui/cli/command"
)

// recordedAt is the time of the recorded session.
var recordedAt = time.Date(2026, 11, 20, 9, 30, 0, 0, time.UTC)

// TestRecordedSessionMatchesOutput compares docs/session.txt and docs/session.cast, which
// asciinema replays, with the program. With -update it writes them.
func TestRecordedSessionMatchesOutput(t *testing.T) {
	t.Parallel()
	if runtime.GOOS == "windows" {
		t.Skip("TZ does not work on Windows")
	}
	cmd := exec.Command(os.Args[0])
	cmd.Env = append(environmentOf(t.TempDir()), programVariable+"="+recordingProgram, "TZ=UTC")
	cmd.Dir = t.TempDir()
	var problems bytes.Buffer
	cmd.Stderr = &problems
	recorded, err := cmd.Output()
	if err != nil {
		t.Fatalf("%v: %s", err, problems.String())
	}
	var frames []frame
	if err := json.Unmarshal(recorded, &frames); err != nil {
		t.Fatal(err)
	}
	for name, want := range map[string]string{"session.txt": asText(frames), "session.cast": asCast(frames)} {
		path := filepath.Join(projectRoot, "docs", name)
		if *update {
			if err := os.WriteFile(path, []byte(want), 0o644); err != nil {
				t.Fatal(err)
			}
		}
		if got, err := os.ReadFile(path); err != nil || string(got) != want {
			t.Errorf("docs/%s is not what the program prints: run go test ./ui/cli -run Session -update (%v)", name, err)
		}
	}
}

// environmentOf returns the environment of a process with a home directory.
func environmentOf(home string) []string {
	return []string{
		"HOME=" + home, "XDG_CONFIG_HOME=" + home + "/config", "XDG_DATA_HOME=" + home + "/data", "XDG_STATE_HOME=" + home + "/state",
	}
}

// frame is a step of a session: a typed line and the output.
type frame struct {
	Typed   string
	Printed string
}

func asText(frames []frame) string {
	var text strings.Builder
	for _, f := range frames {
		switch {
		case strings.HasPrefix(f.Typed, "#"):
			text.WriteString("\n" + f.Typed + "\n")
		case f.Typed != "":
			text.WriteString("$ " + f.Typed + "\n")
		}
		text.WriteString(f.Printed)
	}
	return strings.TrimPrefix(text.String(), "\n")
}

// Delays of the replayed session, in milliseconds.
const (
	strokeTime  = 40
	answerTime  = 400
	readingTime = 2500
)

// asCast returns the session in version 2 of asciinema's format.
func asCast(frames []frame) string {
	var cast strings.Builder
	cast.WriteString(`{"version":2,"width":120,"height":36,"title":"tonne"}` + "\n")
	at := 0
	event := func(wait int, text string) {
		at += wait
		quoted, _ := json.Marshal(strings.ReplaceAll(text, "\n", "\r\n"))
		fmt.Fprintf(&cast, "[%d.%03d,\"o\",%s]\n", at/1000, at%1000, quoted)
	}
	for _, f := range frames {
		if f.Typed != "" {
			event(readingTime, "$ ")
			for _, letter := range f.Typed {
				event(strokeTime, string(letter))
			}
			event(answerTime, "\n")
		}
		if f.Printed != "" {
			event(answerTime, f.Printed)
		}
	}
	return cast.String()
}

// recorder runs the commands of a session on a marketplace with synthetic data.
type recorder struct {
	service http.Handler
	ring    *fakeRing
	frames  []frame
}

// recordSession runs the session and writes its frames as JSON.
func recordSession() int {
	ctx := context.Background()
	m, err := marketplace.Open(ctx, "", marketplace.Options{
		Now: func() time.Time { return recordedAt }, RatePerSecond: -1, PublicURL: baseURL,
	})
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	defer m.Close()
	made, err := demo.Load(ctx, m, demo.Options{Seed: 1, Now: recordedAt})
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	r := &recorder{service: m.Handler(), ring: newFakeRing()}
	r.play(made)
	if err := json.NewEncoder(os.Stdout).Encode(r.frames); err != nil {
		return 1
	}
	return 0
}

// play runs the commands of the session.
func (r *recorder) play(made demo.Data) {
	request := made.Retirements[0].ID
	r.say("# Store the key of a base URL once.")
	r.run("pass show tonne | tonne auth login --base-url "+baseURL, made.Key)
	r.say("# A trader: what is for sale, and what do 1,000 t cost?")
	vintage := deepest(r.run("tonne market --per-page 3", ""))
	r.run("tonne quote "+vintage+" 1,000", "")
	r.run("tonne quote "+vintage+" 10,000,000 > /dev/null; echo $?", "")
	r.say("# An accountant: what do we own, and what is the state of a request?")
	r.run("tonne inventory --wallet-min-quantity 1 --per-page 4", "")
	r.run("tonne retirement "+request, "")
	r.run("tonne retirement "+request+" -o csv", "")
	r.say("# A screen reader.")
	r.run("tonne --plain --tab inventory | head -n 16", "")
	r.say("# Errors say what to do; programs get a JSON object.")
	r.run("tonne markte", "")
	r.run("tonne market --ouput csv", "")
	r.run("tonne retirement nope -o json", "")
}

func (r *recorder) say(text string) { r.frames = append(r.frames, frame{Typed: text}) }

// run runs a typed line: one command of tonne, with its standard input and a few shell
// constructs for its output.
func (r *recorder) run(line, stdin string) string {
	var screen bytes.Buffer
	stdout := io.Writer(&screen)
	if strings.Contains(line, "> /dev/null") {
		stdout = io.Discard
	}
	typed := line
	if _, rest, piped := strings.Cut(line, "| tonne "); piped {
		typed = "tonne " + rest
	}
	if end := strings.IndexAny(typed, "|>"); end >= 0 {
		typed = typed[:end]
	}
	status := Run(context.Background(), command.Process{
		Args: strings.Fields(typed)[1:], Stdin: strings.NewReader(stdin), Stdout: stdout, Stderr: &screen, Getenv: os.Getenv,
		Now: func() time.Time { return recordedAt }, Keyring: r.ring, Transport: apitest.Transport(r.service),
	})
	text := screen.String()
	if strings.HasSuffix(line, "echo $?") {
		text += fmt.Sprintln(status)
	}
	if _, number, piped := strings.Cut(line, "| head -n "); piped {
		var n int
		_, _ = fmt.Sscan(number, &n)
		text = strings.Join(strings.SplitAfter(text, "\n")[:n], "")
	}
	r.frames = append(r.frames, frame{Typed: line, Printed: text})
	return text
}

// deepest returns the vintage of a table with the largest quantity.
func deepest(table string) string {
	best, most := "", 0
	for line := range strings.Lines(table) {
		words := strings.Fields(line)
		for i, word := range words {
			var n int
			if i > 0 && word == "t" {
				_, _ = fmt.Sscan(strings.ReplaceAll(words[i-1], ",", ""), &n)
			}
			if n <= most {
				continue
			}
			for _, id := range words {
				if strings.HasPrefix(id, "004") {
					best, most = id, n
				}
			}
		}
	}
	return best
}
