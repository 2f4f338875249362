//go:build unix

package pdftext

import (
	"context"
	"errors"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	"tonne/model/longtest"
	must "tonne/model/musttest"
)

// program writes a script with the name pdftotext and returns its path.
func program(t *testing.T, script string) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "pdftotext")
	// A process that is forked while the file is open for writing keeps it open, and then
	// the script cannot be run.
	syscall.ForkLock.RLock()
	defer syscall.ForkLock.RUnlock()
	must.Succeed(t, os.WriteFile(path, []byte("#!/bin/sh\n"+script+"\n"), 0o700))
	return path
}

func saved(t *testing.T, content []byte) *os.File {
	t.Helper()
	path := filepath.Join(t.TempDir(), "-certificate")
	must.Succeed(t, os.WriteFile(path, content, 0o600))
	file := must.Get(os.Open(path))
	t.Cleanup(func() { file.Close() })
	return file
}

// line is a pipe that scripts keep open. It reaches its end when all of them have exited.
type line struct{ path string }

func newLine(t *testing.T) line {
	t.Helper()
	path := filepath.Join(t.TempDir(), "line")
	must.Succeed(t, syscall.Mkfifo(path, 0o600))
	return line{path}
}

// hold returns the shell command that keeps the pipe open.
func (l line) hold() string { return "exec 3>'" + l.path + "'\n" }

// ended waits for the start of a script, calls begun, and then waits until the script and
// all its child processes have exited.
func (l line) ended(t *testing.T, begun func()) <-chan struct{} {
	done := make(chan struct{})
	go func() {
		defer close(done)
		file, err := os.Open(l.path)
		if err != nil {
			t.Error(err)
			return
		}
		defer file.Close()
		begun()
		must.Fail(t, must.Err(io.ReadAll(file)), nil)
	}()
	return done
}

func TestRunawayProgramIsKilledWithItsChildren(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		script string
		limits limits
		want   error
	}{
		"hangs": {"sleep 60", limits{patience: 300 * time.Millisecond}, ErrTooLong},
		"ignores TERM": {"trap '' TERM HUP INT XCPU\nwhile :; do sleep 60; done", limits{patience: 300 * time.Millisecond},
			ErrTooLong},
		"forks and waits": {"sleep 60 & sleep 60 & wait", limits{patience: 300 * time.Millisecond}, ErrTooLong},
		"forks and exits": {"sleep 60 & exit 0", limits{}, ErrUnreadable},
		"forks and fails": {"sleep 60 & exit 1", limits{}, ErrDamaged},
		"burns time":      {"while :; do :; done", limits{cpu: 1, patience: time.Minute}, ErrTooLong},
		"ignores XCPU":    {"trap '' XCPU\nwhile :; do :; done", limits{cpu: 1, patience: time.Minute}, ErrTooLong},
		"prints for ever": {"while :; do echo more; done", limits{text: 4000, patience: time.Minute}, nil},
		"ignores PIPE":    {"trap '' PIPE TERM\nwhile :; do echo more; done", limits{text: 4000, patience: time.Minute}, nil},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			l := newLine(t)
			r := Reader{program(t, l.hold()+c.script), c.limits}
			ended := l.ended(t, func() {})
			got, err := r.Read(t.Context(), saved(t, []byte("%PDF-1.7")))
			must.Fail(t, err, c.want)
			must.Hold(t,
				c.want != nil || got.Cut && len(got.Pages) == 1 && len(got.Pages[0]) <= 1000 && got.Pages[0][0] == "more",
				len(got.Pages), got.Cut)
			<-ended
		})
	}
}

func TestCancelledReadReturnsAtOnce(t *testing.T) {
	t.Parallel()
	l := newLine(t)
	ctx, cancel := context.WithCancel(t.Context())
	ended := l.ended(t, cancel)
	r := Reader{program(t, l.hold()+"trap '' TERM\nsleep 60"), limits{patience: time.Hour}}
	must.Fail(t, must.Err(r.Read(ctx, saved(t, []byte("%PDF-1.7")))), context.Canceled)
	<-ended
}

func TestProgramRunsWithLimits(t *testing.T) {
	t.Parallel()
	r := Reader{PDFToText: program(t, "ulimit -t; ulimit -f; ulimit -c; ulimit -d")}
	got := must.Get(r.Read(t.Context(), saved(t, []byte("%PDF-1.7"))))
	want := []string{"2", "0", "0", "65536"}
	if runtime.GOOS != "linux" {
		// Not every system limits the memory.
		want, got.Pages[0] = want[:3], got.Pages[0][:3]
	}
	must.Equal(t, got.Pages[0], want)
}

