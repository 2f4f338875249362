package cli

import (
	"os/exec"
	"strings"
	"testing"

	"tonne/ui"
)

func TestManPageIsComplete(t *testing.T) {
	t.Parallel()
	page := newWorld(t, nil).unconfigured().must("man")
	for _, want := range []string{
		"\n.SH NAME\ntonne \\- ", "\n.SH SYNOPSIS\n", "\n.SH FILES\n", "\n.SH ENVIRONMENT\n", "\n.SH EXIT STATUS\n",
		"\n.SS tonne retirement\n", "\n.TP\n\\fIID\\fP\nids of retirement requests; ", "\n  tonne market \\-o csv > market.csv\n",
		"\n.TP\n\\fB5\\fP\nthe service could not be reached", "config.toml", "\n.TP\n\\fB\\-o\\fP, \\fB\\-\\-output\\fP", "(default 127.0.0.1:8080)",
	} {
		if !strings.Contains(page, want) {
			t.Errorf("lacks %q", want)
		}
	}
	for _, g := range ui.Keys() {
		for _, b := range g.Bindings {
			if !strings.Contains(page, "("+roffText(b.Name)+").") {
				t.Errorf("lacks the key %s", b.Name)
			}
		}
	}
}

func TestManPageIsValidRoff(t *testing.T) {
	t.Parallel()
	groff, err := exec.LookPath("groff")
	if err != nil {
		t.Skip("groff is not installed")
	}
	cmd := exec.Command(groff, "-man", "-Tutf8", "-ww", "-z", "-K", "utf8")
	cmd.Stdin = strings.NewReader(newWorld(t, nil).must("man"))
	if warnings, err := cmd.CombinedOutput(); err != nil || len(warnings) > 0 {
		t.Errorf("%v: %s", err, warnings)
	}
}

func TestRoffTextEscapesRequests(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{
		".TH x": `\&.TH x`, "'x": `\&'x`, `a\nb`: `a\enb`, "--flag": `\-\-flag`, "`x`": `\(gax\(ga`, "plain": "plain",
	} {
		if got := roffText(text); got != want {
			t.Errorf("%q is %q, want %q", text, got, want)
		}
	}
}
