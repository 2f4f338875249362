package command

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"runtime/debug"
	"slices"
	"strings"
	"syscall"
	"unicode"
	"unicode/utf8"

	"github.com/spf13/cobra"

	"tonne/api"
	"tonne/api/audit"
	"tonne/model/advice"
	"tonne/model/file/localfile"
	"tonne/model/file/record"
	"tonne/ui/cli/config"
	"tonne/ui/cli/credentials"
	"tonne/ui/cli/terminal"
)

// The exit status of a command.
const (
	StatusDone        = 0
	StatusFailed      = 1
	StatusUsage       = 2
	StatusRefused     = 3
	StatusNotFound    = 4
	StatusUnreachable = 5
	StatusInterrupted = 130
)

// Failure is the error of a command: what happened and what to do, one sentence each.
type Failure struct {
	What, Todo advice.Text
	// More are further steps after Todo.
	More advice.Text
	// Again is how to repeat the command after Todo. It is empty if Todo includes it.
	Again advice.Text
	// Harmful reports that the same command would retire something a second time.
	Harmful bool
	Status  int
	// Code is the error code for programs. If empty, the status determines it.
	Code string
	// Cause is the wrapped error, or nil.
	Cause error
	// Silent reports that the failure has been printed.
	Silent bool
	// otherKey reports that Todo is about the key, and unexpected that Again is about the log.
	otherKey, unexpected bool
}

// Error returns what happened.
func (f *Failure) Error() string { return f.What.String() }

// Unwrap returns the cause.
func (f *Failure) Unwrap() error { return f.Cause }

// Next returns the advice.
func (f *Failure) Next() advice.Text {
	return advice.Join(", then ", advice.Join("; ", f.Todo, f.More), f.Again)
}

// Said is a text with or without commands.
type Said interface{ string | advice.Text }

func textOf[T Said](text T) advice.Text {
	if plain, ok := any(text).(string); ok {
		return advice.Plain(plain)
	}
	return any(text).(advice.Text)
}

// Usage returns the failure of wrong usage (status 2).
func Usage[T Said](todo T, format string, args ...any) error {
	return &Failure{What: advice.Format(format, args...), Todo: textOf(todo), Status: StatusUsage}
}

// Failed returns any other failure (status 1). The format may wrap a cause with %w.
func Failed[T Said](todo T, format string, args ...any) error {
	what := fmt.Errorf(format, args...)
	return &Failure{What: advice.Plain(what.Error()), Todo: textOf(todo), Status: StatusFailed, Cause: errors.Unwrap(what)}
}

// Unmet returns the failure of a command that finds nothing, or not enough (status 4).
func Unmet[T Said](code string, todo T, format string, args ...any) error {
	return &Failure{What: advice.Format(format, args...), Todo: textOf(todo), Status: StatusNotFound, Code: code}
}

// Incomplete returns the failure of a listing that was read only in part (status 5).
func Incomplete(format string, args ...any) error {
	const todo = "try again later; if the problem persists, contact the marketplace's support"
	return &Failure{What: advice.Format(format, args...), Todo: advice.Plain(todo), Status: StatusUnreachable,
		Code: "incomplete"}
}

// Do adapts a command for cobra.
func Do(command func(ctx context.Context, cmd *cobra.Command, args []string) error) func(*cobra.Command,
	[]string) error {
	return func(cmd *cobra.Command, args []string) error { return command(cmd.Context(), cmd, args) }
}

// Report prints the failure of a command, and returns the exit status.
func (a *App) Report(ctx context.Context, err error) int {
	defer a.End()
	if signal, ok := errors.AsType[*terminal.SignalError](context.Cause(ctx)); ok {
		return signal.Status()
	}
	if a.Guest != nil && ctx.Err() != nil {
		// The server that ended the session reports the reason.
		return StatusFailed
	}
	if err == nil || api.KindOf(err) == 0 && errors.Is(err, syscall.EPIPE) {
		// The reader closed standard output.
		return StatusDone
	}
	f := Explain(err)
	if a.Guest != nil && (f.Code == CallCodes[api.Unauthorized] || errors.Is(err, api.ErrKey)) {
		f.Todo, f.More, f.Again = advice.Plain("ask the operator of the desk to store another key"), advice.Text{},
			advice.Text{}
	}
	if f.unexpected && !f.Again.IsEmpty() && !a.HasDebug {
		f.Again = advice.Plain(AskAbout)
	}
	if f.Silent {
		return f.Status
	}
	if what, some := a.hideKeys(f.Error()); some && f.Status == StatusUsage {
		f = &Failure{What: advice.Plain(what), Todo: KeysBelong, Status: f.Status, Code: f.Code}
	}
	f = withContext(a, f)
	a.printFailure(f, a.Advice(f.What), nextOf(a, f))
	return f.Status
}

