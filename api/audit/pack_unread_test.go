package audit

import (
	"archive/zip"
	"errors"
	"strings"
	"testing"

	must "tonne/model/musttest"
)

func TestPackThatOnlyThisProgramCannotReadIsNotDistrusted(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		name   string
		header zip.FileHeader
		unread bool
	}{
		{"bzip2", zip.FileHeader{Name: "a.csv", Method: 12}, true},
		{"LZMA", zip.FileHeader{Name: "a.csv", Method: 14}, true},
		{"encrypted", zip.FileHeader{Name: "a.csv", Flags: 1}, true},
		{"an invalid name", zip.FileHeader{Name: "../a.csv"}, false},
	} {
		var wrong *PackError
		err := checkFile(&zip.File{FileHeader: tt.header})
		must.Hold(t, errors.As(err, &wrong) && wrong.Refused && wrong.Unread == tt.unread, tt.name, err)
	}
}

func TestHashesMayHaveLineEndsOfWindows(t *testing.T) {
	t.Parallel()
	sum := strings.Repeat("0a", 32)
	sums, err := parseSums([]byte(sum + "  a.csv\r\n" + strings.ToUpper(sum) + " *b.csv\r\n"))
	must.Hold(t, err == nil && len(sums) == 2 && sums["a.csv"] == sum && sums["b.csv"] == sum, sums, err)
}