func TestProgramFromPathGetsOnlyTheFile(t *testing.T) {
	script := program(t, `echo "$*"; env | grep -c -e KEY -e secret; cat`)
	t.Setenv("TONNE_API_KEY", "secret")
	t.Setenv("PATH", filepath.Dir(script)+":/usr/bin:/bin")
	file := saved(t, []byte("%PDF-1.7\ncontent"))
	for range 2 {
		got := must.Get(Reader{}.Read(t.Context(), file))
		want := []string{"-q -raw -enc UTF-8 -eol unix -l 100 - -", "0", "%PDF-1.7", "content"}
		must.Hold(t, len(got.Pages) == 1 && slices.Equal(got.Pages[0], want) && !got.Cut, "the program got", got.Pages)
	}
	t.Setenv("PATH", t.TempDir())
	c, err := (Reader{}).Read(t.Context(), file)
	must.Hold(t, errors.Is(err, ErrNoReader) && c.Media == "application/pdf" && c.Size == 16, "without a program", c, err)
}

func TestTextIsSanitisedForTheTerminal(t *testing.T) {
	t.Parallel()
	r := Reader{PDFToText: program(t,
		`printf '\n\n\033[2J\033]0;title\007 left    right  \n\n\n\n\342\200\256abc\233\ttab\r\n\n\f\fthird\n\f'`)}
	got, err := r.Read(t.Context(), saved(t, []byte("%PDF-1.7")))
	want := [][]string{{"␛[2J␛]0;title␇ left    right", "", "<U+202E>abc\ufffd␉tab"}, nil, {"third"}}
	must.Hold(t, err == nil && slices.EqualFunc(got.Pages, want, slices.Equal[[]string]),
		"the pages are", got.Pages, err)
}

func TestDiagonalWordBecomesOneLine(t *testing.T) {
	t.Parallel()
	for text, want := range map[string][]string{
		"V\nO\nI\nD\nall of it\n": {"VOID", "all of it"},
		"all of it\nÜ\nB\nE\nR":   {"all of it", "ÜBER"},
		"a\nb\nc\n":               {"a", "b", "c"},
		"1\n2\n3\n4\n5\n":         {"1", "2", "3", "4", "5"},
		"V\nO\nI\n\nD\n":          {"V", "O", "I", "", "D"},
	} {
		got := splitPages([]byte(text))
		must.Hold(t, len(got) == 1 && slices.Equal(got[0], want), text, got)
	}
}

func TestPagesBeyondTheLimitAreCut(t *testing.T) {
	t.Parallel()
	r := Reader{PDFToText: program(t, `yes page | head -1000 | tr '\n' '\f'`)}
	got, err := r.Read(t.Context(), saved(t, []byte("%PDF-1.7")))
	must.Hold(t, err == nil && len(got.Pages) == 100 && got.Cut, len(got.Pages), got.Cut, err)
}

func TestOtherFileTypesAreRejected(t *testing.T) {
	t.Parallel()
	for content, want := range map[string]error{
		"": ErrOther, "#!/bin/sh": ErrOther, "GIF89a\x01\x00\x01\x00": ErrOther, "\x89PNG\r\n\x1a\n": ErrOther,
		"\xff\xd8\xff": ErrOther,
	} {
		r := Reader{PDFToText: "/nowhere/pdftotext"}
		c, err := r.Read(t.Context(), saved(t, []byte(content)))
		must.Hold(t, errors.Is(err, want) && c.Size == int64(len(content)), content, c, err)
	}
}

func TestEncryptedPDFIsNotDamaged(t *testing.T) {
	t.Parallel()
	const trailer = "\ntrailer<</Root 1 0 R/Encrypt 5 0 R>>"
	for name, c := range map[string]struct {
		script, content string
		want            error
	}{
		"a password":           {"exit 1", "%PDF-1.7" + trailer, ErrEncrypted},
		"no right to copy":     {"exit 3", "%PDF-1.7" + trailer, ErrEncrypted},
		"no text":              {"exit 0", "%PDF-1.7" + trailer, ErrEncrypted},
		"damaged":              {"exit 1", "%PDF-1.7", ErrDamaged},
		"a limit":              {"kill -KILL $$", "%PDF-1.7" + trailer, ErrTooLong},
		"a program that fails": {"exit 127", "%PDF-1.7", ErrUnreadable},
	} {
		r := Reader{PDFToText: program(t, c.script)}
		must.Fail(t, must.Err(r.Read(t.Context(), saved(t, []byte(c.content)))), c.want, name)
	}
	r := Reader{PDFToText: program(t, "echo the user password is empty")}
	must.Succeed(t, must.Err(r.Read(t.Context(), saved(t, []byte("%PDF-1.7"+trailer)))))
}

