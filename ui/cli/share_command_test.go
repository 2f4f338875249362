//go:build unix

package cli

import (
	"bytes"
	"encoding/json"
	"errors"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"runtime"
	"slices"
	"strings"
	"testing"
	"time"
	"weak"

	"golang.org/x/crypto/ssh"

	"tonne/api/apitest"
	"tonne/ui/cli/command"
)

func TestSSHCommandsPrintSameAsLocal(t *testing.T) {
	t.Parallel()
	ada := newPerson(t, "ada")
	d := startShare(t, ada.line(""))
	local := newWorld(t, new(service))
	for _, args := range [][]string{
		{"market", "-o", "csv"},
		{"market", "-o", "jsonl"},
		{"market", "--filter", "'cookstoves ask<10'", "-o", "csv"},
		{"inventory", "-o", "csv"},
		{"inventory", "--trades", "-o", "csv"},
		{"retirement", "R1", "-o", "csv"},
		{"project", "-o", "csv"},
		{"quote", "--vintage", "V1", "--tonnes", "1", "-o", "csv"},
		{"basket", "--tonnes", "1", "-o", "csv"},
		{"version"},
		{"--version"},
		{"market", "--page", "x"},
		{"retirement", "R9", "-o", "csv"},
		{"nonsense"},
	} {
		typed := make([]string, len(args))
		for i, arg := range args {
			typed[i] = strings.Trim(arg, "'")
		}
		want, got := local.run(typed...), d.ssh(ada, "", args...)
		if args[0] == "nonsense" {
			want.stdout = ""
		}
		if got.status != want.status || got.stdout != want.stdout {
			t.Errorf("%q: status %d over SSH, %d locally\nSSH:   %.300q\nlocal: %.300q\nstandard error: %s", args, got.status, want.status, got.stdout, want.stdout, got.stderr)
		}
	}
}

func TestSSHFilesAreStandardStreams(t *testing.T) {
	t.Parallel()
	ada := newPerson(t, "ada")
	d := startShare(t, ada.line(""))
	r := d.ssh(ada, "# ids\nR1\n", "retirement", "--file", "-", "-o", "csv")
	if r.status != 0 || !strings.Contains(r.stdout, "\nR1,COMPLETE") {
		t.Errorf("--file -: %+v", r)
	}
	for format, begins := range map[string]string{"csv": "retirement_request_id,", "json": "[{\"retirement_request_id\""} {
		r := d.ssh(ada, "", "retirement", "R1", "--evidence", "-", "-o", format)
		head := strings.Join(strings.Fields(r.stdout[:min(len(r.stdout), 100)]), "")
		if r.status != 0 || !strings.HasPrefix(head, strings.ReplaceAll(begins, " ", "")) || strings.Contains(r.stdout, "item_quantity") || !strings.Contains(r.stderr, "SHA-256") {
			t.Errorf("--evidence - -o %s: %+v", format, r)
		}
	}
	if r := d.ssh(ada, "", "retirement", "R1", "--evidence", "-"); r.status != command.StatusUsage || !strings.Contains(r.stderr, "-o csv") {
		t.Errorf("evidence without -o: %+v", r)
	}
	if r := d.ssh(ada, "", "retirement", "R9", "--evidence", "-", "-o", "csv"); r.status != command.StatusNotFound || r.stdout != "" {
		t.Errorf("evidence without requests: %+v", r)
	}
}

// shareWithThree starts a shared dashboard for three people. Tests take turns between them
// because the commands of a key are rate-limited.
func shareWithThree(t *testing.T) ([]person, *shared) {
	t.Helper()
	people := []person{newPerson(t, "ada"), newPerson(t, "ben"), newPerson(t, "cleo")}
	return people, startShare(t, people[0].line(""), people[1].line(""), people[2].line(""))
}

