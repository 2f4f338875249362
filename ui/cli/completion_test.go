//go:build unix

package cli

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

func TestBashCompletesWithoutThePackageBashCompletion(t *testing.T) {
	t.Parallel()
	if _, err := exec.LookPath("bash"); err != nil {
		t.Skip("bash is not on this machine")
	}
	home := t.TempDir()
	if err := os.Symlink(executable(t), filepath.Join(home, "tonne")); err != nil {
		t.Fatal(err)
	}
	for line, want := range map[string]string{
		"tonne mar":                "market",
		"tonne serve orders re":    "reprice",
		"tonne market --out":       "--output",
		"tonne market -o ":         "csv",
		"tonne market --output=js": "json",
	} {
		t.Run(line, func(t *testing.T) {
			t.Parallel()
			cmd := exec.Command("bash", "--norc", "--noprofile", "-c", `source <(tonne completion bash)
COMP_LINE=$LINE COMP_POINT=${#LINE} COMP_TYPE=9
__start_tonne
printf '%s\n' "${COMPREPLY[@]}"`)
			cmd.Env = environment(home, "PATH="+home+":"+os.Getenv("PATH"), "LINE="+line)
			out, err := cmd.CombinedOutput()
			if err != nil || !strings.Contains(string(out), want) {
				t.Errorf("%v: %s", err, out)
			}
		})
	}
}
