package pdftext

import (
	"bytes"
	"context"
	"errors"
	"io"
	"os"
	"os/exec"
	"slices"
	"strconv"
	"strings"
	"time"
	"unicode"
	"unicode/utf8"

	"tonne/api/wire"
)

const (
	// mostPages is how many pages of a PDF are read.
	mostPages = 100
	// leftOver is how long what a program has started may hold its output
	// open after its end.
	leftOver = 100 * time.Millisecond
)

// readPDF returns the text of a PDF by its pages.
func (r Reader) readPDF(ctx context.Context, file *os.File) (pages [][]string, cut bool, err error) {
	program := r.PDFToText
	if program == "" {
		// A program of that name in the directory we are in is none: LookPath
		// refuses it.
		if program, err = exec.LookPath("pdftotext"); err != nil {
			return nil, false, ErrNoReader
		}
	}
	text, cut, err := r.run(ctx, file, program)
	if err != nil {
		return nil, false, err
	}
	pages = splitPages(text)
	if len(pages) == 0 {
		return nil, false, ErrUnreadable
	}
	return pages, cut || len(pages) == mostPages, nil
}

// run returns what a program makes of a file, and whether that may not be all.
func (r Reader) run(ctx context.Context, file *os.File, program string) (text []byte, cut bool, err error) {
	limits := r.limits.orUsual()
	limited, cancel := context.WithTimeout(ctx, limits.patience)
	defer cancel()
	// The file is its input, so that no name of a file is taken for anything
	// else. Text comes in the order in which the page was written: a layout by
	// columns is torn apart by a word that lies across the page.
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
		// A signal ended it: ours, or that of a limit.
		return nil, false, ErrTooLong
	case cmd.ProcessState != nil && cmd.ProcessState.ExitCode() == cannotOpen:
		return nil, false, ErrDamaged
	}
	return nil, false, ErrUnreadable
}

// cannotOpen is how pdftotext exits for a file that it cannot open as a PDF.
const cannotOpen = 1

// environment is what of our own environment a program gets that reads what
// came from elsewhere: no keys of anything.
func environment() []string {
	var kept []string
	for _, name := range [...]string{"PATH", "HOME"} {
		if value, ok := os.LookupEnv(name); ok {
			kept = append(kept, name+"="+value)
		}
	}
	return kept
}

// capped keeps as much text as there is room for, and then has the writer
// ended.
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

// splitPages returns the lines of each page, fit for a terminal, with at most
// one that is empty between others; nothing where there is no text at all.
func splitPages(text []byte) [][]string {
	var pages [][]string
	some := false
	for page := range strings.SplitSeq(strings.TrimSuffix(string(text), "\f"), "\f") {
		var lines []string
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
		if pages = append(pages, joinLetters(lines)); len(pages) == mostPages {
			break
		}
	}
	if !some {
		return nil
	}
	return pages
}

// slantedWord is how many lines of one letter each are taken for a word that
// lies across the page: that is how such a word arrives.
const slantedWord = 4

// joinLetters makes a line of each such word.
func joinLetters(lines []string) []string {
	var joined []string
	for len(lines) > 0 {
		n := slices.IndexFunc(lines, func(line string) bool {
			r, size := utf8.DecodeRuneInString(line)
			return size != len(line) || !unicode.IsLetter(r)
		})
		if n < 0 {
			n = len(lines)
		}
		if n >= slantedWord {
			joined = append(joined, strings.Join(lines[:n], ""))
		} else {
			n = max(n, 1)
			joined = append(joined, lines[:n]...)
		}
		lines = lines[n:]
	}
	return joined
}
