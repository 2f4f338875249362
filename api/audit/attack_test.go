package audit

import (
	"archive/zip"
	"bufio"
	"bytes"
	"compress/flate"
	"context"
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"fmt"
	"io"
	"maps"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"tonne/model/longtest"
	must "tonne/model/musttest"
)

// attackVariable names a pack. If it is set, the test binary verifies that pack and
// prints the error and its peak memory.
const attackVariable = "TONNE_TEST_VERIFY"

func TestMain(m *testing.M) {
	path := os.Getenv(attackVariable)
	if path == "" {
		longtest.Checks(25, 100)
		os.Exit(m.Run())
	}
	_, err := VerifyPack(path, "v1", Required{})
	status, _ := os.ReadFile("/proc/self/status")
	_, peak, _ := strings.Cut(string(status), "VmHWM:")
	peak, _, _ = strings.Cut(peak, " kB")
	fmt.Printf("%s\n%v\n", strings.TrimSpace(peak), err)
	if err != nil {
		os.Exit(1)
	}
	os.Exit(0)
}

// content writes a file of an attack without keeping it in memory.
type content func(io.Writer)

// repeat returns a content of n times text between before and after.
func repeat(before, text string, n int, after string) content {
	return func(w io.Writer) {
		_, _ = io.WriteString(w, before)
		const most = 1 << 10
		block := []byte(strings.Repeat(text, most))
		for ; n >= most; n -= most {
			_, _ = w.Write(block)
		}
		_, _ = io.WriteString(w, strings.Repeat(text, n)+after)
	}
}

// members returns a JSON array of objects with n members each.
func members(n, objects int) content {
	var object strings.Builder
	for i := range n {
		fmt.Fprintf(&object, `,"c%d":""`, i)
	}
	return repeat("[{"+object.String()[1:]+"}", ",{"+object.String()[1:]+"}", objects-1, "]")
}

func text(s string) content { return repeat(s, "", 0, "") }

// attack writes a pack with matching hashes. padding adds bytes that do not compress, so
// that the pack stays below the limit of growth.
func attack(t *testing.T, padding int, files map[string]content) string {
	t.Helper()
	file := must.Get(os.Create(filepath.Join(t.TempDir(), "attack.zip")))
	defer file.Close()
	out := zip.NewWriter(file)
	out.RegisterCompressor(
		zip.Deflate,
		func(w io.Writer) (io.WriteCloser, error) { return flate.NewWriter(w, flate.BestSpeed) },
	)
	var sums strings.Builder
	write := func(name string, c content, method uint16) {
		f := must.Get(out.CreateHeader(&zip.FileHeader{Name: name, Method: method}))
		hash := sha256.New()
		w := bufio.NewWriterSize(io.MultiWriter(f, hash), 1<<16)
		c(w)
		_ = w.Flush()
		fmt.Fprintf(&sums, "%s  %s\n", hex.EncodeToString(hash.Sum(nil)), name)
	}
	method := zip.Deflate
	if len(files) > 1000 {
		method = zip.Store // compressing many takes long
	}
	for name, c := range files {
		if name != sumsFile {
			write(name, c, method)
		}
	}
	noise := make([]byte, padding)
	_, _ = rand.NewChaCha8([32]byte{}).Read(noise)
	write("noise", text(string(noise)), zip.Store)
	list := text(sums.String())
	if files[sumsFile] != nil {
		list = files[sumsFile]
	}
	write(sumsFile, list, zip.Deflate)
	must.Succeed(t, out.Close())
	return file.Name()
}

// attackOf writes a valid pack in which the files of wrong are replaced.
func attackOf(t *testing.T, sound []file, padding int, wrong map[string]content) string {
	t.Helper()
	files := make(map[string]content)
	for _, f := range sound {
		files[f.name] = text(f.content)
	}
	delete(files, sumsFile)
	maps.Copy(files, wrong)
	return attack(t, padding, files)
}

// directory returns a zip of one file, whose directory lists it n times under different
// names. change modifies the end record.
func directory(t *testing.T, n int, change func(end []byte)) string {
	t.Helper()
	zipped := contents(t, zipOf(t, file{name: "000000", content: strings.Repeat("a", 200)}))
	at := bytes.Index(zipped, []byte("PK\x01\x02"))
	entry, end := zipped[at:len(zipped)-endSize], slices.Clone(zipped[len(zipped)-endSize:])
	all := slices.Clone(zipped[:at])
	for i := range n {
		copy(entry[46:], fmt.Sprintf("%06d", i))
		all = append(all, entry...)
	}
	binary.LittleEndian.PutUint16(end[8:], uint16(n))
	binary.LittleEndian.PutUint16(end[10:], uint16(n))
	binary.LittleEndian.PutUint32(end[12:], uint32(n*len(entry)))
	change(end)
	return onDisk(t, append(all, end...))
}

