package filing

import (
	"cmp"
	"context"
	"fmt"
	"strings"

	"tonne/model/file/localfile"
	"tonne/ui/cli/command"
)

// CheckNew checks the file of a flag that is named after its file name extension. The file
// must have that extension, must not exist, except with --overwrite, and must be writable.
// An empty path is valid.
func CheckNew(flag string, to localfile.Target) error {
	if to.Path == "" {
		return nil
	}
	if !strings.HasSuffix(strings.ToLower(to.Path), "."+flag) {
		return command.Usage("name a file that ends in ."+flag, "--%s: %q does not end in .%s", flag, to.Path, flag)
	}
	return to.Check()
}

// WriteNew writes a file in the format of its extension. What names its content. An empty path
// writes nothing, nor does a cancelled ctx.
func WriteNew(ctx context.Context, to localfile.Target, what string, encode func(path string) ([]byte, error)) error {
	if to.Path == "" {
		return nil
	}
	content, err := encode(to.Path)
	if err = cmp.Or(err, ctx.Err()); err != nil {
		return fmt.Errorf("%s was not written: %w", what, err)
	}
	return to.WriteBytes(content)
}
