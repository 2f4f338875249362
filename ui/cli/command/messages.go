package command

import (
	"fmt"
	"strings"
	"sync"
	"time"

	"tonne/api/wire"
	"tonne/ui/cli/output"
)

// telling is what stands on standard error. Many goroutines tell of waits.
type telling struct {
	Mu sync.Mutex
	// Objects says that everything is told as an object a line, for a program.
	Objects bool
	// open says that the last line has no end yet: it tells of a wait, and a
	// failure goes on where it stops.
	open bool
	// progress says that the last line tells how far a command is.
	progress bool
	// waited is the longest wait that was told of.
	waited time.Duration
	// Production is what is to be said before data of production is shown; it
	// is empty once it was.
	Production string
	// displaced says that the person knows that the profile does not apply.
	displaced bool
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

// NoticeCodes says what each code of a notice means.
var NoticeCodes = map[string]string{
	warningCode:    "something to know that does not stop the command",
	AlertCode:      "a rule of the watch list began to hold",
	WaitCode:       "the service asked for a wait; seconds says for how long",
	SavedCode:      "files were written",
	productionCode: "the address is marked as production by a profile",
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

func (a *App) Warn(format string, args ...any) {
	a.Note(Notice{Code: warningCode, Message: fmt.Sprintf(format, args...)})
}

func (a *App) Note(n Notice) {
	a.Told.Mu.Lock()
	defer a.Told.Mu.Unlock()
	a.writeNote(n)
}

func (a *App) writeNote(n Notice) {
	n.Message = a.Clean(Sentence(a.Advice(n.Message)))
	if a.Told.Objects {
		a.writeObject(n)
		return
	}
	a.endLine()
	a.Write("tonne: " + n.Message + "\n")
}

func (a *App) waits(wait time.Duration) {
	a.Told.Mu.Lock()
	defer a.Told.Mu.Unlock()
	if wait <= a.Told.waited {
		return
	}
	a.Told.waited = wait
	seconds := int((wait + time.Second - 1) / time.Second)
	text := fmt.Sprintf("waiting %d s, as the service asks", seconds)
	switch {
	case a.Told.Objects:
		a.writeObject(Notice{WaitCode, Sentence(text), seconds})
		return
	case a.Told.open:
		text = "; " + text
	default:
		a.endLine()
		text = "tonne: " + text
	}
	a.Write(text)
	a.Told.open = true
}

func (a *App) tellFailure(f *Failure) {
	a.Told.Mu.Lock()
	defer a.Told.Mu.Unlock()
	if a.Told.Objects {
		object := NewFailureJSON(f)
		object.Message, object.Next = a.Clean(object.Message), a.Clean(object.Next)
		a.writeObject(object)
		return
	}
	before := "; "
	if !a.Told.open {
		a.endLine()
		before = "tonne: "
	}
	a.Write(before + a.Clean(Sentence(f.What)) + "\n" + a.Clean(Sentence(Capital(f.Next()))) + "\n")
	a.Told.open = false
}

func (a *App) Confirm(format string, args ...any) {
	a.Told.Mu.Lock()
	defer a.Told.Mu.Unlock()
	a.endLine()
	a.Write(a.Clean(fmt.Sprintf(format, args...)) + "\n")
}

func (a *App) EndTelling() {
	a.Told.Mu.Lock()
	defer a.Told.Mu.Unlock()
	a.endLine()
}

func (a *App) endLine() {
	switch {
	case a.Told.open:
		a.Write(".\n")
	case a.Told.progress:
		fmt.Fprint(a.Stderr, "\r\x1b[K")
	}
	a.Told.open, a.Told.progress = false, false
}

func (a *App) Write(text string) {
	if a.Guest != nil {
		text = a.Guest.Fit(text)
	}
	fmt.Fprint(a.Stderr, text)
}

func (a *App) Clean(text string) string { return wire.Clean(a.Redact(text)) }

func (a *App) writeObject(object any) { _ = output.Object(a.Stderr, object) }

// dataWriter is standard output for data. What is told on standard error ends
// its line before the data, so that a terminal shows them apart.
type dataWriter struct{ App *App }

func (d dataWriter) Write(text []byte) (int, error) {
	d.App.BeforeData()
	return d.App.Stdout.Write(text)
}

func (a *App) Data() dataWriter { return dataWriter{a} }

func (a *App) BeforeData() {
	a.Told.Mu.Lock()
	defer a.Told.Mu.Unlock()
	if a.Told.Production != "" {
		a.writeNote(Notice{Code: productionCode, Message: a.Told.Production})
		a.Told.Production = ""
	}
	a.endLine()
}
