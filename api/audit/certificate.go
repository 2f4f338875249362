package audit

import (
	"context"
	"errors"
	"regexp"
	"slices"
	"strings"

	"tonne/api/audit/pdftext"
	"tonne/model"
	"tonne/model/localfile"
)

// CertificateText is the text of a certificate, as far as it can be read.
type CertificateText struct {
	// Lines are its lines; Cut says that there is more, or may be.
	Lines []string
	Cut   bool
	// Unread says why there is no text, and is empty if there is. Broken says
	// that the file itself is the reason: no program can read it.
	Unread string
	Broken bool
}

// checkAgrees looks for the quantity, every beneficiary and every serial number
// of a request in the text of its certificate, whatever their
// letter case, blanks and line breaks. The check passes if the text has them
// all. It fails only for a file that no program can read: certificates of
// different registries name these things in different ways, so that a value
// that is not found is not checkable.
func checkAgrees(r model.Retirement, text CertificateText) model.Check {
	c := model.Check{Name: CertificateAgrees, Result: model.NotCheckable, Detail: text.Unread}
	words := strings.ToLower(strings.Join(strings.Fields(strings.Join(text.Lines, " ")), " "))
	switch {
	case text.Broken:
		c.Result = model.Fail
		return c
	case text.Unread != "":
		return c
	case words == "":
		c.Detail = "its text is empty"
		return c
	}
	const named = 3
	missing := missingIn(words, r)
	switch {
	case len(missing) == 0:
		c.Result, c.Detail = model.Pass, "quantity, beneficiaries and serial numbers"
	case text.Cut:
		c.Detail = "only part of its text can be read"
	default:
		c.Detail = "not found in its text: " + model.SomeOf(missing, named, ", ")
	}
	return c
}

func missingIn(words string, r model.Retirement) (missing []string) {
	if !hasQuantity(words, r.TotalQuantity) {
		missing = append(missing, "the quantity "+r.TotalQuantity.FormatTonnes())
	}
	named := false
	for _, item := range r.Items {
		name := strings.ToLower(strings.Join(strings.Fields(item.RetireeName), " "))
		named = named || name != ""
		if what := "the beneficiary " + item.RetireeName; name != "" && !hasWhole(words, regexp.QuoteMeta(name)) && !slices.Contains(missing, what) {
			missing = append(missing, what)
		}
	}
	if !named {
		missing = append(missing, "a beneficiary, which the answer does not name")
	}
	if len(r.SerialNumbers) == 0 {
		missing = append(missing, "serial numbers, which the answer does not have")
	}
	for _, serial := range r.SerialNumbers {
		if !hasWhole(words, brokenAnywhere(serial)) {
			missing = append(missing, "the serial number "+serial)
		}
	}
	return missing
}

// hasQuantity reports whether a text has a quantity with its unit after it or
// its name before it. A text may say that one credit is one tonne, so that one
// tonne is never found.
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

// hasWhole reports whether a text has what matches a pattern, without a letter or a
// digit next to it.
func hasWhole(words, pattern string) bool {
	return regexp.MustCompile(`(?:^|[^\pL\pN])` + pattern + `(?:[^\pL\pN\pM]|$)`).MatchString(words)
}

// brokenAnywhere is a pattern of a serial number that the text may break anywhere.
func brokenAnywhere(serial string) string {
	var pattern strings.Builder
	for _, r := range strings.ToLower(strings.Join(strings.Fields(serial), "")) {
		pattern.WriteString(regexp.QuoteMeta(string(r)) + " ?")
	}
	return pattern.String()
}

// ReadCertificate returns the text of a saved certificate, or why it cannot be
// read.
func ReadCertificate(ctx context.Context, path string) CertificateText {
	if path == "" {
		return CertificateText{Unread: "no certificate was saved"}
	}
	file, err := localfile.Open(path, model.LargestCertificate)
	if err != nil {
		return CertificateText{Unread: "the file cannot be read"}
	}
	defer file.Close()
	content, err := pdftext.Reader{}.Read(ctx, file)
	switch {
	case errors.Is(err, pdftext.ErrPicture):
		return CertificateText{Unread: "it is a picture"}
	case err != nil:
		return CertificateText{Unread: err.Error(), Broken: errors.Is(err, pdftext.ErrDamaged) || errors.Is(err, pdftext.ErrOther)}
	}
	return CertificateText{Cut: content.Cut, Lines: slices.Concat(content.Pages...)}
}
