package filing

import (
	"tonne/model/localfile"
	"tonne/ui/cli/command"
)

// Replacing is called before a file is written; the function that it returns tells
// if that replaced something else. What was filed may have been signed.
func Replacing(a *command.App, path string) (tell func()) {
	before, err := localfile.SHA256(path)
	return func() {
		if now, _ := localfile.SHA256(path); err == nil && now != before {
			a.Warn("%s held something else before, SHA-256 %s, and was replaced", path, before)
		}
	}
}
