package cli

import (
	"testing"

	"tonne/ui/cli/command"
)

func TestProfilesOfOneServiceHaveSeparateAccounts(t *testing.T) {
	t.Parallel()
	account := func(profile string) string {
		return (&command.Settings{BaseURL: "https://market.example", ProfileName: profile}).BookAccount()
	}
	if a, b, none := account("acme"), account("globex"), account(""); a == b || a == none || none != "https://market.example" {
		t.Errorf("%q, %q, %q", a, b, none)
	}
}
