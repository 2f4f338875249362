package audit

import (
	"archive/zip"
	"bytes"
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
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

// Verified is what a pack that was verified holds.
type Verified struct {
	// Files are those that the list of hashes names.
	Files int
	// Requests, LeftOut and Doubts count what the manifest tells.
	Requests, LeftOut, Doubts int
	// Signer is the fingerprint of the key that signed the list, empty for
	// none.
	Signer string
	// OtherVersion says that another version of the program made the pack.
	OtherVersion bool
}

// PackError says what is wrong with a pack.
type PackError struct {
	// Wrong are phrases such as "evidence.csv was altered", at least one.
	Wrong []string
	// Refused says that the file is no pack that can be looked into.
	Refused bool
}

// Error returns the phrases in one line.
func (e *PackError) Error() string { return strings.Join(e.Wrong, "; ") }

func refuse(format string, args ...any) error {
	return &PackError{Wrong: []string{fmt.Sprintf(format, args...)}, Refused: true}
}

const (
	// maxDirectory is the longest directory of a zip that is read, in bytes.
	maxDirectory = 12 << 20
	// maxGrowth is how many times larger than the pack its content may be.
	maxGrowth = 100
)

// VerifyPack compares every file of a pack with its hash, and the evidence with the
// files and the answers of the service in it. If nobody signed the pack, that proves
// only that it agrees with itself. The checks of answers are made anew if the pack is
// of this version of the program. The error is a *SignerError if the pack lacks the
// required signature, and a *PackError if it is wrong or no pack.
func VerifyPack(path, version string, required Required) (Verified, error) {
	const percent = 25 // of garbage: a pack is in less memory then
	defer debug.SetGCPercent(debug.SetGCPercent(percent))
	file, size, err := openPack(path)
	if err != nil {
		return Verified{}, err
	}
	defer file.Close()
	archive, err := zip.NewReader(file, size)
	if err != nil {
		return Verified{}, refuse("it is no zip file that can be read")
	}
	files, err := listFiles(archive, size)
	if err != nil {
		return Verified{}, err
	}
	return verifyFiles(files, version, required)
}

var errManyFiles = refuse("it holds more than %d files", maxPackFiles)

// endSize is the size of what ends a zip file without a comment.
const endSize = 22

func openPack(path string) (*os.File, int64, error) {
	info, err := os.Stat(path)
	if err != nil {
		return nil, 0, err
	}
	if !info.Mode().IsRegular() {
		return nil, 0, refuse("it is no file")
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
		return refuse("it is no zip file of at most 4 GiB")
	}
	if _, err := file.ReadAt(end[:], size-endSize); err != nil {
		return err
	}
	if string(end[:4]) != "PK\x05\x06" {
		return refuse("it does not end as a zip file does: it was cut off, something follows it, or it is none")
	}
	length, offset := int64(binary.LittleEndian.Uint32(end[12:])), int64(binary.LittleEndian.Uint32(end[16:]))
	switch {
	case length > maxDirectory || binary.LittleEndian.Uint16(end[10:]) > maxPackFiles:
		return errManyFiles
	case length+offset != size-endSize:
		// A reader would look for another directory, which may be longer.
		return refuse("its directory is not at its end")
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
		return nil, refuse("it would grow to more than %d times its size", maxGrowth)
	}
	return files, nil
}

func checkFile(f *zip.File) error {
	plain := fs.ValidPath(f.Name) && f.Name != "." && !strings.ContainsFunc(f.Name, func(r rune) bool {
		return r < ' ' || r == 0x7f || strings.ContainsRune(`\:`, r)
	})
	switch {
	case !plain:
		return refuse("%q is no name of a file in a pack", f.Name)
	case !f.Mode().IsRegular():
		return refuse("%s is a link or something else that is no file", f.Name)
	case f.Flags&1 != 0:
		return refuse("%s is encrypted", f.Name)
	case f.Method != zip.Store && f.Method != zip.Deflate:
		return refuse("%s is compressed in a way that tonne does not read", f.Name)
	}
	if size, _ := limits(f.Name); f.UncompressedSize64 > uint64(size) {
		return refuse("%s is larger than %d KiB", f.Name, size>>10)
	}
	return nil
}

func verifyFiles(files map[string]*zip.File, version string, required Required) (Verified, error) {
	list, ok := files[sumsFile]
	if !ok {
		return Verified{}, refuse("it has no %s: it is no evidence pack", sumsFile)
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
			wrong = append(wrong, name+" was altered")
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

// readEvidence says nothing of files that are not those of a pack.
func (v *Verified) readEvidence(files map[string]*zip.File, sums map[string]string, version string) []string {
	if !slices.ContainsFunc(slices.Collect(maps.Keys(files)), isOfPack) {
		return nil
	}
	var m manifestJSON
	if f, ok := files[manifestFile]; ok {
		if err := m.read(f); err != nil {
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
			return nil, refuse("%s has a line that is no hash and name", sumsFile)
		case twice, name == sumsFile, name == signatureFile:
			return nil, refuse("%s lists %s, which it cannot", sumsFile, name)
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
