package cli

import (
	"os"
	"testing"

	"tonne/ui/cli/command"
	"tonne/ui/cli/terminal"
)

// Without these flags, the suggested command would use another marketplace.
func TestAdviceRepeatsProfileFlags(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct{ profile, config, baseURL, text, want string }{
		{"", "", "", "see `tonne retire pending`", "see `tonne retire pending`"},
		{"acme", "", "", "see `tonne retire pending`", "see `tonne retire pending --profile acme`"},
		{"our acme's", "", "", "`tonne retire abandon x --carried-out R`", "`tonne retire abandon x --carried-out R --profile 'our acme'\\''s'`"},
		{"acme", "/a b.toml", "https://m.example", "`tonne market` or `tonne inventory`",
			"`tonne market --profile acme --config '/a b.toml' --base-url https://m.example` or `tonne inventory --profile acme --config '/a b.toml' --base-url https://m.example`"},
		{"", "c.toml", "", "`tonne config edit`, `tonne --plain`", "`tonne config edit --config c.toml`, `tonne --plain --config c.toml`"},
		{"acme", "", "", "`tonne auth login --profile acme --base-url URL`", "`tonne auth login --profile acme --base-url URL`"},
		{"acme", "", "https://m.example", "`tonne serve keys list`, `tonne demo`, `tonne --help`, `tonne no such`", "`tonne serve keys list`, `tonne demo`, `tonne --help`, `tonne no such`"},
		{"acme", "", "", "`--not-carried-out`", "`--not-carried-out`"},
	} {
		a := command.NewApp(command.Process{Getenv: os.Getenv}, new(terminal.Terminal))
		root(a)
		a.Flags["profile"], a.Flags["config"], a.Flags["base_url"] = tt.profile, tt.config, tt.baseURL
		if got := a.Advice(tt.text); got != tt.want {
			t.Errorf("%s\n%s, want\n%s", tt.text, got, tt.want)
		}
		if a.Flags["profile"] != tt.profile {
			t.Errorf("the flags of the run changed: %+v", a.Flags)
		}
	}
	guest := command.NewApp(command.Process{Guest: new(command.Guest)}, new(terminal.Terminal))
	guest.Flags = map[string]string{"profile": "acme"}
	if got := guest.Advice("`tonne market`"); got != "`tonne market`" {
		t.Error(got)
	}
}

func TestFailureAndWarningRepeatProfile(t *testing.T) {
	t.Parallel()
	inBubble(t, func(t *testing.T) {
		r := newRetirer(t)
		r.configure("[profiles.acme]\nbase_url = \"" + baseURL + "\"\nallow_retire = true\n")
		delete(r.env, "TONNE_BASE_URL")
		r.env["TONNE_PROFILE"] = "acme"
		args := []string{"--profile", "acme", "--vintage", "004bale21", "--tonnes", "1", "-o", "json"}
		r.leaveUnknown(args[:6], false)
		got := r.retire("--profile", "acme", "--vintage", "004bale21", "--tonnes", "2", "-o", "json", "--order", "gone")
		if got.status == 0 || !containsAll(got.stderr, "see `tonne retire pending --profile acme`") {
			t.Errorf("status %d\n%s", got.status, got.stderr)
		}
		got = r.retire(args...)
		if f := got.object(t); !containsAll(f.Next, "tonne retire resume tonne-", " --profile acme`") {
			t.Errorf("status %d\n%s", got.status, got.stderr)
		}
	})
}
