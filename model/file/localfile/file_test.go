package localfile

import (
	"errors"
	"os"
	"path/filepath"
	"testing"

	must "tonne/model/musttest"
)

// growing appends to a file what is copied from it, so that there is always
// more.
type growing struct {
	file   *os.File
	copied int
}

func (g *growing) Write(p []byte) (int, error) {
	g.copied += len(p)
	return g.file.Write(p)
}

func TestAFileThatGrowsWhileItIsReadIsGivenUp(t *testing.T) {
	path := filepath.Join(t.TempDir(), "ids.txt")
	must.Succeed(t, os.WriteFile(path, make([]byte, 1000), 0o600))
	file := must.Get(os.OpenFile(path, os.O_APPEND|os.O_WRONLY, 0))
	defer file.Close()
	const most = 1 << 20
	g := &growing{file: file}
	var large TooLargeError
	err := Copy(g, path, most)
	must.Hold(t, errors.As(err, &large) && g.copied == most+1, g.copied, err)
}
