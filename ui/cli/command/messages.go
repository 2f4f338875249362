package command

import (
	"fmt"
	"io"
	"strings"
	"sync"
	"time"

	"tonne/model/advice"
	"tonne/ui/cli/terminal"
	"tonne/ui/output"
)

// Messages writes the messages of a run to standard error. It is safe for concurrent use.
type Messages struct {
	out, err io.Writer
	// clean sanitises a text, advise adds the flags of the run to commands, and fit wraps lines
	// for the terminal of a guest.
	clean, fit func(text string) string
	advise     func(advice.Text) string

	mu sync.Mutex
	// objects reports that each message is a JSON object on one line.
	objects bool
	// open reports that the last line, a wait, has no end yet: a failure is appended to it.
	open bool
	// terminal reports that progress can be shown, and progress that the last line shows it.
	terminal, progress bool
	// waited is the longest wait reported so far.
	waited time.Duration
	// before is printed once, before the first data.
	before string
}

func newMessages(a *App) *Messages {
	m := &Messages{
		out: a.Stdout, err: a.Stderr, clean: a.Clean, advise: a.Advice, objects: wantsJSON(a.Args),
		fit:      func(text string) string { return text },
		terminal: terminal.IsTerminal(a.Stderr) && !a.IsDumb() && !a.Accessible(),
	}
	if a.Guest != nil {
		m.fit = a.Guest.Fit
	}
	return m
}

// Notice is a message for programs that does not stop the command.
type Notice struct {
	Code    string `json:"code"`
	Message string `json:"message"`
	// Seconds is the length of a wait.
	Seconds int `json:"seconds,omitzero"`
}

// The codes of notices.
const (
	warningCode = "warning"
	AlertCode   = "alert"
	// InformationCode is the code of messages that are neither warnings nor events.
	InformationCode = "information"
	WaitCode        = "wait"
	productionCode  = "production"
	SavedCode       = "saved"
)

// NoticeCodes explains the codes of notices, in alphabetical order.
var NoticeCodes = []NamedText{
	{AlertCode, "a rule of the watch list fired"},
	{InformationCode, "how a file or a flag was read, or sums of the data"},
	{productionCode, "the address is marked as production by a profile"},
	{SavedCode, "files were written"},
	{WaitCode, "the service requested a wait of this many seconds"},
	{warningCode, "a warning that does not stop the command"},
}

// wantsJSON reports whether the arguments choose a format for programs. It uses the
// text of the arguments, because errors of invalid flags use the format too.
func wantsJSON(args []string) bool {
	for i, arg := range args {
		name, value, assigned := strings.Cut(arg, "=")
		switch {
		case arg == "--":
			return false
		case name != "-o" && name != "--output":
			value = strings.TrimPrefix(arg, "-o")
			if value == arg {
				continue
			}
		case !assigned && i+1 < len(args):
			value = args[i+1]
		}
		if value == string(output.JSON) || value == string(output.JSONL) {
			return true
		}
	}
	return false
}

// Warn prints a warning that does not stop the command. Arguments may be of package advice.
func (m *Messages) Warn(format string, args ...any) {
	m.Note(Notice{Code: warningCode, Message: m.advise(advice.Format(format, args...))})
}

// Note prints a message that does not stop the command, with a code for programs.
func (m *Messages) Note(n Notice) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.writeNote(n)
}

// NoteLastDay reports that --to excludes the last day of a month, which users may have meant to include.
func (m *Messages) NoteLastDay(to time.Time) {
	if next := to.AddDate(0, 0, 1); !to.IsZero() && next.Day() == 1 {
		m.Note(Notice{Code: InformationCode, Message: fmt.Sprintf("--to is exclusive: %s is left out; --to %s includes it",
			to.Format(time.DateOnly), next.Format(time.DateOnly))})
	}
}

func (m *Messages) writeNote(n Notice) {
	n.Message = m.clean(Sentence(n.Message))
	if m.objects {
		_ = output.Object(m.err, n)
		return
	}
	m.endLine()
	m.write("tonne: " + n.Message + "\n")
}

func (m *Messages) reportWait(wait time.Duration) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if wait <= m.waited {
		return
	}
	m.waited = wait
	seconds := int((wait + time.Second - 1) / time.Second)
	text := fmt.Sprintf("waiting %d s, as the service requests", seconds)
	switch {
	case m.objects:
		_ = output.Object(m.err, Notice{WaitCode, Sentence(text), seconds})
		return
	case m.open:
		text = "; " + text
	default:
		m.endLine()
		text = "tonne: " + text
	}
	m.write(text)
	m.open = true
}

func (m *Messages) printFailure(f *Failure, what, next string) {
	what, next = m.clean(Sentence(what)), m.clean(Sentence(Capital(next)))
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.objects {
		object := NewFailureJSON(f)
		object.Message, object.Next = what, next
		_ = output.Object(m.err, object)
		return
	}
	before := "; "
	if !m.open {
		m.endLine()
		before = "tonne: "
	}
	m.write(before + what + "\n" + next + "\n")
	m.open = false
}

// End ends the open line.
func (m *Messages) End() {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.endLine()
}

func (m *Messages) endLine() {
	switch {
	case m.open:
		m.write(".\n")
	case m.progress:
		fmt.Fprint(m.err, "\r\x1b[K")
	}
	m.open, m.progress = false, false
}

func (m *Messages) write(text string) { fmt.Fprint(m.err, m.fit(text)) }

// Say writes a text unchanged.
func (m *Messages) Say(text string) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.write(text)
}

// AsObjects reports whether each message is a JSON object on one line.
func (m *Messages) AsObjects() bool { return m.objects }

type dataWriter struct{ *Messages }

func (d dataWriter) Write(text []byte) (int, error) {
	d.BeforeData()
	return d.out.Write(text)
}

// Unwrap returns standard output.
func (d dataWriter) Unwrap() io.Writer { return d.out }

// Data returns standard output for data. The first write calls BeforeData.
func (m *Messages) Data() io.Writer { return dataWriter{m} }

// ShowProgress overwrites the last line with the progress, if standard error is a terminal.
func (m *Messages) ShowProgress(format string, args ...any) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if !m.terminal || m.objects || m.open {
		return
	}
	m.progress = true
	fmt.Fprintf(m.err, "\r\x1b[K"+format, args...)
}

// ClearProgress removes the line of ShowProgress.
func (m *Messages) ClearProgress() {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.progress {
		m.endLine()
	}
}

// BeforeData prints the text that comes before data, and ends the open line.
func (m *Messages) BeforeData() {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.before != "" {
		m.writeNote(Notice{Code: productionCode, Message: m.before})
		m.before = ""
	}
	m.endLine()
}
