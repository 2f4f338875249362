package audit

import (
	"archive/zip"
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"tonne/api/wire"
	"tonne/model/field"
	must "tonne/model/musttest"
)

type file struct {
	name, content string
	mode          fs.FileMode
	deflate       bool
}

func unpacked(t *testing.T, path string) []file {
	t.Helper()
	archive := must.Get(zip.OpenReader(path))
	defer archive.Close()
	var files []file
	for _, f := range archive.File {
		r := must.Get(f.Open())
		text := must.Get(io.ReadAll(r))
		files = append(files, file{name: f.Name, content: string(text)})
	}
	return files
}

func zipOf(t *testing.T, files ...file) string {
	t.Helper()
	var b bytes.Buffer
	w := zip.NewWriter(&b)
	for _, f := range files {
		h := &zip.FileHeader{Name: f.name, Method: zip.Store}
		if f.mode != 0 {
			h.SetMode(f.mode)
		}
		if f.deflate {
			h.Method = zip.Deflate
		}
		must.Get(io.WriteString(must.Get(w.CreateHeader(h)), f.content))
	}
	must.Succeed(t, w.Close())
	return onDisk(t, b.Bytes())
}

func onDisk(t *testing.T, content []byte) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "pack.zip")
	must.Succeed(t, os.WriteFile(path, content, 0o600))
	return path
}

func listed(files ...file) []file {
	var sums strings.Builder
	for _, f := range files {
		fmt.Fprintf(&sums, "%s  %s\n", hashOf(f.content), f.name)
	}
	return append(files, file{name: "SHA256SUMS", content: sums.String()})
}

func hashOf(text string) string {
	sum := sha256.Sum256([]byte(text))
	return hex.EncodeToString(sum[:])
}

func TestModifiedFilesAreNamed(t *testing.T) {
	signer, _ := newSigner(t, "")
	files := unpacked(t, writePack(t, packed(), signer))
	for i, f := range files {
		altered := append([]file(nil), files...)
		middle := len(f.content) / 2
		altered[i].content = f.content[:middle] + string(f.content[middle]^1) + f.content[middle+1:]
		missing := append(append([]file(nil), files[:i]...), files[i+1:]...)
		for what, changed := range map[string][]file{"altered": altered, "missing": missing} {
			_, err := VerifyPack(zipOf(t, changed...), "v1", Required{})
			unsigned := f.name == signatureFile && what == "missing"
			must.Hold(
				t,
				(err == nil) == unsigned && (err == nil || strings.Contains(err.Error(), strings.TrimSuffix(f.name, "SUMS.sig"))),
				f.name,
				what,
				err,
			)
		}
	}
	_, err := VerifyPack(zipOf(t, append(files, file{name: "certificates/extra.pdf"})...), "v1", Required{})
	must.Hold(t, err != nil && err.Error() == "certificates/extra.pdf was added", "a file was added", err)
	must.Succeed(t, must.Err(VerifyPack(zipOf(t, files...), "v1", Required{})))
}

// relisted replaces the list of hashes with a matching one.
func relisted(files []file) []file {
	return listed(
		slices.DeleteFunc(slices.Clone(files), func(f file) bool { return f.name == sumsFile || f.name == signatureFile })...)
}

// change changes the files of a pack, or the parts of its workbook.
type change func(files []file) []file

// edit changes the contents of the files whose names begin with a prefix.
func edit(prefix string, edited func(content string) string) change {
	return func(files []file) []file {
		for i, f := range files {
			if strings.HasPrefix(f.name, prefix) {
				files[i].content = edited(f.content)
			}
		}
		return files
	}
}

// replace replaces the last text of a file.
func replace(name, old, replaced string) change {
	return edit(name, func(content string) string {
		if at := strings.LastIndex(content, old); at >= 0 {
			content = content[:at] + replaced + content[at+len(old):]
		}
		return content
	})
}

func whole(name, content string) change { return edit(name, func(string) string { return content }) }

func remove(name string) change {
	return func(files []file) []file {
		return slices.DeleteFunc(files, func(f file) bool { return f.name == name })
	}
}

func add(f file) change { return func(files []file) []file { return append(files, f) } }

func deflate(files []file) []file {
	for n := range files {
		files[n].deflate = true
	}
	return files
}

