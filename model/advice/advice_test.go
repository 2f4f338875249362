package advice_test

import (
	"strings"
	"testing"

	"tonne/model/advice"
	must "tonne/model/musttest"
)

func TestTextIsWrittenForItsReader(t *testing.T) {
	t.Parallel()
	login, market := advice.Tonne("auth login"), advice.Tonne("market --filter", "a b")
	desk := advice.Reader{
		Command: func(c advice.Command) string { return "`ssh DESK " + strings.Join(c, " ") + "`" },
		Can:     func(c advice.Command) bool { return c[0] != "auth" },
		Has:     func(flag string) bool { return flag != "timeout" },
	}
	for _, test := range []struct {
		name         string
		text         advice.Text
		local, guest string
	}{
		{"empty", advice.Text{}, "", ""},
		{"percent sign", advice.Plain("40% of `tonne auth`"), "40% of `tonne auth`", "40% of `tonne auth`"},
		{"command", advice.Format("see %s", market), "see `tonne market --filter a b`", "see `ssh DESK market --filter a b`"},
		{"command that the guest may not run", advice.Format("run %s", login), "run `tonne auth login`", ""},
		{"alternatives", advice.Format("run %s", login).Or("see %s", market),
			"run `tonne auth login`, or see `tonne market --filter a b`",
			"see `ssh DESK market --filter a b`"},
		{"flag that the guest lacks", advice.Plain("wait").Or("add --timeout").Needs("timeout"), "wait, or add --timeout",
			"wait"},
		{"nested", advice.Format("%s; then wait", advice.Format("run %s", login)), "run `tonne auth login`; then wait", ""},
		{"joined", advice.Join("; ", advice.Plain("wait"), advice.Text{}, advice.Plain("try")), "wait; try", "wait; try"},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			must.Equal(t, test.text.String(), test.local)
			must.Equal(t, test.text.For(desk), test.guest)
			must.Equal(t, test.text.IsEmpty(), test.local == "")
		})
	}
}