func withContext(a *App, f *Failure) *Failure {
	full := *f
	if f.Status == StatusRefused && a.KeySource != (KeySource{}) {
		full.What = advice.Join("", f.What, advice.Plain("; the key comes from "+a.KeySource.String()))
		if f.otherKey {
			full.Todo = a.KeySource.advice()
		}
	}
	if f.Status != StatusUsage {
		full.What = advice.Join("", full.What, advice.Plain(a.OnProduction()))
	}
	return &full
}

// otherKey is the advice on a key that the service does not accept.
var otherKey = advice.Format("store another key with %s, or set TONNE_API_KEY", login)

// login is the command that stores a key.
var login = advice.Tonne("auth login")

// KeysBelong is the advice on where to give a key.
var KeysBelong = advice.Format("a key is typed at the prompt of %s, given on its standard input, or set in "+
	"TONNE_API_KEY", login)

// Explain returns the failure for an error.
func Explain(err error) *Failure {
	var f *Failure
	var call *api.Error
	var file *config.Error
	var place *credentials.PlaceError
	var loose *localfile.ModeError
	var path *fs.PathError
	var exists *localfile.ExistsError
	var markets *record.FileError
	var notAsked *audit.NotAskedError
	switch {
	case errors.As(err, &f):
		return f
	case errors.As(err, &notAsked):
		cause := Explain(notAsked.Cause)
		return &Failure{What: advice.Plain(notAsked.Error()), Todo: cause.Next(), Status: cause.Status}
	case errors.As(err, &loose):
		return configuration(loose, advice.Plain("run: "+loose.Chmod()))
	case errors.As(err, &call):
		return explainCall(call)
	case errors.As(err, &exists):
		return failed(exists.Error(), "name another file, or add --overwrite to replace it")
	case errors.As(err, &file):
		return configuration(file, fileAdvice(file))
	case errors.As(err, &place):
		return &Failure{What: advice.Plain(place.Error()), Todo: advice.Plain(place.Todo), Status: StatusUsage,
			Code: "credentials"}
	case errors.As(err, &markets):
		return failed("the record of markets "+markets.Error(), markets.Todo+"; trading and retiring work without it")
	case errors.Is(err, syscall.ENOSPC):
		what := "no space left on the device"
		if errors.As(err, &path) {
			what = path.Path + ": " + what
		}
		f := failed(what, "free some space")
		f.Again, f.Code = advice.Plain("run it again"), "disk_full"
		return f
	case errors.As(err, &path):
		return failed(path.Path+": "+path.Err.Error(), checkPath)
	}
	// The error of a library may have several lines.
	what, _, _ := strings.Cut(err.Error(), "\n")
	f = failed(what, "")
	f.Again, f.unexpected = advice.Plain(seeMore), true
	return f
}

func failed(what, todo string) *Failure {
	return &Failure{What: advice.Plain(what), Todo: advice.Plain(todo), Status: StatusFailed}
}

func configuration(err error, todo advice.Text) *Failure {
	return &Failure{What: advice.Plain(err.Error()), Todo: todo, Status: StatusUsage, Code: "configuration"}
}

const checkPath = "check the path and your permissions"

// Advice on an unexpected failure, with and without a debug log.
const (
	seeMore  = "run it again with --debug FILE to see more"
	AskAbout = "try again, and report it to the maintainers of tonne if the problem persists"
)

func fileAdvice(e *config.Error) advice.Text {
	switch {
	case errors.Is(e, fs.ErrNotExist):
		return advice.Format("name an existing file with --config or TONNE_CONFIG; %s writes a new one",
			advice.Tonne("config init"))
	case e.Err != nil:
		return advice.Plain(checkPath)
	}
	return advice.Format("correct the file; %s opens it", advice.Tonne("config edit"))
}

func explainCall(e *api.Error) *Failure {
	f := &Failure{What: advice.Plain(e.Error()), Todo: api.Advice(e), Status: StatusUnreachable, Code: CallCodes[e.Kind]}
	what := func(format string) { f.What = advice.Format(format, e.Error()) }
	switch e.Kind {
	case api.RateLimited, api.ServerError, api.NotTheAPI, api.Incomplete:
		if !e.Elsewhere {
			f.Todo, f.Again = advice.Text{}, f.Todo
		}
	case api.Unauthorized:
		what("%s (401)")
		if f.otherKey = e.Todo == ""; f.otherKey {
			f.Todo = otherKey
		}
		f.Status = StatusRefused
	case api.Forbidden:
		what("%s (403)")
		f.Status = StatusRefused
	case api.NotFound, api.Invalid:
		f.Status = StatusNotFound
	case api.Unreachable:
		what("the service cannot be reached: %s")
	case api.TimedOut:
		f.Todo, f.Again = advice.Text{}, advice.Plain("try again").Or("allow more time with --timeout").Needs("timeout")
	case api.Refused:
		f.Status = StatusUsage
		if errors.Is(e, api.ErrKey) {
			f.Todo = advice.Format("store the key again with %s, or set TONNE_API_KEY to only the key", login)
		}
	case api.Cancelled:
		f.Todo, f.Again = advice.Text{}, f.Todo
		f.Status = StatusFailed
	}
	return f
}