// workbookOf changes the parts of the workbook.
func workbookOf(t *testing.T, parts change) change {
	return edit("evidence.xlsx", func(content string) string {
		return string(contents(t, zipOf(t, parts(unpacked(t, onDisk(t, []byte(content))))...)))
	})
}

// everywhere replaces a text in all formats, as a careful attacker would.
func everywhere(t *testing.T, old, replaced string) change {
	replaceAll := func(content string) string { return strings.ReplaceAll(content, old, replaced) }
	return func(files []file) []file {
		files = edit("evidence.csv", replaceAll)(edit("evidence.json", replaceAll)(files))
		return workbookOf(t, edit("", replaceAll))(files)
	}
}

func TestChangedPackWithMatchingHashesIsRejected(t *testing.T) {
	t.Parallel()
	const (
		id       = "0012345678901234567890"
		answer   = "answers/" + id + ".json"
		pdf      = "certificates/" + id + ".pdf"
		differ   = answer + " and the evidence differ: "
		csv      = "evidence.csv does not match the evidence"
		workbook = "evidence.xlsx does not match the evidence"
		json     = "evidence.json cannot be read"
		sheet1   = "xl/worksheets/sheet1.xml"
		sheet3   = "xl/worksheets/sheet3.xml"
	)
	inWorkbook := func(parts change) change { return workbookOf(t, parts) }
	for _, c := range []struct {
		change change
		wrong  string
	}{
		{remove(pdf), pdf + " is missing, although the evidence names it"},
		{replace(pdf, "1.7", "1.6"), pdf + " is not the file that the evidence names"},
		{remove("answers/R2.json"), "answers/R2.json is missing, although the evidence has the request"},
		{remove("evidence.xlsx"), "evidence.xlsx is missing"},
		{remove("manifest.json"), "manifest.json is missing"},
		{whole("manifest.json", "{"), "manifest.json cannot be read"},
		{replace("manifest.json", `"requests": 2`, `"requests": 3`),
			"manifest.json counts 3 requests in 3 rows, but the evidence has 2 in 3"},
		{replace("manifest.json", `"rows": 3`, `"rows": 4`),
			"manifest.json counts 2 requests in 4 rows, but the evidence has 2 in 3"},
		{replace("manifest.json", `"detail": "`, `"detail": "not `),
			"manifest.json and the evidence differ in the failed checks of " + id},
		{add(file{name: "certificates/extra.pdf"}), "certificates/extra.pdf belongs to no request of the evidence"},
		{add(file{name: "answers/R9.json"}), "answers/R9.json belongs to no request of the evidence"},
		{replace("evidence.csv", "R2,", "R3,"), csv},
		{edit("evidence.csv", func(s string) string { return s + s[strings.LastIndex(s[:len(s)-1], "\n")+1:] }), csv},
		{whole("evidence.csv", ""), csv},
		{replace("evidence.json", "retirement_request_id", "request_id"), json},
		{whole("evidence.json", `[{},{"a":"b"}]`), json},
		{whole("evidence.json", "{}"), json},
		{edit("evidence.json", func(s string) string { return s + "[]" }), json},
		{edit("evidence.json", func(s string) string { return strings.TrimSpace(s)[:len(s)-3] }), json},
		{replace(answer, `"total_quantity":"3000000"`, `"total_quantity":"4000000"`),
			differ + "total_quantity_grams, check_items_sum_to_total, check_serials_sum_to_whole_tonnes"},
		{replace(answer, `"COMPLETE"`, `"OPEN"`), differ + "status"},
		{replace(answer, `"Ann"`, `"Bob"`), differ + "beneficiary_name"},
		{replace(answer, "2917-3 to 3", "2917-4 to 4"), differ + "serial_number, serial_start, serial_end"},
		{replace(answer, `,"ACR-FR-1129-2025-2917-3 to 3"`, ""),
			answer + " has 1 serial numbers, but the evidence has 2 rows for it"},
		{whole(answer, `{"no id":1}`), answer + " is not a readable API response"},
		{everywhere(t, "2917-3 to 3", "2917-3 to 9"), differ + "serial_number"},
		{everywhere(t, "Ann", "Eve"), differ + "beneficiary_name"},
		{everywhere(t, "fail", "pass"),
			"check_beneficiary_present of " + id + ` is "pass", which contradicts the failed checks; ` + differ +
				"check_beneficiary_present"},
		{everywhere(t, "no such text", ""), ""},
		{whole("evidence.xlsx", "no workbook"), workbook},
		{edit("evidence.xlsx", func(s string) string { return s + "more" }), workbook},
		{inWorkbook(replace(sheet1, ">R2<", ">R3<")), workbook},
		{inWorkbook(replace(sheet1, "<v>3</v></c>", "<v>30</v></c>")), workbook},
		{inWorkbook(replace(sheet1, "2:S4)", "2:S3)")), workbook},
		{inWorkbook(replace(sheet1, `r="A2"`, `r="B2"`)), workbook},
		{inWorkbook(replace(sheet1, `width="`, `width="0`)), workbook},
		{inWorkbook(replace(sheet1, `customWidth="1"/></cols>`, `customWidth="1" hidden="1"/></cols>`)), workbook},
		{inWorkbook(replace(sheet1, "</worksheet>",
			`<hyperlinks><hyperlink ref="A1" location="B1"/></hyperlinks></worksheet>`)), workbook},
		{inWorkbook(replace("xl/worksheets/sheet2.xml", ">fail<", ">pass<")), workbook},
		{inWorkbook(replace(sheet3, ">not found<", ">found<")), workbook},
		{inWorkbook(replace(sheet3, `<row r="2">`, `<row r="2"/><row r="3">`)), workbook},
		{inWorkbook(replace("xl/styles.xml", `formatCode="yyyy`, `formatCode="yy`)), workbook},
		{inWorkbook(replace("xl/workbook.xml", `sheetId="2"`, `sheetId="2" state="hidden"`)), workbook},
		{inWorkbook(add(file{name: "xl/vbaProject.bin", content: "macro"})), workbook},
		{inWorkbook(func(parts []file) []file { return parts[:len(parts)-1] }), workbook},
		{inWorkbook(func(parts []file) []file { slices.Reverse(parts); return parts }), workbook},
		{inWorkbook(deflate), workbook},
	} {
		sound := unpacked(t, writePack(t, packed(), nil))
		files := c.change(slices.Clone(sound))
		v, err := VerifyPack(zipOf(t, relisted(files)...), "v1", Required{})
		switch {
		case c.wrong != "" && slices.Equal(files, sound):
			t.Errorf("the test of %q changes nothing", c.wrong)
		case (err == nil) != (c.wrong == "") || err != nil && err.Error() != c.wrong || err == nil && v.Requests != 2:
			t.Errorf("error is %v, want %s", err, c.wrong)
		}
	}
}

