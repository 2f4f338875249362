package command_test

import (
	"testing"

	must "tonne/model/musttest"
	"tonne/ui/cli/command"
)

func TestUserNamesInAddressesAreRemoved(t *testing.T) {
	t.Parallel()
	must.Equal(t, command.RedactKeys("https://u:p@market.example, the key abcdefgh", "abcdefgh"),
		"https://[user]@market.example, the key [key]")
}