// fullPack returns a pack in which every file has the maximum size.
func fullPack(t *testing.T) string {
	t.Helper()
	const columns, rows, files = 250, 3900, 59_000
	value := strings.Repeat("v", 40)
	csvRow, jsonRow, titles := "", "", ""
	for c := range columns {
		before := ","
		if c == 0 {
			before = ""
		}
		titles += before + "c" + strconv.Itoa(c)
		csvRow += before + value
		jsonRow += before + `"c` + strconv.Itoa(c) + `":"` + value + `"`
	}
	all := map[string]content{
		"evidence.csv":  repeat(titles+"\n", csvRow+"\n", rows, ""),
		"evidence.json": repeat("["+"{"+jsonRow+"}", ",{"+jsonRow+"}", rows-1, "]"),
		"evidence.xlsx": text(""),
		"manifest.json": repeat(
			`{"requests":1,"journal":[`+strings.TrimPrefix(strings.Repeat(`,{"a":"`+value+`"}`, 40_000), ",")+`],"doubts":[{}`,
			`,{"id":"`+value+`","check":"`+value+value+value+`"}`,
			59_000,
			"]}",
		),
	}
	for i := range files {
		all[fmt.Sprintf("answers/%050d.json", i)] = text("")
	}
	return attack(t, 3<<20, all)
}

// The memory and the processor time that an attack may take.
const (
	attackMemory = 200 << 10 // KiB
	attackTime   = 10 * time.Second
)