func TestEmptyEvidence(t *testing.T) {
	path := writePack(t, packed()[2:], nil)
	v := must.Get(VerifyPack(path, "v1", Required{}))
	must.Hold(t, v.Requests == 0 && v.LeftOut == 1, v)
	files := whole("evidence.xlsx", "")(whole("evidence.csv", "")(unpacked(t, path)))
	_, err := VerifyPack(zipOf(t, relisted(files)...), "v1", Required{})
	must.Hold(t, err != nil && strings.HasSuffix(err.Error(), " cannot be read"), "error is", err)
}

func TestSoundPacksVerify(t *testing.T) {
	path := writePack(t, packed(), nil)
	here := Verified{Files: 8, Requests: 2, LeftOut: 1, Doubts: 1}
	other, rezipped := here, zipOf(t, deflate(unpacked(t, path))...)
	other.OtherVersion = true
	for _, c := range []struct {
		path, version string
		want          Verified
	}{
		{path, "v1", here}, {rezipped, "v1", here}, {path, "v2", other},
		// Earlier versions wrote these packs, with every kind of file.
		{"testdata/evidence.zip", "v2", Verified{Files: 9, Requests: 3, LeftOut: 1, Doubts: 1, OtherVersion: true}},
		{"testdata/month.zip", "v2",
			Verified{Files: 16, Requests: 4, Doubts: 10, Signer: "SHA256:tAXFyTXI8xtDaujAEcwJslAYc9/6FKcUkd2Lw0xDhPo",
				OtherVersion: true}},
	} {
		must.Equal(t, must.Get(VerifyPack(c.path, c.version, Required{})), c.want, c.path)
	}
}