// Panicked logs a panic and returns the failure.
func (a *App) Panicked(r any) error {
	a.Log().Error("panic", "what", fmt.Sprint(r), "stack", string(debug.Stack()))
	return a.BrokeDown()
}

// BrokeDown returns the failure of an internal error.
func (a *App) BrokeDown() error {
	todo := "run it again with --debug FILE and send the file to the maintainers of tonne"
	switch {
	case !a.HasDebug:
		todo = "report to the maintainers of tonne what you ran"
	case a.Flags["debug"] != "":
		todo = "send " + a.Flags["debug"] + " to the maintainers of tonne"
	}
	return Failed(todo, "tonne stopped because of an internal error")
}

// Sentence ends a text with a full stop, unless it already ends.
func Sentence(s string) string {
	if s == "" || strings.HasSuffix(s, ".") || strings.HasSuffix(s, "?") {
		return s
	}
	return s + "."
}

// Capital begins a text with a capital letter.
func Capital(s string) string {
	r, size := utf8.DecodeRuneInString(s)
	if size == 0 {
		return s
	}
	return string(unicode.ToUpper(r)) + s[size:]
}

// FailureJSON is a failure for programs.
type FailureJSON struct {
	Code      string `json:"code"`
	Message   string `json:"message"`
	Retryable bool   `json:"retryable"`
	Next      string `json:"next"`
	Status    int    `json:"exit_status"`
}

// NewFailureJSON returns a failure for programs.
func NewFailureJSON(f *Failure) FailureJSON {
	code := cmp.Or(f.Code, StatusCodes[f.Status])
	retryable := !f.Harmful &&
		slices.ContainsFunc(FailureCodes, func(c FailureCode) bool { return c.Code == code && c.Retryable })
	return FailureJSON{code, Sentence(f.Error()), retryable, Sentence(Capital(f.Next().String())), f.Status}
}

// CallCodes names the calls of the marketplace that fail.
var CallCodes = map[api.Kind]string{
	api.Unauthorized: "unauthorized", api.Forbidden: "forbidden", api.NotFound: "not_found", api.Invalid: "not_valid",
	api.RateLimited: "rate_limited", api.ServerError: "server_error", api.NotTheAPI: "not_the_api",
	api.Unreachable: "unreachable", api.TimedOut: "timed_out", api.Cancelled: "cancelled", api.Refused: "unsafe",
	api.Incomplete: "incomplete",
}

// StatusCodes gives the code of a failure without one.
var StatusCodes = map[int]string{
	StatusFailed: "failed", StatusUsage: "usage", StatusRefused: "refused", StatusNotFound: "not_found",
	StatusUnreachable: "unavailable",
}

// FailureCode explains a code and states whether the same command may succeed later.
type FailureCode struct {
	Code        string `json:"code"`
	Description string `json:"description"`
	Retryable   bool   `json:"retryable"`
}

// FailureCodes are the codes of failures, sorted. Programs depend on them.
var FailureCodes = []FailureCode{
	{"already_retired", "the retirement was made before, but is not in the journal", false},
	{"cancelled", "the request was cancelled", false},
	{"configuration", "the configuration file cannot be read or is invalid", false},
	{"credentials", "other users can read the stored keys", false},
	{"disk_full", "no space is left on the disk", false},
	{"failed", "any other failure", false},
	{"forbidden", "the user of the API key lacks a role (403)", false},
	{"incomplete", "a listing ended before all of it was read, or numbers in it cannot be read", true},
	{"moved", "the market or the wallet changed after the plan was shown", true},
	{notConfigured, "no marketplace or no key is configured", false},
	{"not_found", "an id is unknown or not yours (422), or a search finds nothing", false},
	{"not_the_api", "the response is not from the marketplace API", false},
	{"not_valid", "an id is not valid (422)", false},
	{"outcome_unknown", "the outcome of a call is unknown; the same command can safely be repeated", true},
	{"rate_limited", "the service asks for fewer requests (429)", true},
	{"refused", "the service refused the key for some of the requests", false},
	{"retire_refused", "the service refused to retire; it had no effect (422)", false},
	{"server_error", "the service failed (5xx)", true},
	{"timed_out", "the service did not answer in time", true},
	{"too_dear", "the cost exceeds the limit", false},
	{"not_recorded", "no program of this user read the market at the time", false},
	{"too_little", "less is for sale than requested", false},
	{"unauthorized", "the service does not accept the API key (401)", false},
	{"unavailable", "the service was unavailable for some of the requests", true},
	{"unreachable", "the service cannot be reached", true},
	{"unsafe", "the address or the key cannot be used safely", false},
	{"unsettled", "an earlier call for the same retirement is not settled", false},
	{"usage", "wrong usage of a command or a flag", false},
}
