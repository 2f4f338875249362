package filing

import (
	"errors"
	"fmt"
	"io/fs"
	"strings"

	"tonne/api"
	"tonne/api/audit"
	"tonne/model"
	"tonne/ui/cli/command"
)

// CertificateFailure explains a certificate that was not saved. The host that
// has it need not be the marketplace's: no advice on the API fits.
func CertificateFailure(a audit.Answer) *command.Failure {
	f := command.Explain(command.CommandError{Err: a.CertificateErr})
	why, todo, status := f.What, f.Next(), command.StatusFailed
	switch kind := api.KindOf(a.CertificateErr); {
	case errors.Is(a.CertificateErr, fs.ErrExist):
		todo = "move the file away, or name another directory"
	case kind == api.ServerError, kind == api.Unreachable, kind == api.TimedOut:
		why = certificateHost(a.CertificateErr)
		todo, status = "try again later; if it stays, ask the marketplace", command.StatusUnreachable
	case kind == api.Refused, kind == api.NotTheAPI:
		todo = "open the address in a browser, and ask the marketplace"
	}
	return &command.Failure{What: fmt.Sprintf("the certificate of %s was not saved: %s", a.ID, why), Todo: todo, Status: status}
}

func certificateHost(err error) string {
	var call *api.Error
	errors.As(err, &call)
	switch call.Kind {
	case api.ServerError:
		return fmt.Sprintf("its host answered %d", call.Status)
	case api.TimedOut:
		return "its host did not answer in time"
	}
	return "its host cannot be reached: " + call.Error()
}

// Tally returns how many checks pass and fail.
func Tally(checks []model.Check) string {
	count := make(map[model.Result]int)
	for _, c := range checks {
		count[c.Result]++
	}
	text := fmt.Sprintf("%d pass", count[model.Pass])
	if n := count[model.Fail]; n > 0 {
		text += fmt.Sprintf(", %d fail", n)
	}
	return text
}

// CheckNames returns the names of failed checks, separated.
func CheckNames(failed []audit.FailedCheck, separator string) string {
	var names []string
	for _, f := range failed {
		names = append(names, f.Check)
	}
	return strings.Join(names, separator)
}