func TestSignatureOfAnotherListIsRejected(t *testing.T) {
	signer, _ := newSigner(t, "")
	other := unpacked(t, writePack(t, packed()[:1], signer))
	files := append(unpacked(t, writePack(t, packed(), nil)), other[len(other)-1])
	_, err := VerifyPack(zipOf(t, files...), "v1", Required{})
	must.Hold(t, err != nil && err.Error() == "SHA256SUMS.sig does not match SHA256SUMS", "error is", err)
}

func TestHostileZipsAreRejected(t *testing.T) {
	t.Parallel()
	a := file{name: "a", content: "a"}
	sound := contents(t, zipOf(t, listed(a)...))
	manyFiles := make([]file, maxPackFiles+1)
	for i := range manyFiles {
		manyFiles[i].name = fmt.Sprint(i)
	}
	for name, c := range map[string]struct{ path, why string }{
		"bomb": {zipOf(t, listed(file{name: "a", content: strings.Repeat("\x00", 8<<20), deflate: true})...),
			"100 times larger"},
		"upwards":             {zipOf(t, listed(file{name: "../a"})...), "not a valid file name"},
		"upwards inside":      {zipOf(t, listed(file{name: "a/../../b"})...), "not a valid file name"},
		"absolute":            {zipOf(t, listed(file{name: "/etc/passwd"})...), "not a valid file name"},
		"backslash":           {zipOf(t, listed(file{name: `..\a`})...), "not a valid file name"},
		"drive":               {zipOf(t, listed(file{name: "C:a"})...), "not a valid file name"},
		"control":             {zipOf(t, listed(file{name: "a\x1b[2J"})...), "not a valid file name"},
		"clutter that climbs": {zipOf(t, listed(file{name: "../.DS_Store"}, a)...), "../.DS_Store is missing"},
		"link": {zipOf(t, listed(file{name: "a", content: "/etc/passwd", mode: fs.ModeSymlink | 0o777})...),
			"a is not a regular file"},
		"twice":               {zipOf(t, listed(a, a)...), "a is in it twice"},
		"differ only in case": {zipOf(t, listed(a, file{name: "A"})...), "A is in it twice"},
		"no list":             {zipOf(t, a), "not an evidence pack"},
		"list of itself": {zipOf(t, file{name: "SHA256SUMS", content: hashOf("") + "  SHA256SUMS\n"}),
			"which is not allowed"},
		"list of nonsense": {zipOf(t, a, file{name: "SHA256SUMS", content: "nonsense\n"}), "without hash and name"},
		"list twice": {zipOf(t, a, file{name: "SHA256SUMS", content: strings.Repeat(hashOf("a")+"  a\n", 2)}),
			"which is not allowed"},
		"many files": {zipOf(t, manyFiles...), "more than 60000 files"},
		"not a zip":  {onDisk(t, []byte(strings.Repeat("not a zip", 10))), "the end record of a zip file is missing"},
		"empty":      {onDisk(t, nil), "not a zip file"},
		"truncated":  {onDisk(t, sound[:len(sound)-1]), "the end record of a zip file is missing"},
		"trailing data": {onDisk(t, append(append([]byte(nil), sound...), "more"...)),
			"the end record of a zip file is missing"},
		"an empty directory": {t.TempDir(), "not an evidence pack"},
		"a device":           {os.DevNull, "it is not a regular file"},
	} {
		_, err := VerifyPack(c.path, "v1", Required{})
		var wrong *PackError
		must.Hold(
			t,
			errors.As(err, &wrong) && (wrong.Refused || name == "clutter that climbs") && strings.Contains(err.Error(), c.why),
			name,
			err,
			c.why,
		)
		must.Hold(t, err == nil || !strings.ContainsFunc(err.Error(), func(r rune) bool { return r < ' ' }), name, err)
	}
	must.Succeed(t, must.Err(VerifyPack(onDisk(t, sound), "v1", Required{})))
}