func TestHostilePacksTakeLittleMemory(t *testing.T) {
	longtest.Only(t)
	if longtest.Race {
		t.Skip("hostile packs are large")
	}
	t.Parallel()
	const mebi = 1 << 20
	sound := unpacked(t, writePack(t, packed(), nil))
	of := func(name string, c content) string { return attackOf(t, sound, mebi, map[string]content{name: c}) }
	workbook := func(sheet content) content {
		return func(w io.Writer) {
			out := zip.NewWriter(w)
			part, _ := out.Create("xl/worksheets/sheet1.xml")
			sheet(part)
			_ = out.Close()
		}
	}
	const deep = 2_000_000
	for name, c := range map[string]struct{ pack, wrong string }{
		"CSV of a million columns": {of("evidence.csv", repeat("", "c,", 1_000_000, "\n")),
			"evidence.csv does not match the evidence"},
		"CSV of a huge cell": {of("evidence.csv", repeat(`"`, "x", 40*mebi, `"`)),
			"evidence.csv does not match the evidence"},
		"short rows": {attackOf(t, sound, mebi, map[string]content{
			"evidence.csv": repeat("a\n", "1\n", 4*mebi, ""), "evidence.json": repeat(`[{"a":"1"}`, `,{"a":"1"}`, 4*mebi-1, "]"),
		}), "evidence.json has too many values"},
		"rows of many values": {of("evidence.json", members(100, 20_000)), "evidence.json has too many values"},
		"CSV of 800 MB": {of("evidence.csv", repeat("", "x", 90*mebi, "")),
			"evidence.csv does not match the evidence"},
		"JSON of empty objects": {of("evidence.json", repeat("[{}", ",{}", 15*mebi, "]")),
			"evidence.json cannot be read"},
		"JSON of a huge string": {of("evidence.json", repeat(`[{"a":"`, "x", 40*mebi, `"}]`)),
			"evidence.csv does not match the evidence"},
		"JSON of many members": {of("evidence.json", members(200_000, 1)), "evidence.json cannot be read"},
		"evidence 2 million deep": {of("evidence.json", repeat("", "[", deep, strings.Repeat("]", deep))),
			"evidence.json cannot be read"},
		"manifest 2 million deep": {of("manifest.json", repeat(`{"journal":`, `[`, deep, strings.Repeat("]", deep)+"}")),
			"manifest.json is nested too deep"},
		"answer 2 million deep": {of("answers/R2.json", repeat("", `{"a":`, deep, "0"+strings.Repeat("}", deep))),
			"answers/R2.json is larger than 8192 KiB"},
		"small answer, deep": {of("answers/R2.json", repeat("", `[`, deep, "0"+strings.Repeat("]", deep))),
			"answers/R2.json is nested too deep"},
		"answer of empty items": {of("answers/R2.json",
			repeat(`{"id":"R2","retirement_request_items":[{}`, ",{}", 2*mebi, "]}")), "answers/R2.json has too many values"},
		"answer of empty serials": {of("answers/R2.json",
			repeat(`{"id":"R2","retired_serial_numbers":[""`, `,""`, 2*mebi, "]}")), "answers/R2.json has too many values"},
		"workbook of a huge cell": {of("evidence.xlsx",
			workbook(repeat("<row><c><is><t>", "x", 256*mebi, "</t></is></c></row>"))),
			"evidence.xlsx does not match the evidence"},
		"workbook of many cells": {of("evidence.xlsx", workbook(repeat("<row>", "<c/>", 16*mebi, "</row>"))),
			"evidence.xlsx does not match the evidence"},
		"manifest of 14 million": {of("manifest.json", repeat(`{"left_out":[{}`, ",{}", 14_000_000, "]}")),
			"manifest.json is larger than 16384 KiB"},
		"manifest of 5 million": {of("manifest.json", repeat(`{"left_out":[{}`, ",{}", 5_000_000, "]}")),
			"manifest.json has too many values"},
		"doubts of one request": {of("manifest.json",
			repeat(`{"version":"v1","requests":2,"rows":3,"doubts":[{}`, `,{"id":"R2","check":"c","detail":"d"}`, 95_000, "]}")),
			"differ in the failed checks of R2"},
		"list of 14 million lines": {of(sumsFile, repeat("", "0  a\n", 14_000_000, "")),
			"SHA256SUMS is larger than 12288 KiB"},
		"list of empty lines": {of(sumsFile, repeat("", "\n", 12*mebi, "")), "SHA256SUMS lists more than 60000 files"},
		"long signature":      {of(signatureFile, repeat("", "x", mebi, "")), "SHA256SUMS.sig is larger than 16 KiB"},
		"100,000 files":       {directory(t, 100_000, func([]byte) {}), "it contains more than 60000 files"},
		"uncounted entries":   {directory(t, 65_536+1, func([]byte) {}), "it contains more than 60000 files"},
		"a directory somewhere else": {directory(t, 2, func(end []byte) { binary.LittleEndian.PutUint32(end[16:], 1<<32-1) }),
			"its directory is not at the end"},
		"files that overlap": {directory(t, 50_000, func([]byte) {}), "files in it overlap"},
		"bomb": {attackOf(t, sound, 0,
			map[string]content{"certificates/a.pdf": repeat("", "x", 100*mebi, "")}),
			"its content is more than 100 times larger than the file"},
		"slow bomb": {attackOf(t, sound, 4*mebi,
			map[string]content{"certificates/a.pdf": repeat("", "x", 300*mebi, "")}),
			"certificates/a.pdf belongs to no request of the evidence"},
		"everything at its limit": {fullPack(t), "is missing"},
	} {
		wrong, peak, used := verifyInProcess(t, c.pack)
		t.Logf("%s: %d MiB, %v: %.150s", name, peak>>10, used.Round(time.Millisecond), wrong)
		must.Hold(t, strings.Contains(wrong, c.wrong) && peak <= attackMemory && used <= attackTime,
			name, wrong, c.wrong, peak>>10, used)
	}
}

// verifyInProcess verifies a pack in a separate process, and returns the error, the peak
// memory in KiB and the processor time.
func verifyInProcess(t *testing.T, pack string) (wrong string, peak int, used time.Duration) {
	t.Helper()
	ctx, stop := context.WithTimeout(t.Context(), 2*time.Minute)
	defer stop()
	cmd := exec.CommandContext(ctx, os.Args[0])
	cmd.Env = append(os.Environ(), attackVariable+"="+pack)
	out, err := cmd.CombinedOutput()
	must.Need(t, cmd.ProcessState != nil && cmd.ProcessState.ExitCode() == 1, err, out)
	first, wrong, _ := strings.Cut(string(out), "\n")
	peak, _ = strconv.Atoi(first)
	return wrong, peak, cmd.ProcessState.UserTime() + cmd.ProcessState.SystemTime()
}
