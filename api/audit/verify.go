package audit

import (
	"archive/zip"
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"io"
	"maps"
	"runtime/debug"
	"slices"
	"strings"
)

// Verified describes a pack that was verified.
type Verified struct {
	// Files counts the files in the list of hashes.
	Files int
	// Requests, LeftOut and Doubts are counts from the manifest. Doubts are failed checks.
	Requests, LeftOut, Doubts int
	// Signer is the fingerprint of the key that signed the list, or empty.
	Signer string
	// Ignored are the directories and the files of other programs, such as .DS_Store, that are
	// not listed and were not read.
	Ignored []string
	// OtherVersion means that another version of the program wrote the pack.
	OtherVersion bool
}

// PackError is returned for a file that is not a valid pack.
type PackError struct {
	// Wrong has at least one phrase, such as "evidence.csv was modified".
	Wrong []string
	// Refused means that the file is not a readable pack, and Unread that only this program
	// cannot read it.
	Refused, Unread bool
}

// Error joins the phrases.
func (e *PackError) Error() string { return strings.Join(e.Wrong, "; ") }

func refuse(format string, args ...any) error {
	return &PackError{Wrong: []string{fmt.Sprintf(format, args...)}, Refused: true}
}

const (
	// maxDirectory limits the directory of the zip file, in bytes.
	maxDirectory = 12 << 20
	// maxGrowth limits the ratio of unpacked to packed size.
	maxGrowth = 100
)

// VerifyPack compares every file of a pack with its hash, and the evidence with the other
// files and the API responses in the pack. The pack is a zip file, or a directory into which
// one was unpacked. VerifyPack repeats the checks of the responses if this version of the
// program wrote the pack. Without a signature, the result proves only that the pack is
// internally consistent. The error is a *SignerError if the required signature is missing,
// and a *PackError if it is not a valid pack.
func VerifyPack(path, version string, required Required) (Verified, error) {
	// A hostile pack at all its limits takes 271 MiB otherwise, more than a small machine may have to spare. With
	// this it takes 184.
	const percent = 8
	defer debug.SetGCPercent(debug.SetGCPercent(percent))
	pack, err := openPack(path)
	if err != nil {
		return Verified{}, err
	}
	defer pack.Close()
	return verifyFiles(pack, version, required)
}

var errManyFiles = refuse("it contains more than %d files", maxPackFiles)

func verifyFiles(pack *packFiles, version string, required Required) (Verified, error) {
	list, ok := pack.files[sumsFile]
	if !ok {
		return Verified{}, refuse("it has no %s, so it is not an evidence pack", sumsFile)
	}
	text, err := readPacked(list)
	if err != nil {
		return Verified{}, err
	}
	sums, err := parseSums(text)
	if err != nil {
		return Verified{}, err
	}
	pack.ignoreClutter(sums)
	files := pack.files
	v := Verified{Files: len(sums), Ignored: pack.ignored}
	wrong := v.checkSigned(files, text)
	if len(wrong) == 0 {
		if err := required.check(v.Signer); err != nil {
			return Verified{}, err
		}
	}
	if wrong = append(compare(files, sums), wrong...); len(wrong) > 0 {
		return Verified{}, &PackError{Wrong: wrong}
	}
	if wrong := v.readEvidence(files, sums, version); len(wrong) > 0 {
		return Verified{}, &PackError{Wrong: wrong}
	}
	return v, nil
}

func compare(files map[string]*packFile, sums map[string]string) (wrong []string) {
	buffer := make([]byte, 64<<10)
	for _, name := range slices.Sorted(maps.Keys(sums)) {
		f, ok := files[name]
		if !ok {
			wrong = append(wrong, name+" is missing")
			continue
		}
		switch sum, err := hashPacked(f, buffer); {
		case err != nil:
			wrong = append(wrong, name+" is damaged")
		case sum != sums[name]:
			wrong = append(wrong, name+" was modified")
		}
	}
	for _, name := range slices.Sorted(maps.Keys(files)) {
		if _, listed := sums[name]; !listed && name != sumsFile && name != signatureFile {
			wrong = append(wrong, name+" was added")
		}
	}
	return wrong
}

func (v *Verified) checkSigned(files map[string]*packFile, sums []byte) []string {
	f, ok := files[signatureFile]
	if !ok {
		return nil
	}
	armored, err := readPacked(f)
	if err == nil {
		v.Signer, err = checkSignature(sums, armored)
	}
	if err != nil {
		return []string{signatureFile + " " + err.Error()}
	}
	return nil
}

