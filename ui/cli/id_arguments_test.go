package cli

import (
	"slices"
	"strings"
	"testing"
)

func TestLinesOfIDsThatAreCommentsAreLeftOut(t *testing.T) {
	t.Parallel()
	got, err := readList(strings.NewReader("\ufeff# a comment R8\nR1\r\n  # another R9\n#R7\nR2, R3#4\n"))
	if want := []string{"R1", "R2", "R3#4"}; err != nil || !slices.Equal(got, want) {
		t.Errorf("%q, %v, want %q", got, err, want)
	}
}
