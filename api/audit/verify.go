package audit

import (
	"archive/zip"
	"bytes"
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"maps"
	"os"
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
	// OtherVersion means that another version of the program wrote the pack.
	OtherVersion bool
}

// PackError is returned for a file that is not a valid pack.
type PackError struct {
	// Wrong has at least one phrase, such as "evidence.csv was modified".
	Wrong []string
	// Refused means that the file is not a readable pack.
	Refused bool
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
// files and the API responses in the pack. It repeats the checks of the responses if this
// version of the program wrote the pack. Without a signature, the result proves only that
// the pack is internally consistent. The error is a *SignerError if the required signature
// is missing, and a *PackError if the file is not a valid pack.
func VerifyPack(path, version string, required Required) (Verified, error) {
	const percent = 25 // lower garbage collection target, to limit memory
	defer debug.SetGCPercent(debug.SetGCPercent(percent))
	file, size, err := openPack(path)
	if err != nil {
		return Verified{}, err
	}
	defer file.Close()
	archive, err := zip.NewReader(file, size)
	if err != nil {
		return Verified{}, refuse("it is not a readable zip file")
	}
	files, err := listFiles(archive, size)
	if err != nil {
		return Verified{}, err
	}
	return verifyFiles(files, version, required)
}

var errManyFiles = refuse("it contains more than %d files", maxPackFiles)

// endSize is the size of the end record of a zip file without a comment.
const endSize = 22

func openPack(path string) (*os.File, int64, error) {
	info, err := os.Stat(path)
	if err != nil {
		return nil, 0, err
	}
	if !info.Mode().IsRegular() {
		return nil, 0, refuse("it is not a regular file")
	}
	file, err := os.Open(path)
	if err != nil {
		return nil, 0, err
	}
	if err := checkEnd(file, info.Size()); err != nil {
		return nil, 0, errors.Join(err, file.Close())
	}
	return file, info.Size(), nil
}

func checkEnd(file io.ReaderAt, size int64) error {
	var end [endSize]byte
	if size < endSize || size > maxPack {
		return refuse("it is not a zip file of at most 4 GiB")
	}
	if _, err := file.ReadAt(end[:], size-endSize); err != nil {
		return err
	}
	if string(end[:4]) != "PK\x05\x06" {
		return refuse("the end record of a zip file is missing: the file is truncated, has trailing data, or is not a zip file")
	}
	length, offset := int64(binary.LittleEndian.Uint32(end[12:])), int64(binary.LittleEndian.Uint32(end[16:]))
	switch {
	case length > maxDirectory || binary.LittleEndian.Uint16(end[10:]) > maxPackFiles:
		return errManyFiles
	case length+offset != size-endSize:
		// A zip reader would search for another directory, which may be longer.
		return refuse("its directory is not at the end")
	}
	return nil
}

func listFiles(archive *zip.Reader, size int64) (map[string]*zip.File, error) {
	files, folded := make(map[string]*zip.File), make(map[string]bool)
	if len(archive.File) > maxPackFiles {
		return nil, errManyFiles
	}
	var packed, unpacked uint64
	for _, f := range archive.File {
		if err := checkFile(f); err != nil {
			return nil, err
		}
		name := strings.ToLower(f.Name)
		if folded[name] {
			return nil, refuse("%s is in it twice", f.Name)
		}
		folded[name], files[f.Name] = true, f
		packed, unpacked = packed+f.CompressedSize64, unpacked+f.UncompressedSize64
	}
	switch {
	case packed > uint64(size):
		return nil, refuse("files in it overlap")
	case unpacked > maxGrowth*uint64(size):
		return nil, refuse("its content is more than %d times larger than the file", maxGrowth)
	}
	return files, nil
}

func checkFile(f *zip.File) error {
	plain := fs.ValidPath(f.Name) && f.Name != "." && !strings.ContainsFunc(f.Name, func(r rune) bool {
		return r < ' ' || r == 0x7f || strings.ContainsRune(`\:`, r)
	})
	switch {
	case !plain:
		return refuse("%q is not a valid file name in a pack", f.Name)
	case !f.Mode().IsRegular():
		return refuse("%s is not a regular file", f.Name)
	case f.Flags&1 != 0:
		return refuse("%s is encrypted", f.Name)
	case f.Method != zip.Store && f.Method != zip.Deflate:
		return refuse("%s has an unsupported compression method", f.Name)
	}
	if size, _ := limits(f.Name); f.UncompressedSize64 > uint64(size) {
		return refuse("%s is larger than %d KiB", f.Name, size>>10)
	}
	return nil
}

func verifyFiles(files map[string]*zip.File, version string, required Required) (Verified, error) {
	list, ok := files[sumsFile]
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
	v := Verified{Files: len(sums)}
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

func compare(files map[string]*zip.File, sums map[string]string) (wrong []string) {
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

func (v *Verified) checkSigned(files map[string]*zip.File, sums []byte) []string {
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
func (v *Verified) readEvidence(files map[string]*zip.File, sums map[string]string, version string) []string {
	if !slices.ContainsFunc(slices.Collect(maps.Keys(files)), isOfPack) {
		return nil
	}
	var m manifestJSON
	if f, ok := files[manifestFile]; ok {
		text, err := readPacked(f)
		if err == nil && json.Unmarshal(text, &m) != nil {
			err = unreadable(f.Name)
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
		sum, name, found := strings.Cut(strings.TrimSuffix(line, "\n"), " ")
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

func hashPacked(f *zip.File, buffer []byte) (string, error) {
	r, err := f.Open()
	if err != nil {
		return "", err
	}
	defer r.Close()
	hash := sha256.New()
	n, err := io.CopyBuffer(hash, io.LimitReader(r, maxPackFile+1), buffer)
	if err == nil && uint64(n) != f.UncompressedSize64 {
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

func readPacked(f *zip.File) ([]byte, error) {
	r, err := f.Open()
	if err != nil {
		return nil, unreadable(f.Name)
	}
	defer r.Close()
	text := make([]byte, f.UncompressedSize64)
	if _, err := io.ReadFull(r, text); err != nil {
		return nil, unreadable(f.Name)
	}
	return text, checkContent(f.Name, text)
}

func unreadable(name string) error { return refuse("%s cannot be read", name) }
