package cli

import "testing"

func TestTheBooksOfTwoProfilesOfOneServiceAreTwo(t *testing.T) {
	t.Parallel()
	of := func(profile string) string {
		return (&settings{baseURL: "https://market.example", profileName: profile}).bookAccount()
	}
	if a, b, none := of("acme"), of("globex"), of(""); a == b || a == none || none != "https://market.example" {
		t.Errorf("%q, %q, %q", a, b, none)
	}
}