func TestSSHCommandsCannotReachServerMachine(t *testing.T) {
	t.Parallel()
	people, d := shareWithThree(t)
	secret := filepath.Join(t.TempDir(), "secret")
	if err := os.WriteFile(secret, []byte("R1\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	inside := filepath.Join(t.TempDir(), "new")
	var clients []*ssh.Client
	for _, p := range people {
		clients = append(clients, d.dial(p))
	}
	for n, typed := range []string{
		"sh", "/bin/sh -c id", "scp -t /tmp", "sftp-server", "tonne market", "-c market",
		"market --config " + secret, "market --debug " + inside, "market --base-url https://evil.example", "market --profile x",
		"--config " + secret + " market", "retirement --file " + secret, "retirement --file=" + secret,
		"retirement R1 --evidence " + inside + ".csv", "retirement R1 --certificates " + inside,
		"retirement R1 --pack " + inside + ".zip", "statement --xlsx " + inside + ".xlsx", "ledger close 2026-01 --pack " + inside,
		"retire --vintage V1 --tonnes 1 --yes", "retire pending",
		"auth status", "auth login", "config show", "serve", "demo", "share", "watch --exec id", "market --watch", "inventory --watch",
		"attributes import " + secret, "attributes list", "evidence verify " + secret, "man", "completion bash", "__complete market --profile ''",
		"help config; id", "'market", "market \\", "market --timeout 1h", "--version --debug=" + inside + " market", "--help --config=" + secret, "-h retire",
	} {
		r := d.exec(clients[n%len(clients)], typed)
		if r.status != command.StatusUsage || r.stdout != "" {
			t.Errorf("%s: %+v", typed, r)
		}
		if strings.Contains(r.stdout+r.stderr, "uid=") {
			t.Errorf("%s runs a shell", typed)
		}
	}
	if left, _ := filepath.Glob(inside + "*"); left != nil {
		t.Errorf("files were created: %v", left)
	}
	d.service.mu.Lock()
	defer d.service.mu.Unlock()
	for _, path := range d.service.requests {
		if strings.HasPrefix(path, "/api/retirement") {
			t.Errorf("the service receives %s", path)
		}
	}
}

func TestSSHHelpAndAdviceSuitGuests(t *testing.T) {
	t.Parallel()
	people, d := shareWithThree(t)
	for n, typed := range []string{"help", "--help", "-h", " "} {
		r := d.ssh(people[n%3], "", typed)
		for _, name := range []string{"market", "inventory", "retirement", "project", "quote", "basket", "ledger", "statement", "schema", "version"} {
			if !strings.Contains(r.stdout, "\n  "+name+" ") {
				t.Errorf("%s does not list %s:\n%s", typed, name, r.stdout)
			}
		}
		for _, name := range []string{"demo", "share", "retire ", "watch", "auth", "attributes", "config", "evidence", "serve", "Settings", "Service", "Dashboard\n"} {
			if strings.Contains(r.stdout, "\n  "+name) || strings.Contains(r.stdout, "\n"+name) || r.status != 0 {
				t.Errorf("%s lists %s:\n%s", typed, name, r.stdout)
			}
		}
	}
	for typed, want := range map[string]string{
		"help retire":       "a shared desk does not run",
		"retire --help":     "a shared desk does not run",
		"evidence verify -": "it cannot retire or change files",
		"market --page x":   "`ssh DESK market --help`",
		"nonsense":          "`ssh DESK help`",
	} {
		if r := d.ssh(people[0], "", typed); r.status != command.StatusUsage || r.stdout != "" || !strings.Contains(r.stderr, want) {
			t.Errorf("%s: %+v", typed, r)
		}
	}
	if r := d.ssh(people[1], "", "ledger", "find", "123"); !strings.Contains(r.stderr, "nothing in your ledger matches 123") || !strings.Contains(r.stderr, "`ssh DESK retirement ID`") {
		t.Errorf("%+v", r)
	}
	g := &command.Guest{Refused: []string{"auth"}}
	for todo, want := range map[string]string{
		"ask for less, or watch the vintage with `tonne market --watch`": "ask for less",
		"try again, or allow more time with --timeout":                   "try again",
		command.KeysBelong: "ask the operator of the desk",
		"store it with `tonne auth login`, or set TONNE_API_KEY": "ask the operator of the desk",
	} {
		if got := g.Advice(todo); got != want {
			t.Errorf("%q becomes %q", todo, got)
		}
	}
}

// schema returns the schema that a person gets over SSH.
func (d *shared) schema(p person) (s schema) {
	d.t.Helper()
	r := d.ssh(p, "", "schema")
	if err := json.Unmarshal([]byte(r.stdout), &s); err != nil || r.status != command.StatusDone {
		d.t.Fatalf("%v: %+v", err, r)
	}
	return s
}

func TestSSHHelpAndSchemaOmitUnavailableCommands(t *testing.T) {
	t.Parallel()
	ada := newPerson(t, "ada")
	d := startShare(t, ada.line(""))
	var whole schema
	if err := json.Unmarshal([]byte(newWorld(t, new(service)).run("schema").stdout), &whole); err != nil {
		t.Fatal(err)
	}
	described := d.schema(ada)
	texts := map[string]string{"help": d.ssh(ada, "", "help").stdout}
	for _, c := range described.Commands {
		if !slices.Contains(command.GuestCommands, c.Command) {
			t.Errorf("the schema has %s", c.Command)
		}
		for _, f := range c.Flags {
			if !slices.Contains(command.GuestFlags, f.Name) {
				t.Errorf("the schema of %s has --%s", c.Command, f.Name)
			}
		}
		text, err := json.Marshal(c)
		if err != nil {
			t.Fatal(err)
		}
		texts["the schema of "+c.Command] = string(text)
		texts["the help of "+c.Command] = d.ssh(ada, "", strings.TrimPrefix(c.Command, "tonne ")+" --help").stdout
	}
	if len(described.Commands) != len(command.GuestCommands) || len(described.Files)+len(described.Environment) > 0 {
		t.Errorf("%d commands, want %d; files %v, variables %v", len(described.Commands), len(command.GuestCommands), described.Files, described.Environment)
	}
	for of, text := range texts {
		for _, flag := range regexp.MustCompile(`--([a-z][a-z-]*)`).FindAllStringSubmatch(text, -1) {
			if !slices.Contains(command.GuestFlags, flag[1]) {
				t.Errorf("%s names %s", of, flag[0])
			}
		}
		for _, c := range whole.Commands {
			if strings.Contains(text+" ", c.Command+" ") && !slices.Contains(command.GuestCommands, c.Command) && c.Command != "tonne" {
				t.Errorf("%s names %s", of, c.Command)
			}
		}
		if text == "" || strings.Contains(text, "this machine") {
			t.Errorf("%s is %q", of, text)
		}
	}
}

func TestSSHExamplesSucceed(t *testing.T) {
	t.Parallel()
	people, d := shareWithThree(t)
	n := 0
	for _, c := range d.schema(people[0]).Commands {
		for _, example := range c.Examples {
			_, typed, found := strings.Cut(example, "ssh DESK ")
			if !found {
				t.Errorf("%s: %s does not use SSH", c.Command, example)
				continue
			}
			typed, _, _ = strings.Cut(typed, " | ")
			typed, _, _ = strings.Cut(typed, " > ")
			if r := d.runInShell(people[n%len(people)], typed); r.status == command.StatusUsage || r.status == 255 {
				t.Errorf("%s: %+v", example, r)
			}
			n++
		}
	}
	if n < 20 {
		t.Errorf("only %d examples", n)
	}
}

// runInShell runs the rest of a shell command that begins with "ssh DESK ".
func (d *shared) runInShell(p person, line string) result {
	d.t.Helper()
	client := "exec '" + strings.Join(append([]string{openSSH(d.t, "ssh")}, append(d.options(p, "-p"), "127.0.0.1")...), "' '") + "' "
	return d.client("sh", "R1\n", "-c", client+line)
}

func TestSSHForwardingIsRefused(t *testing.T) {
	t.Parallel()
	ada := newPerson(t, "ada")
	d := startShare(t, ada.line(""))
	// The client expects its options before the host.
	with := func(args ...string) result {
		return d.client("ssh", "", append(append(d.options(ada, "-p"), args...), "127.0.0.1", "version")...)
	}
	if r := with("-o", "ExitOnForwardFailure=yes", "-R", "0:127.0.0.1:"+d.port); r.status != 255 || !strings.Contains(r.stderr, "remote port forwarding failed") {
		t.Errorf("-R: %+v", r)
	}
	if r := with("-W", "127.0.0.1:"+d.port); r.status == 0 || strings.Contains(r.stdout, "SSH-2.0") {
		t.Errorf("-W: %+v", r)
	}
	for _, flag := range []string{"-L", "-D"} {
		t.Run(flag, func(t *testing.T) { d.checkTunnelRefused(t, ada, flag) })
	}
	d.logs(`"refused"`, `"channel":"direct-tcpip"`)
}

// checkTunnelRefused opens a forwarded port on the client and checks that no data arrives.
func (d *shared) checkTunnelRefused(t *testing.T, p person, flag string) {
	free, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	local := free.Addr().String()
	_ = free.Close()
	to := local
	if flag == "-L" {
		to += ":127.0.0.1:" + d.port
	}
	cmd := exec.Command(openSSH(t, "ssh"), append(d.options(p, "-p"), flag, to, "-N", "127.0.0.1")...)
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	defer func() { _, _ = cmd.Process.Kill(), cmd.Wait() }()
	var c net.Conn
	for deadline := time.Now().Add(timeout); ; time.Sleep(20 * time.Millisecond) {
		if c, err = net.Dial("tcp", local); err == nil {
			break
		}
		if time.Now().After(deadline) {
			t.Fatal(err)
		}
	}
	defer c.Close()
	_ = c.SetDeadline(time.Now().Add(timeout))
	if flag == "-D" { // SOCKS 4: to the server itself
		port := c.RemoteAddr().(*net.TCPAddr).Port
		_, _ = c.Write([]byte{4, 1, byte(port >> 8), byte(port), 127, 0, 0, 1, 0})
	}
	answer := make([]byte, 64)
	if n, err := c.Read(answer); err == nil && (flag == "-L" || answer[1] == 0x5a && strings.Contains(string(answer[:n]), "SSH")) {
		t.Errorf("the tunnel returns %q", answer[:n])
	}
}

func TestSSHAgentAndX11AreNotForwarded(t *testing.T) {
	t.Parallel()
	ada := newPerson(t, "ada")
	d := startShare(t, ada.line(""))
	agent := openSSH(t, "ssh-agent")
	socket := filepath.Join(t.TempDir(), "agent")
	running := exec.Command(agent, "-D", "-a", socket)
	if err := running.Start(); err != nil {
		t.Fatal(err)
	}
	defer func() { _, _ = running.Process.Kill(), running.Wait() }()
	for deadline := time.Now().Add(timeout); ; time.Sleep(10 * time.Millisecond) {
		if _, err := os.Stat(socket); err == nil {
			break
		}
		if time.Now().After(deadline) {
			t.Fatal("the agent does not start")
		}
	}
	args := append(d.options(ada, "-p"), "-A", "-Y", "127.0.0.1", "version")
	for i, arg := range args {
		if arg == "IdentityAgent=none" {
			args[i] = "IdentityAgent=" + socket
		}
	}
	cmd := exec.Command(openSSH(t, "ssh"), args...)
	cmd.Env = []string{"PATH=" + os.Getenv("PATH"), "HOME=" + t.TempDir(), "SSH_AUTH_SOCK=" + socket, "DISPLAY=127.0.0.1:99"}
	if out, err := cmd.CombinedOutput(); err != nil || !strings.Contains(string(out), "tonne") {
		t.Errorf("%v, %s", err, out)
	}
	d.logs(`"refused"`, `"request":"auth-agent-req@openssh.com"`)
	d.logs(`"refused"`, `"request":"x11-req"`)
}

func TestSFTPAndSCPAreRefused(t *testing.T) {
	t.Parallel()
	ada := newPerson(t, "ada")
	d := startShare(t, ada.line(""))
	file := filepath.Join(t.TempDir(), "file")
	if err := os.WriteFile(file, []byte("x"), 0o600); err != nil {
		t.Fatal(err)
	}
	if r := d.client("sftp", "ls\n", append(d.options(ada, "-P"), "127.0.0.1")...); r.status == 0 {
		t.Errorf("sftp: %+v", r)
	}
	d.logs(`"refused"`, `"request":"subsystem"`)
	for _, flag := range []string{"-s", "-O"} { // the SFTP protocol and the old SCP protocol
		if r := d.client("scp", "", append(d.options(ada, "-P"), flag, file, "127.0.0.1:/tmp/")...); r.status == 0 {
			t.Errorf("scp %s: %+v", flag, r)
		}
		if r := d.client("scp", "", append(d.options(ada, "-P"), flag, "127.0.0.1:/etc/passwd", file)...); r.status == 0 {
			t.Errorf("scp %s, download: %+v", flag, r)
		}
	}
}

func TestSSHLedgersAreSeparatePerPerson(t *testing.T) {
	t.Parallel()
	ada, ben, guest := newPerson(t, "ada"), newPerson(t, "ben"), newPerson(t, "guest")
	d := startShare(t, ada.line(`person="ada"`), ben.line(""), guest.line("read-only"))
	for _, p := range []person{ada, guest} {
		if r := d.ssh(p, "", "retirement", "R1", "-o", "csv"); r.status != 0 {
			t.Errorf("%s: %+v", p.name, r)
		}
	}
	if r := d.ssh(ada, "", "ledger", "-o", "csv"); !strings.Contains(r.stdout, "R1") {
		t.Errorf("Ada's ledger: %+v", r)
	}
	for _, p := range []person{ben, guest} {
		if r := d.ssh(p, "", "ledger", "-o", "csv"); r.status != 0 || strings.Contains(r.stdout, "R1") {
			t.Errorf("the ledger of %s: %+v", p.name, r)
		}
	}
	people, _ := filepath.Glob(filepath.Join(d.world.env["XDG_STATE_HOME"], "tonne", "share", "people", "*"))
	if len(people) != 2 || filepath.Base(people[1]) != "person-ada" {
		t.Errorf("stores are %v", people)
	}
	for _, dir := range people {
		if info, err := os.Stat(dir); err != nil || info.Mode().Perm() != 0o700 {
			t.Errorf("%s: %v, %v", dir, info.Mode(), err)
		}
	}
}

// The server runs commands for months, and cobra never forgets the shell completions of a
// command's flags.
func TestFinishedCommandIsGarbageCollected(t *testing.T) {
	t.Parallel()
	var kept weak.Pointer[bytes.Buffer]
	func() {
		out := new(bytes.Buffer)
		kept = weak.Make(out)
		world := newWorld(t, new(service))
		status := Run(t.Context(), command.Process{
			Args: []string{"market"}, Stdin: strings.NewReader(""), Stdout: out, Stderr: out, Now: time.Now,
			Getenv: func(name string) string { return world.env[name] }, Transport: apitest.Transport(world.handler),
		})
		if status != 0 {
			t.Fatal(out)
		}
	}()
	for deadline := time.Now().Add(timeout); kept.Value() != nil; time.Sleep(time.Millisecond) {
		if time.Now().After(deadline) {
			t.Fatal("the output of the command is still referenced")
		}
		runtime.GC()
	}
}

func TestAdviceForMissingAuthorizedKeysWorks(t *testing.T) {
	t.Parallel()
	w := newWorld(t, new(service))
	r := w.run("share", "--listen", "127.0.0.1:0")
	_, typed, _ := strings.Cut(r.stderr, "`")
	typed, _, _ = strings.Cut(typed, "`")
	home := t.TempDir()
	if err := errors.Join(os.Mkdir(filepath.Join(home, ".ssh"), 0o700), os.WriteFile(filepath.Join(home, ".ssh", "id_ed25519.pub"), []byte("key\n"), 0o600)); err != nil {
		t.Fatal(err)
	}
	sh := exec.Command("sh", "-c", typed)
	sh.Env = []string{"HOME=" + home, "PATH=" + os.Getenv("PATH")}
	if out, err := sh.CombinedOutput(); err != nil {
		t.Errorf("%s: %v\n%s", sh, err, out)
	}
}

func TestSSHCloseWaitsForNoCertificate(t *testing.T) {
	t.Parallel()
	ada := newPerson(t, "ada")
	d := startShare(t, ada.line(""))
	if r := d.ssh(ada, "", "retirement", "R1", "-o", "csv"); r.status != command.StatusDone {
		t.Fatalf("%+v", r)
	}
	r := d.ssh(ada, "", "ledger", "close", "2026-01", "-o", "csv")
	if r.status != command.StatusDone || !strings.Contains(r.stdout, "R1,") || strings.Contains(r.stdout, "to be saved") {
		t.Errorf("%+v", r)
	}
	if r := d.ssh(ada, "", "ledger", "close", "2026-01"); !strings.Contains(r.stdout+r.stderr, "Certificates are not saved here") {
		t.Errorf("%+v", r)
	}
	if r := d.ssh(ada, "", "statement", "--fiscal-year", "2026", "-o", "csv"); r.status != command.StatusDone {
		t.Errorf("%+v", r)
	}
}

func TestShareReportsInvalidSetup(t *testing.T) {
	t.Parallel()
	ada := newPerson(t, "ada")
	keys := func(t *testing.T, w *world, text string) string {
		return w.write("config/tonne/authorized_keys", text)
	}
	for name, test := range map[string]struct {
		set  func(t *testing.T, w *world)
		args []string
		want string
	}{
		"no key file":   {func(*testing.T, *world) {}, nil, "authorized_keys does not exist"},
		"invalid line":  {func(t *testing.T, w *world) { keys(t, w, "# people\n"+ada.line(`command="sh"`)) }, nil, "authorized_keys, line 2: unknown option command"},
		"writable file": {func(t *testing.T, w *world) { _ = os.Chmod(keys(t, w, ada.line("")), 0o666) }, nil, "writable by users other than its owner"},
		"readable host key": {func(t *testing.T, w *world) {
			keys(t, w, ada.line(""))
			_ = os.Chmod(w.write("config/tonne/share_host_key", "x"), 0o644)
		}, nil, "readable by users other than its owner"},
		"unknown profile":   {func(t *testing.T, w *world) { keys(t, w, "# people\n"+ada.line(`profile="none"`)) }, nil, "authorized_keys, line 2: profile=\"none\" cannot be opened: the line names the profile"},
		"invalid address":   {func(t *testing.T, w *world) { keys(t, w, ada.line("")) }, []string{"--listen", "256.0.0.1:1"}, "cannot listen on 256.0.0.1:1"},
		"invalid idle time": {func(t *testing.T, w *world) { keys(t, w, ada.line("")) }, []string{"--idle", "0s"}, "--idle and --max-sessions"},
	} {
		w := newWorld(t, new(service))
		test.set(t, w)
		if r := w.run(append([]string{"share", "--listen", "127.0.0.1:0"}, test.args...)...); r.status == 0 || !strings.Contains(r.stderr, test.want) {
			t.Errorf("%s: %+v", name, r)
		}
	}
}
