package pdftext

import (
	"bytes"
	"context"
	"errors"
	"io"
	"os"
	"os/exec"
	"regexp"
	"strconv"
	"strings"
	"time"

	"tonne/api/wire"
	"tonne/model/retirement"
)

const (
	// mostPages limits the pages that are read.
	mostPages = 100
	// leftOver limits the time for which child processes keep the output open after the
	// program has exited.
	leftOver = 100 * time.Millisecond
)

func (r Reader) readPDF(ctx context.Context, file *os.File) (pages [][]string, cut bool, err error) {
	program := r.PDFToText
	if program == "" {
		// LookPath does not accept a program in the working directory.
		if program, err = exec.LookPath("pdftotext"); err != nil {
			return nil, false, ErrNoReader
		}
	}
	text, cut, err := r.run(ctx, file, program)
	if err == nil {
		if pages = splitPages(text); len(pages) == 0 {
			err = ErrUnreadable
		}
	}
	switch {
	case (err == ErrDamaged || err == ErrUnreadable) && isEncrypted(file):
		return nil, false, ErrEncrypted
	case err != nil:
		return nil, false, err
	}
	return pages, cut || len(pages) == mostPages, nil
}

func (r Reader) run(ctx context.Context, file *os.File, program string) (text []byte, cut bool, err error) {
	limits := r.limits.orUsual()
	limited, cancel := context.WithTimeout(ctx, limits.patience)
	defer cancel()
	// The file is passed as standard input, so that its name is never taken for an option.
	// The text has the order of the page's content, since a diagonal word would disturb a
	// layout by columns.
	cmd := confined(limited, limits.cpu, program,
		"-q", "-raw", "-enc", "UTF-8", "-eol", "unix", "-l", strconv.Itoa(mostPages), "-", "-")
	if _, err := file.Seek(0, io.SeekStart); err != nil {
		return nil, false, err
	}
	out := &capped{room: limits.text, full: cancel}
	cmd.Stdin, cmd.Stdout, cmd.Env, cmd.WaitDelay = file, out, environment(), leftOver
	err = cmd.Run()
	killRest(cmd)
	text = out.text
	switch {
	case ctx.Err() != nil:
		return nil, false, ctx.Err()
	case err == nil || errors.Is(err, exec.ErrWaitDelay):
		return text, false, nil
	case len(bytes.TrimSpace(text)) > 0:
		return text, true, nil
	case limited.Err() != nil || cmd.ProcessState != nil && !cmd.ProcessState.Exited():
		// A signal killed it: from this program, or because of a limit.
		return nil, false, ErrTooLong
	case cmd.ProcessState != nil && cmd.ProcessState.ExitCode() == cannotOpen:
		return nil, false, ErrDamaged
	}
	return nil, false, ErrUnreadable
}

// isEncrypted reports whether a trailer of the PDF names an encryption dictionary.
func isEncrypted(file io.ReaderAt) bool {
	content, err := io.ReadAll(io.NewSectionReader(file, 0, retirement.LargestCertificate))
	return err == nil && bytes.Contains(content, []byte("/Encrypt"))
}

// cannotOpen is the exit status of pdftotext for a file that is not a PDF.
const cannotOpen = 1

// environment returns an environment without API keys, for a program that reads untrusted files.
func environment() []string {
	var kept []string
	for _, name := range [...]string{"PATH", "HOME"} {
		if value, ok := os.LookupEnv(name); ok {
			kept = append(kept, name+"="+value)
		}
	}
	return kept
}

// capped keeps text up to its limit and then stops the writer.
type capped struct {
	text []byte
	room int
	full context.CancelFunc
}

func (c *capped) Write(p []byte) (int, error) {
	taken := min(len(p), c.room-len(c.text))
	c.text = append(c.text, p[:taken]...)
	if taken < len(p) {
		c.full()
		return taken, io.ErrShortWrite
	}
	return taken, nil
}

func splitPages(text []byte) [][]string {
	var pages [][]string
	some := false
	// A diagonal word arrives as one letter per line.
	slanted := regexp.MustCompile(`(?m)^\pL(?:[ \t\r]*\n\pL[ \t\r]*$){3,}`)
	for page := range strings.SplitSeq(strings.TrimSuffix(string(text), "\f"), "\f") {
		var lines []string
		page = slanted.ReplaceAllStringFunc(page, func(word string) string { return strings.Join(strings.Fields(word), "") })
		for line := range strings.SplitSeq(page, "\n") {
			line = wire.Clean(strings.TrimRight(line, " \t\r"))
			if line == "" && (len(lines) == 0 || lines[len(lines)-1] == "") {
				continue
			}
			lines = append(lines, line)
		}
		if n := len(lines); n > 0 && lines[n-1] == "" {
			lines = lines[:n-1]
		}
		some = some || len(lines) > 0
		if pages = append(pages, lines); len(pages) == mostPages {
			break
		}
	}
	if !some {
		return nil
	}
	return pages
}