func TestFileLongerThanItsHeaderIsDamaged(t *testing.T) {
	content := contents(t, zipOf(t, listed(file{name: "a", content: strings.Repeat("a", 5000), deflate: true})...))
	// The directory of the zip has the size 5000, which is changed to 50.
	at := bytes.Index(content, []byte("PK\x01\x02"))
	content[at+24], content[at+25] = 50, 0
	_, err := VerifyPack(onDisk(t, content), "v1", Required{})
	must.Hold(t, err != nil && strings.Contains(err.Error(), "a is damaged"), "error is", err)
}

func FuzzVerifyPackNeverPanics(f *testing.F) {
	var b bytes.Buffer
	w := zip.NewWriter(&b)
	out, _ := w.Create("SHA256SUMS")
	_, _ = io.WriteString(out, hashOf("")+"  a\n")
	_ = w.Close()
	f.Add(b.Bytes())
	f.Fuzz(func(t *testing.T, content []byte) {
		path := filepath.Join(t.TempDir(), "pack.zip")
		must.Succeed(t, os.WriteFile(path, content, 0o600))
		v, err := VerifyPack(path, "v1", Required{})
		must.Hold(
			t,
			err != nil || v.Files != 0 || len(content) == 0 || bytes.Contains(content, []byte("SHA256SUMS")),
			content,
		)
	})
}

func FuzzEvidenceFormats(f *testing.F) {
	f.Add("a,b\n1,2\n", `[{"a":"1","b":"2"}]`, "<row><c><v>1</v></c></row>")
	f.Add("", "[]", "")
	f.Add("retirement_request_id\nR1\n", `[{},{"retirement_request_id":"R1"}]`, "<row/><row><c/></row>")
	f.Fuzz(func(t *testing.T, inCSV, inJSON, inSheet string) {
		book := zipOf(t, file{name: "xl/worksheets/sheet1.xml", content: inSheet})
		pack := zipOf(t, listed(
			file{name: "evidence.csv", content: inCSV},
			file{name: "evidence.json", content: inJSON},
			file{
				name:    "evidence.xlsx",
				content: string(contents(t, book)),
			},
			file{name: "manifest.json", content: `{"requests":1,"rows":1}`},
		)...)
		// The answer of the request in the manifest is missing.
		v, err := VerifyPack(pack, "v1", Required{})
		must.Hold(t, err != nil, inJSON, v)
	})
}

func TestPackOfARequestWithoutSerialNumbersIsVerified(t *testing.T) {
	requests := packed()
	for i := range requests {
		requests[i].Retirement.SerialNumbers = nil
		requests[i].Body = wire.AppendRetirement(nil, requests[i].Retirement, "x")
	}
	_, err := VerifyPack(writePack(t, requests[:len(requests)-1], nil), "v1", Required{})
	must.Succeed(t, err)
}

// A version may know more formats of serial numbers than the one that wrote the pack.
func TestFormatsOfOtherVersionsDoNotDiffer(t *testing.T) {
	request := packed()[0]
	rows := rowsOf(request, "", true)
	other, changed := slices.Clone(rows[0]), slices.Clone(rows[0])
	for c, column := range columns {
		if column.has(perFormat) {
			must.Hold(t, rows[0][c].Plain() != "", column.Name)
			other[c], changed[c] = field.Text(""), field.Text("7")
		}
	}
	for version, want := range map[string]int{"v1": 3, "v0": 0} {
		a := &packCheck{version: "v1", table: table{manifest: manifestJSON{Version: version}, titles: columnNames()}}
		must.Equal(t, len(a.differing([][]field.Value{other}, rows[:1])), want, version)
		must.Equal(t, len(a.differing([][]field.Value{changed}, rows[:1])), 3, version)
	}
}

func unzipped(t *testing.T, files ...file) string {
	t.Helper()
	dir := t.TempDir()
	for _, f := range files {
		path := filepath.Join(dir, filepath.FromSlash(f.name))
		must.Succeed(t, os.MkdirAll(filepath.Dir(path), 0o700))
		if f.mode&fs.ModeSymlink != 0 {
			must.Succeed(t, os.Symlink(f.content, path))
			continue
		}
		must.Succeed(t, os.WriteFile(path, []byte(f.content), 0o600))
	}
	return dir
}

