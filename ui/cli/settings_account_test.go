package cli

import (
	"testing"

	"tonne/ui/cli/command"
)

func TestTheBooksOfTwoProfilesOfOneServiceAreTwo(t *testing.T) {
	t.Parallel()
	of := func(profile string) string {
		return (&command.Settings{BaseURL: "https://market.example", ProfileName: profile}).BookAccount()
	}
	if a, b, none := of("acme"), of("globex"), of(""); a == b || a == none || none != "https://market.example" {
		t.Errorf("%q, %q, %q", a, b, none)
	}
}
