package command

import (
	"fmt"
	"io"
	"strings"
	"sync"
	"time"

	"tonne/ui/cli/terminal"
	"tonne/ui/output"
)

// Messages is what a run says on standard error. Many goroutines say that they wait.
type Messages struct {
	out, err io.Writer
	// clean makes a text fit to be printed, advise names in it the flags of the run,
	// fit breaks its lines for the terminal of a guest.
	clean, advise, fit func(text string) string

	mu sync.Mutex
	// objects says that each message is an object on a line, for a program.
	objects bool
	// open says that the last line has no end yet: it tells of a wait, and a
	// failure goes on where it stops.
	open bool
	// progress says that the last line tells how far a command is.
	progress bool
	// waited is the longest wait that was told of.
	waited time.Duration
	// before is said before data is printed; it is empty once it was.
	before string
}

func (a *App) newMessages() *Messages {
	m := &Messages{
		out: a.Stdout, err: a.Stderr, clean: a.Clean, advise: a.Advice, objects: asksForObjects(a.Args), fit: func(text string) string { return text },
	}
	if a.Guest != nil {
		m.fit = a.Guest.Fit
	}
	return m
}

// Notice is something that does not stop the command, told to a program.
type Notice struct {
	Code    string `json:"code"`
	Message string `json:"message"`
	// Seconds is how long a wait is.
	Seconds int `json:"seconds,omitzero"`
}

// The codes of notices.
const (
	warningCode    = "warning"
	AlertCode      = "alert"
	WaitCode       = "wait"
	productionCode = "production"
	SavedCode      = "saved"
)

// NoticeCodes says what each code of a notice means, sorted.
var NoticeCodes = []NamedText{
	{AlertCode, "a rule of the watch list began to hold"},
	{productionCode, "the address is marked as production by a profile"},
	{SavedCode, "files were written"},
	{WaitCode, "the service asked for a wait; seconds says for how long"},
	{warningCode, "something to know that does not stop the command"},
}

// asksForObjects reports whether arguments choose a format for programs. It
// looks at the text, since flags that cannot be read are told too.
func asksForObjects(args []string) bool {
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

// Warn says something that does not stop the command.
func (m *Messages) Warn(format string, args ...any) {
	m.Note(Notice{Code: warningCode, Message: fmt.Sprintf(format, args...)})
}

// Note says something that does not stop the command, with a code for programs.
func (m *Messages) Note(n Notice) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.writeNote(n)
}

func (m *Messages) writeNote(n Notice) {
	n.Message = m.clean(Sentence(m.advise(n.Message)))
	if m.objects {
		_ = output.Object(m.err, n)
		return
	}
	m.endLine()
	m.write("tonne: " + n.Message + "\n")
}

func (m *Messages) waits(wait time.Duration) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if wait <= m.waited {
		return
	}
	m.waited = wait
	seconds := int((wait + time.Second - 1) / time.Second)
	text := fmt.Sprintf("waiting %d s, as the service asks", seconds)
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

func (m *Messages) tellFailure(f *Failure) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.objects {
		object := NewFailureJSON(f)
		object.Message, object.Next = m.clean(object.Message), m.clean(object.Next)
		_ = output.Object(m.err, object)
		return
	}
	before := "; "
	if !m.open {
		m.endLine()
		before = "tonne: "
	}
	m.write(before + m.clean(Sentence(f.What)) + "\n" + m.clean(Sentence(Capital(f.Next()))) + "\n")
	m.open = false
}

// Confirm says that something was done.
func (m *Messages) Confirm(format string, args ...any) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.endLine()
	m.write(m.clean(fmt.Sprintf(format, args...)) + "\n")
}

// End ends the line that is open.
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

// Say writes a text as it is.
func (m *Messages) Say(text string) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.write(text)
}

// AsObjects reports whether each message is an object on a line, for a program.
func (m *Messages) AsObjects() bool { return m.objects }

type dataWriter struct{ *Messages }

func (d dataWriter) Write(text []byte) (int, error) {
	d.BeforeData()
	return d.out.Write(text)
}

// Data returns standard output for data. The line on standard error ends before the
// data, so that a terminal shows them apart.
func (m *Messages) Data() io.Writer { return dataWriter{m} }

// Progress shows a person at a terminal how far a command is, in place of the line
// before. It does nothing elsewhere.
type Progress struct {
	messages *Messages
	shown    bool
}

// NewProgress returns the progress of a command.
func (a *App) NewProgress() *Progress {
	return &Progress{a.Messages, terminal.IsTerminal(a.Stderr) && !a.IsDumb() && !a.Accessible()}
}

// Tell shows how far the command is.
func (p *Progress) Tell(format string, args ...any) {
	m := p.messages
	m.mu.Lock()
	defer m.mu.Unlock()
	if !p.shown || m.objects || m.open {
		return
	}
	m.progress = true
	fmt.Fprintf(m.err, "\r\x1b[K"+format, args...)
}

// Clear removes what Tell showed.
func (p *Progress) Clear() {
	p.messages.mu.Lock()
	defer p.messages.mu.Unlock()
	if p.messages.progress {
		p.messages.endLine()
	}
}

// BeforeData prepares for data on standard output: it says what comes before, and
// ends the line that is open.
func (m *Messages) BeforeData() {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.before != "" {
		m.writeNote(Notice{Code: productionCode, Message: m.before})
		m.before = ""
	}
	m.endLine()
}
