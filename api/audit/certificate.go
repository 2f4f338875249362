package audit

import (
	"context"
	"errors"
	"regexp"
	"slices"
	"strings"

	"tonne/api/audit/pdftext"
	"tonne/model"
	"tonne/model/file/localfile"
	"tonne/model/retirement"
	"tonne/model/statement"
)

// ReadCertificate reads the text of a saved certificate.
func ReadCertificate(ctx context.Context, path string) (pdftext.Content, error) {
	file, err := localfile.Open(path, retirement.LargestCertificate)
	if err != nil {
		return pdftext.Content{}, err
	}
	defer file.Close()
	return pdftext.Reader{}.Read(ctx, file)
}

// CheckText checks that the text of the certificate has the quantity, every beneficiary
// and every serial number of the API response. It never fails: a value that is not found may be
// written in another way, and a file that cannot be read here proves nothing.
func (s Subject) CheckText(read func(path string) (pdftext.Content, error)) retirement.Check {
	c := retirement.Check{Name: CertificateAgrees, Result: retirement.NotCheckable}
	path := s.Certificate.Path
	switch wrong := s.File.Wrong(); {
	case s.Fetched != nil:
		path = s.Fetched.Path
	case wrong != "":
		c.Detail = "the saved file " + wrong
		return c
	case s.LedgerLost:
		c.Detail = noLedger
		return c
	}
	if path == "" {
		c.Detail = "no certificate was saved"
		return c
	}
	content, err := read(path)
	switch {
	case errors.Is(err, pdftext.ErrPicture):
		c.Detail = "the certificate is a picture"
	case err != nil && content.Media == "":
		c.Detail = "the file cannot be read"
	case err != nil:
		c.Detail = err.Error()
	default:
		c.Result, c.Detail = compareText(*s.Answer, content)
	}
	return c
}

func compareText(r retirement.Request, content pdftext.Content) (retirement.Result, string) {
	const named = 3
	words := strings.ToLower(strings.Join(strings.Fields(strings.Join(slices.Concat(content.Pages...), " ")), " "))
	missing := missingIn(words, r)
	switch {
	case words == "":
		return retirement.NotCheckable, "its text is empty"
	case len(missing) == 0:
		return retirement.Pass, "quantity, beneficiaries and serial numbers"
	case content.Cut:
		return retirement.NotCheckable, "only part of its text is readable"
	}
	return retirement.NotCheckable, "not found in its text: " + statement.SomeOf(missing, named, ", ")
}

func missingIn(words string, r retirement.Request) (missing []string) {
	if !hasQuantity(words, r.TotalQuantity) {
		missing = append(missing, "the quantity "+r.TotalQuantity.FormatTonnes())
	}
	named := false
	for _, item := range r.Items {
		name := strings.ToLower(strings.Join(strings.Fields(item.RetireeName), " "))
		named = named || name != ""
		if what := "the beneficiary " + item.RetireeName; name != "" && !hasWhole(words, regexp.QuoteMeta(name)) &&
			!slices.Contains(missing, what) {
			missing = append(missing, what)
		}
	}
	if !named {
		missing = append(missing, "a beneficiary (not named in the API response)")
	}
	if len(r.SerialNumbers) == 0 {
		missing = append(missing, "serial numbers (missing in the API response)")
	}
	for _, serial := range r.SerialNumbers {
		if !hasWhole(words, brokenAnywhere(serial)) {
			missing = append(missing, "the serial number "+serial)
		}
	}
	return missing
}

// hasQuantity never finds one tonne: many certificates define their unit as one tonne.
func hasQuantity(words string, g model.Grams) bool {
	if !g.Known() || g <= 0 || g == model.GramsPerTonne {
		return false
	}
	const unit = `(?:metric )?(?:m?t ?co[2₂](?:eq?)?|m?t|tonnes?|tons?|credits?|units?|vcus?)`
	exact := string(g.AppendTonnes(nil))
	grouped := strings.NewReplacer(`\.`, `\.`, ",", `[,.' ’]?`).Replace(regexp.QuoteMeta(exact))
	if g.IsWhole() {
		grouped += `(?:\.00?)?`
	}
	found := regexp.MustCompile(`(?:^|[^\d.,'’ ]|[^\d.,'’] )` + grouped + ` ?\(?` + unit + `(?:[^\pL\pN]|$)` +
		`|(?:quantity|amount|volume|tonnes|credits|units|vcus)[^\d]{0,20}[^\d.,'’]` + grouped + `(?:[^\d.,'’]|[.,]?(?:\s|$))`)
	return found.MatchString(words)
}

func hasWhole(words, pattern string) bool {
	return regexp.MustCompile(`(?:^|[^\pL\pN])` + pattern + `(?:[^\pL\pN\pM]|$)`).MatchString(words)
}

func brokenAnywhere(serial string) string {
	var pattern strings.Builder
	for _, r := range strings.ToLower(strings.Join(strings.Fields(serial), "")) {
		pattern.WriteString(regexp.QuoteMeta(string(r)) + " ?")
	}
	return pattern.String()
}