// readEvidence ignores other files than those of a pack.
func (v *Verified) readEvidence(files map[string]*packFile, sums map[string]string, version string) []string {
	if !slices.ContainsFunc(slices.Collect(maps.Keys(files)), isOfPack) {
		return nil
	}
	var m manifestJSON
	if f, ok := files[manifestFile]; ok {
		text, err := readPacked(f)
		if err == nil && json.Unmarshal(text, &m) != nil {
			err = unreadable(f.name)
		}
		if err != nil {
			return []string{err.Error()}
		}
	}
	v.Requests, v.LeftOut, v.Doubts = m.Requests, len(m.LeftOut), len(m.Doubts)
	v.OtherVersion = m.Version != version
	return checkPack(files, sums, m, version)
}

func isOfPack(name string) bool {
	return name == manifestFile || name == readmeFile || strings.HasPrefix(name, evidenceFile+".") ||
		strings.HasPrefix(name, answersDir) || strings.HasPrefix(name, certificates)
}

func parseSums(text []byte) (map[string]string, error) {
	sums := make(map[string]string)
	if bytes.Count(text, []byte("\n")) > maxPackFiles {
		return nil, refuse("%s lists more than %d files", sumsFile, maxPackFiles)
	}
	for line := range strings.Lines(string(text)) {
		sum, name, found := strings.Cut(strings.TrimRight(line, "\r\n"), " ")
		hash, err := hex.DecodeString(sum)
		name = strings.TrimPrefix(strings.TrimPrefix(name, " "), "*")
		switch _, twice := sums[name]; {
		case !found || err != nil || len(hash) != sha256.Size || name == "":
			return nil, refuse("%s has a line without hash and name", sumsFile)
		case twice, name == sumsFile, name == signatureFile:
			return nil, refuse("%s lists %s, which is not allowed", sumsFile, name)
		}
		sums[name] = strings.ToLower(sum)
	}
	return sums, nil
}

func hashPacked(f *packFile, buffer []byte) (string, error) {
	r, err := f.Open()
	if err != nil {
		return "", err
	}
	defer r.Close()
	hash := sha256.New()
	n, err := io.CopyBuffer(hash, io.LimitReader(r, maxPackFile+1), buffer)
	if err == nil && n != f.size {
		err = zip.ErrFormat
	}
	if err != nil {
		return "", err
	}
	return hex.EncodeToString(hash.Sum(nil)), nil
}

// The limits of a pack. Verifying a pack at all limits takes less than 200 MiB of memory.
const (
	maxPackFiles = 60_000
	maxPackFile  = 512 << 20 // bytes
	maxPack      = 1<<32 - 1 // bytes
	// maxDepth limits the nesting of JSON, maxColumns the values of a row.
	maxDepth   = 64
	maxColumns = 1_000
)

func limits(name string) (size int64, values int) {
	switch name {
	case sumsFile:
		return 12 << 20, 0
	case signatureFile:
		// A longer RSA key takes minutes to check.
		return 16 << 10, 0
	case manifestFile, monthFile + ".json":
		return 16 << 20, 500_000
	case evidenceFile + ".json":
		return 48 << 20, 1_000_000
	}
	if strings.HasPrefix(name, answersDir) {
		return 8 << 20, 50_000
	}
	return maxPackFile, 0
}

// checkJSON rejects JSON that takes a parser too much memory.
func checkJSON(name string, text []byte, most int) error {
	depth, quoted := 0, false
	for i := 0; i < len(text) && most > 0; i++ {
		switch c := text[i]; {
		case c == '"':
			quoted = !quoted
		case quoted && c == '\\':
			i++
		case quoted:
		case c == ',':
			most--
		case c == '{' || c == '[':
			most--
			depth++
		case c == '}' || c == ']':
			depth--
		}
		if depth > maxDepth {
			return refuse("%s is nested too deep", name)
		}
		if most == 0 {
			return refuse("%s has too many values", name)
		}
	}
	return nil
}

func checkContent(name string, content []byte) error {
	size, values := limits(name)
	if int64(len(content)) > size {
		return refuse("%s is longer than %d bytes", name, size)
	}
	return checkJSON(name, content, values)
}

func readPacked(f *packFile) ([]byte, error) {
	r, err := f.Open()
	if err != nil {
		return nil, unreadable(f.name)
	}
	defer r.Close()
	text := make([]byte, f.size)
	if _, err := io.ReadFull(r, text); err != nil {
		return nil, unreadable(f.name)
	}
	return text, checkContent(f.name, text)
}

func unreadable(name string) error { return refuse("%s cannot be read", name) }
