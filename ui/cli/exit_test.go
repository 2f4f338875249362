package cli

import (
	"errors"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"syscall"
	"testing"
	"time"

	"tonne/api/apitest"
	must "tonne/model/musttest"
	"tonne/ui/cli/command"
)

// printing are commands that print data or text, "DB" stands for a database and "RECORDS" for
// a file of records.
var printing = []string{
	"market", "market -o json", "market -o csv", "market -o jsonl", "market --page 1", "inventory", "inventory -o jsonl",
	"retirement R1", "project",
	"quote --vintage V1 --tonnes 1", "basket --tonnes 1", "compare V1 V2", "auth status", "reconcile RECORDS",
	"--help", "help", "help market", "market --help", "auth", "config", "serve keys", "config show", "config init",
	"version", "man",
	"completion bash", "completion zsh", "completion fish", "completion powershell",
	"serve --db DB keys list", "serve --db DB invoices", "serve --db DB close-month --yes",
	"serve --db DB --listen 127.0.0.1:0",
}

func TestFullDiskIsReportedAndClosedPipeIsNot(t *testing.T) {
	t.Parallel()
	o := newOperator(t)
	o.env["TONNE_BASE_URL"], o.env["TONNE_API_KEY"], o.handler = baseURL, testKey, new(service)
	for i, typed := range printing {
		args := strings.Fields(strings.NewReplacer("DB", o.db, "RECORDS",
			filepath.Join(testdata, "records.csv")).Replace(typed))
		into := func(err error) result {
			return o.runChanged(t.Context(), func(p *command.Process) {
				p.Stdout = failing{&os.PathError{Op: "write", Path: "/dev/stdout", Err: err}}
			}, args...)
		}
		r := into(syscall.ENOSPC)
		what, _ := r.sentences(t)
		must.Hold(t, r.status == 1 && strings.Contains(what, "/dev/stdout: no space left"),
			"full disk: tonne", typed, "status", r.status, what)
		if i < 14 {
			r := into(syscall.EPIPE)
			must.Hold(t, r.status == 0 && r.stderr == "", "closed pipe: tonne", typed, "status", r.status, r.stderr)
		}
	}
}

func TestDebugLogHasStackButNeverKey(t *testing.T) {
	t.Parallel()
	inBubble(t, func(t *testing.T) {
		w := newWorld(t, apitest.Status(500, `{"message":"`+testKey+`"}`))
		log := w.env["HOME"] + "/debug.log"
		logged := func(want string) {
			t.Helper()
			text := string(must.Get(os.ReadFile(log)))
			must.Hold(t, strings.Contains(text, want) && !strings.Contains(text, testKey), "debug log", text)
			info := must.Get(os.Stat(log))
			must.Hold(t, runtime.GOOS == "windows" || info.Mode().Perm() == 0o600, "mode", info.Mode())
		}
		w.run("market", "--debug", log)
		logged("api/market")
		must.Succeed(t, os.Remove(log))
		r := w.runChanged(t.Context(), func(p *command.Process) {
			p.Now = func() time.Time { panic(errors.New("a bug with " + testKey)) }
		}, "market", "--debug", log)
		_, todo := r.sentences(t)
		must.Hold(t, r.status == 1 && strings.Contains(todo, log), "status", r.status, r.stderr)
		logged("goroutine")
	})
}
