package cli

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
	mu sync.Mutex
	// objects says that everything is told as an object a line, for a program.
	objects bool
	// open says that the last line has no end yet: it tells of a wait, and a
	// failure goes on where it stops.
	open bool
	// progress says that the last line tells how far a command is.
	progress bool
	// waited is the longest wait that was told of.
	waited time.Duration
	// production is what is to be said before data of production is shown; it
	// is empty once it was.
	production string
	// displaced says that the person knows that the profile does not apply.
	displaced bool
}

// notice is something that does not stop the command, told to a program.
type notice struct {
	Code    string `json:"code"`
	Message string `json:"message"`
	// Seconds is how long a wait is.
	Seconds int `json:"seconds,omitzero"`
}

// The codes of notices.
const (
	warningCode    = "warning"
	alertCode      = "alert"
	waitCode       = "wait"
	productionCode = "production"
	savedCode      = "saved"
)

// noticeCodes says what each code of a notice means.
var noticeCodes = map[string]string{
	warningCode:    "something to know that does not stop the command",
	alertCode:      "a rule of the watch list began to hold",
	waitCode:       "the service asked for a wait; seconds says for how long",
	savedCode:      "files were written",
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

func (a *app) warn(format string, args ...any) {
	a.note(notice{Code: warningCode, Message: fmt.Sprintf(format, args...)})
}

func (a *app) note(n notice) {
	a.told.mu.Lock()
	defer a.told.mu.Unlock()
	a.writeNote(n)
}

func (a *app) writeNote(n notice) {
	n.Message = a.clean(sentence(a.advice(n.Message)))
	if a.told.objects {
		a.writeObject(n)
		return
	}
	a.endLine()
	a.write("tonne: " + n.Message + "\n")
}

func (a *app) waits(wait time.Duration) {
	a.told.mu.Lock()
	defer a.told.mu.Unlock()
	if wait <= a.told.waited {
		return
	}
	a.told.waited = wait
	seconds := int((wait + time.Second - 1) / time.Second)
	text := fmt.Sprintf("waiting %d s, as the service asks", seconds)
	switch {
	case a.told.objects:
		a.writeObject(notice{waitCode, sentence(text), seconds})
		return
	case a.told.open:
		text = "; " + text
	default:
		a.endLine()
		text = "tonne: " + text
	}
	a.write(text)
	a.told.open = true
}

func (a *app) tellFailure(f *failure) {
	a.told.mu.Lock()
	defer a.told.mu.Unlock()
	if a.told.objects {
		object := newFailureJSON(f)
		object.Message, object.Next = a.clean(object.Message), a.clean(object.Next)
		a.writeObject(object)
		return
	}
	before := "; "
	if !a.told.open {
		a.endLine()
		before = "tonne: "
	}
	a.write(before + a.clean(sentence(f.what)) + "\n" + a.clean(sentence(capital(f.next()))) + "\n")
	a.told.open = false
}

func (a *app) confirm(format string, args ...any) {
	a.told.mu.Lock()
	defer a.told.mu.Unlock()
	a.endLine()
	a.write(a.clean(fmt.Sprintf(format, args...)) + "\n")
}

func (a *app) endTelling() {
	a.told.mu.Lock()
	defer a.told.mu.Unlock()
	a.endLine()
}

func (a *app) endLine() {
	switch {
	case a.told.open:
		a.write(".\n")
	case a.told.progress:
		fmt.Fprint(a.Stderr, "\r\x1b[K")
	}
	a.told.open, a.told.progress = false, false
}

func (a *app) write(text string) {
	if a.guest != nil {
		text = a.guest.fit(text)
	}
	fmt.Fprint(a.Stderr, text)
}

func (a *app) clean(text string) string { return wire.Clean(a.redact(text)) }

func (a *app) writeObject(object any) { _ = output.Object(a.Stderr, object) }

// dataWriter is standard output for data. What is told on standard error ends
// its line before the data, so that a terminal shows them apart.
type dataWriter struct{ app *app }

func (d dataWriter) Write(text []byte) (int, error) {
	d.app.beforeData()
	return d.app.Stdout.Write(text)
}

func (a *app) data() dataWriter { return dataWriter{a} }

func (a *app) beforeData() {
	a.told.mu.Lock()
	defer a.told.mu.Unlock()
	if a.told.production != "" {
		a.writeNote(notice{Code: productionCode, Message: a.told.production})
		a.told.production = ""
	}
	a.endLine()
}