// TestFilesOfOtherProgramsAreIgnored adds what systems and archivers add. The pack is valid, and
// what was added is named.
func TestFilesOfOtherProgramsAreIgnored(t *testing.T) {
	t.Parallel()
	sound := unpacked(t, writePack(t, packed(), nil))
	inFolder := func(files []file) []file {
		for i := range files {
			files[i].name = "q3/" + files[i].name
		}
		return files
	}
	for name, c := range map[string]struct {
		files   []file
		ignored []string
	}{
		"directories": {append([]file{{name: "answers/"}, {name: "certificates/"}}, sound...),
			[]string{"answers/", "certificates/"}},
		"macOS": {append(slices.Clone(sound), file{name: "__MACOSX/answers/._R2.json"},
			file{name: "__MACOSX/._R2.json"}, file{name: ".DS_Store"}, file{name: "answers/._R2.json"}),
			[]string{".DS_Store", "__MACOSX/", "answers/._R2.json"}},
		"Windows": {append(slices.Clone(sound), file{name: "Thumbs.db"}, file{name: "certificates/desktop.ini"}),
			[]string{"Thumbs.db", "certificates/desktop.ini"}},
		"an open table": {append(slices.Clone(sound), file{name: ".~lock.evidence.xlsx#"}, file{name: "~$evidence.xlsx"}),
			[]string{".~lock.evidence.xlsx#", "~$evidence.xlsx"}},
		"a server": {append(slices.Clone(sound), file{name: "certificates/@eaDir/a.pdf/x"}),
			[]string{"certificates/@eaDir/"}},
		"a folder": {append(inFolder(slices.Clone(sound)), file{name: "__MACOSX/q3/._manifest.json"},
			file{name: "q3/.DS_Store"}), []string{"__MACOSX/", "q3/.DS_Store"}},
	} {
		got, err := VerifyPack(zipOf(t, c.files...), "v1", Required{})
		must.Hold(t, err == nil && got.Requests == 2 && slices.Equal(got.Ignored, c.ignored), name, err, got.Ignored)
		if name != "directories" {
			got, err = VerifyPack(unzipped(t, c.files...), "v1", Required{})
			must.Hold(t, err == nil && got.Requests == 2 && slices.Equal(got.Ignored, c.ignored), name, err, got.Ignored)
		}
		_, err = VerifyPack(zipOf(t, append(c.files, file{name: "more.csv"})...), "v1", Required{})
		must.Hold(t, err != nil, name)
	}
	// What the list has is verified under any name.
	clutter := file{name: ".DS_Store", content: "listed"}
	files := listed(append(slices.Clone(sound[:len(sound)-1]), clutter)...)
	v := must.Get(VerifyPack(zipOf(t, files...), "v1", Required{}))
	must.Hold(t, len(v.Ignored) == 0 && v.Files == 9, v)
	files[len(files)-2].content = "changed"
	_, err := VerifyPack(zipOf(t, files...), "v1", Required{})
	must.Hold(t, err != nil && err.Error() == ".DS_Store was modified", err)
}

func TestUnpackedPackIsVerified(t *testing.T) {
	t.Parallel()
	signer, _ := newSigner(t, "")
	path := writePack(t, packed(), signer)
	sound := unpacked(t, path)
	must.Equal(
		t,
		must.Get(VerifyPack(unzipped(t, sound...), "v1", Required{Signature: true})),
		must.Get(VerifyPack(path, "v1", Required{})),
	)
	for name, c := range map[string]struct {
		change change
		wrong  string
	}{
		"altered": {replace("evidence.csv", "Ann", "Eve"), "evidence.csv was modified"},
		"removed": {remove("manifest.json"), "manifest.json is missing"},
		"added":   {add(file{name: "answers/R9.json"}), "answers/R9.json was added"},
		"a link": {func(files []file) []file {
			return add(file{name: "link", content: "/etc/passwd", mode: fs.ModeSymlink})(files)
		}, "link is not a regular file"},
		"no list":  {remove("SHA256SUMS"), "it has no SHA256SUMS, so it is not an evidence pack"},
		"a folder": {add(file{name: "empty/.DS_Store"}), ""},
	} {
		_, err := VerifyPack(unzipped(t, c.change(slices.Clone(sound))...), "v1", Required{})
		must.Hold(t, c.wrong == "" && err == nil || err != nil && err.Error() == c.wrong, name, err)
	}
}