func TestHeaderOfAPDFMayBeginLater(t *testing.T) {
	t.Parallel()
	r := Reader{PDFToText: program(t, "cat")}
	for _, before := range []string{"\ufeff", "\r\n", "\ufeff\r\n\r\n", strings.Repeat("\n", 1019)} {
		c, err := r.Read(t.Context(), saved(t, []byte(before+"%PDF-1.7")))
		must.Hold(t, err == nil && c.Media == "application/pdf", before, c, err)
	}
}

// real returns a reader with the installed pdftotext, or skips the test.
func real(t *testing.T) Reader {
	t.Helper()
	path, err := exec.LookPath("pdftotext")
	if err != nil {
		t.Skip("pdftotext is not installed")
	}
	return Reader{PDFToText: path}
}

// TestHostileFilesStayWithinBudget does not run in parallel, because it measures the
// processor time of all child processes.
func TestHostileFilesStayWithinBudget(t *testing.T) {
	longtest.Only(t)
	r := real(t)
	once := packed(blanks(80 << 20))
	for name, content := range map[string][]byte{
		"a million streams":      pdf(strings.Repeat("4 0 R ", 1_000_000), "", []byte("BT /F 12 Tf 50 700 Td (text) Tj ET")),
		"compressed three times": pdf("4 0 R", "/Filter[/FlateDecode/FlateDecode/FlateDecode]", packed(packed(once))),
		"compressed twice":       pdf("4 0 R", "/Filter[/FlateDecode/FlateDecode]", packed(once)),
		"nesting":                pdf("4 0 R", "", []byte(strings.Repeat("[", 1_000_000))),
	} {
		before := children(t)
		_, err := r.Read(t.Context(), saved(t, content))
		after := children(t)
		took := time.Duration(after.Utime.Nano() + after.Stime.Nano() - before.Utime.Nano() - before.Stime.Nano())
		must.Hold(t, took <= 2500*time.Millisecond, name, len(content), took)
		must.Hold(t, err != nil, name)
	}
}

func children(t *testing.T) (u syscall.Rusage) {
	t.Helper()
	must.Succeed(t, syscall.Getrusage(syscall.RUSAGE_CHILDREN, &u))
	return u
}

func TestCertificateTextIsRead(t *testing.T) {
	t.Parallel()
	r := real(t)
	got, err := r.Read(t.Context(),
		saved(t, pdf("4 0 R", "", []byte("BT /F 12 Tf 50 700 Td (Certificate of retirement) Tj ET"))))
	must.Hold(t,
		err == nil && len(got.Pages) == 1 &&
			strings.Contains(strings.Join(got.Pages[0], "\n"), "Certificate of retirement") && !got.Cut,
		got.Pages, err)
	across := []byte("q .7 .7 -.7 .7 200 400 cm BT /F 60 Tf (VOID) Tj ET Q BT /F 12 Tf 50 700 Td (Beneficiary) Tj 200 0 Td (Your Customer) Tj ET " +
		"BT /F 12 Tf 50 460 Td (Retired at) Tj 200 0 Td (20 July 2026) Tj ET")
	got, err = r.Read(t.Context(), saved(t, pdf("4 0 R", "", across)))
	text := strings.Join(slices.Concat(got.Pages...), "\n")
	must.Hold(t,
		err == nil && strings.Contains(text, "Beneficiary Your Customer\nRetired at 20 July 2026") &&
			strings.HasPrefix(text, "VOID\n"),
		"with a diagonal word", text, err)
	for name, content := range map[string]string{"cut off": "%PDF-1.7\n1 0 obj <<>>",
		"no more than the start": "%PDF-1.7"} {
		must.Fail(t, must.Err(r.Read(t.Context(), saved(t, []byte(content)))), ErrDamaged, name)
	}
}
