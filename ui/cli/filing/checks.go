package filing

import (
	"errors"
	"fmt"
	"io/fs"
	"strings"

	"tonne/api"
	"tonne/api/audit"
	"tonne/model/retirement"
	"tonne/ui/cli/command"
)

// CertificateFailure explains a certificate that was not saved. The host that
// has it need not be the marketplace's: no advice on the API fits.
func CertificateFailure(a audit.Answer) *command.Failure {
	f := command.Explain(a.CertificateErr)
	why, todo, status := f.What, f.Next(), command.StatusFailed
	call, _ := errors.AsType[*api.Error](a.CertificateErr)
	kind := api.KindOf(a.CertificateErr)
	switch {
	case errors.Is(a.CertificateErr, fs.ErrExist):
		todo = "move the file away, or name another directory"
	case kind == api.ServerError:
		why = fmt.Sprintf("its host answered %d", call.Status)
	case kind == api.TimedOut:
		why = "its host did not answer in time"
	case kind == api.Unreachable:
		why = "its host cannot be reached: " + call.Error()
	case kind == api.Refused, kind == api.NotTheAPI:
		todo = "open the address in a browser, and ask the marketplace"
	}
	if kind == api.ServerError || kind == api.TimedOut || kind == api.Unreachable {
		todo, status = "try again later; if it stays, ask the marketplace", command.StatusUnreachable
	}
	return &command.Failure{What: fmt.Sprintf("the certificate of %s was not saved: %s", a.ID, why), Todo: todo, Status: status}
}

// Tally returns how many checks pass and fail.
func Tally(checks []retirement.Check) string {
	count := make(map[retirement.Result]int)
	for _, c := range checks {
		count[c.Result]++
	}
	text := fmt.Sprintf("%d pass", count[retirement.Pass])
	if n := count[retirement.Fail]; n > 0 {
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
