package audit

import (
	"archive/zip"
	"cmp"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"maps"
	"os"
	"path"
	"slices"
	"strings"
)

// packFiles are the files of a pack in a zip file or an unpacked directory.
type packFiles struct {
	io.Closer
	files map[string]*packFile
	// ignored are the directories and the files of other programs, by their whole names.
	ignored []string
}

// packFile is a file of a pack. Size is its size in bytes when the files were listed.
type packFile struct {
	name string
	size int64
	fsys fs.FS
	// at is its name in fsys.
	at string
}

// Open opens the file for reading.
func (f *packFile) Open() (io.ReadCloser, error) { return f.fsys.Open(f.at) }

// openPack opens a zip file or a directory. The error is a *PackError or one of the file system.
func openPack(path string) (*packFiles, error) {
	info, err := os.Stat(path)
	if err != nil {
		return nil, err
	}
	open := openZip
	switch {
	case info.IsDir():
		open = openDirectory
	case !info.Mode().IsRegular():
		return nil, refuse("it is not a regular file")
	}
	p, err := open(path)
	if err != nil {
		return nil, err
	}
	p.stripDirectory()
	return p, nil
}

func openZip(path string) (*packFiles, error) {
	file, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	p := &packFiles{Closer: file, files: make(map[string]*packFile)}
	if err := p.listZip(file); err != nil {
		return nil, errors.Join(err, file.Close())
	}
	return p, nil
}

func (p *packFiles) listZip(file *os.File) error {
	info, err := file.Stat()
	if err != nil {
		return err
	}
	if err := checkEnd(file, info.Size()); err != nil {
		return err
	}
	archive, err := zip.NewReader(file, info.Size())
	if err != nil {
		return refuse("it is not a readable zip file")
	}
	if len(archive.File) > maxPackFiles {
		return errManyFiles
	}
	folded := make(map[string]bool)
	var packed, unpacked uint64
	for _, f := range archive.File {
		packed, unpacked = packed+f.CompressedSize64, unpacked+f.UncompressedSize64
		if err := p.addZipped(archive, f, folded); err != nil {
			return err
		}
	}
	switch {
	case packed > uint64(info.Size()):
		return refuse("files in it overlap")
	case unpacked > maxGrowth*uint64(info.Size()):
		return refuse("its content is more than %d times larger than the file", maxGrowth)
	}
	return nil
}

func (p *packFiles) addZipped(archive fs.FS, f *zip.File, folded map[string]bool) error {
	dir, isDir := strings.CutSuffix(f.Name, "/")
	isDir = isDir && isPlain(dir) && f.UncompressedSize64 == 0
	err := checkFile(f)
	if isDir || err != nil && isClutter(f.Name) {
		p.ignored = append(p.ignored, cmp.Or(clutterOf(f.Name), f.Name))
		return nil
	}
	if err != nil {
		return err
	}
	return p.add(&packFile{f.Name, int64(f.UncompressedSize64), archive, f.Name}, folded)
}

func (p *packFiles) add(f *packFile, folded map[string]bool) error {
	name := strings.ToLower(f.name)
	if folded[name] {
		return refuse("%s is in it twice", f.name)
	}
	folded[name], p.files[f.name] = true, f
	return nil
}

func openDirectory(path string) (*packFiles, error) {
	root, err := os.OpenRoot(path)
	if err != nil {
		return nil, err
	}
	p := &packFiles{Closer: root, files: make(map[string]*packFile)}
	if err := p.listDirectory(root.FS()); err != nil {
		return nil, errors.Join(err, root.Close())
	}
	return p, nil
}

// listDirectory does not follow links.
func (p *packFiles) listDirectory(dir fs.FS) error {
	folded := make(map[string]bool)
	var total, entries int64
	return fs.WalkDir(dir, ".", func(name string, entry fs.DirEntry, err error) error {
		switch entries++; {
		case err != nil:
			return unreadable(name)
		case entries > 2*maxPackFiles:
			return errManyFiles
		case name == ".":
			return nil
		case isClutter(name) && !entry.Type().IsRegular():
			if entry.IsDir() {
				p.ignored = append(p.ignored, name+"/")
				return fs.SkipDir
			}
			p.ignored = append(p.ignored, name)
			return nil
		case entry.IsDir():
			return nil
		case !isPlain(name):
			return refuse("%q is not a valid file name in a pack", name)
		case !entry.Type().IsRegular():
			return refuse("%s is not a regular file", name)
		}
		info, err := entry.Info()
		if err != nil {
			return unreadable(name)
		}
		total += info.Size()
		switch size, _ := limits(name); {
		case info.Size() > size:
			return refuse("%s is larger than %d KiB", name, size>>10)
		case len(p.files) == maxPackFiles:
			return errManyFiles
		case total > maxPack:
			return refuse("its files are larger than 4 GiB")
		}
		return p.add(&packFile{name, info.Size(), dir, name}, folded)
	})
}

// stripDirectory removes the only directory from the names of the files, if the list of hashes is
// in it: programs that pack a folder put its name before those of its files.
func (p *packFiles) stripDirectory() {
	if p.files[sumsFile] != nil {
		return
	}
	prefix := ""
	for name := range p.files {
		if dir, file := path.Split(name); file == sumsFile && strings.Count(dir, "/") == 1 {
			prefix = dir
		}
	}
	for name := range p.files {
		if prefix == "" || !strings.HasPrefix(name, prefix) && !isClutter(name) {
			return
		}
	}
	stripped := make(map[string]*packFile, len(p.files))
	for name, f := range p.files {
		f.name = strings.TrimPrefix(name, prefix)
		stripped[f.name] = f
	}
	p.files = stripped
}

// ignoreClutter removes the files of other programs that are not listed.
func (p *packFiles) ignoreClutter(sums map[string]string) {
	maps.DeleteFunc(p.files, func(name string, f *packFile) bool {
		_, listed := sums[name]
		ignore := !listed && isClutter(name)
		if ignore {
			p.ignored = append(p.ignored, clutterOf(f.at))
		}
		return ignore
	})
	slices.Sort(p.ignored)
	p.ignored = slices.Compact(p.ignored)
}

// clutter are the names, in lower case, of the directories and files that operating systems, file
// servers and archivers leave next to the files of users.
var clutter = map[string]bool{
	// macOS
	"__macosx": true, ".ds_store": true, ".localized": true, ".apdisk": true, ".appledouble": true, "icon\r": true,
	".spotlight-v100": true, ".trashes": true, ".fseventsd": true, ".temporaryitems": true,
	".documentrevisions-v100": true,
	// Windows
	"thumbs.db": true, "ehthumbs.db": true, "ehthumbs_vista.db": true, "desktop.ini": true, "$recycle.bin": true,
	"system volume information": true,
	".directory":                true, "lost+found": true, // Linux
	"@eadir": true, "#recycle": true, ".sync": true, ".stfolder": true, ".dropbox": true, // file servers
}

// isClutter reports whether a file belongs to another program.
func isClutter(name string) bool { return clutterOf(name) != "" }

// clutterBegins are the beginnings of names of such files: ._ has what other file systems than
// that of macOS cannot have, and the others are the locks of Excel and LibreOffice.
var clutterBegins = []string{"._", "~$", ".~lock."}

// clutterOf returns the file of another program that name is, or the directory that contains it,
// with a slash at its end, or "".
func clutterOf(name string) string {
	end := 0
	for part := range strings.SplitSeq(name, "/") {
		end += len(part)
		begins := func(with string) bool { return strings.HasPrefix(part, with) }
		if clutter[strings.ToLower(part)] || slices.ContainsFunc(clutterBegins, begins) {
			return name[:min(end+1, len(name))]
		}
		end++
	}
	return ""
}

// endSize is the size of the end record of a zip file without a comment.
const endSize = 22

func checkEnd(file io.ReaderAt, size int64) error {
	var end [endSize]byte
	if size < endSize || size > maxPack {
		return refuse("it is not a zip file of at most 4 GiB")
	}
	if _, err := file.ReadAt(end[:], size-endSize); err != nil {
		return err
	}
	if string(end[:4]) != "PK\x05\x06" {
		return refuse("the end record of a zip file is missing: the file is truncated, has trailing data, or is " +
			"not a zip file")
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

func checkFile(f *zip.File) error {
	switch {
	case !isPlain(f.Name):
		return refuse("%q is not a valid file name in a pack", f.Name)
	case !f.Mode().IsRegular():
		return refuse("%s is not a regular file", f.Name)
	case f.Flags&1 != 0:
		return unread("%s is encrypted", f.Name)
	case f.Method != zip.Store && f.Method != zip.Deflate:
		return unread("%s is compressed by a method that tonne does not read", f.Name)
	}
	if size, _ := limits(f.Name); f.UncompressedSize64 > uint64(size) {
		return refuse("%s is larger than %d KiB", f.Name, size>>10)
	}
	return nil
}

func unread(format string, args ...any) error {
	return &PackError{Wrong: []string{fmt.Sprintf(format, args...)}, Refused: true, Unread: true}
}

func isPlain(name string) bool {
	return fs.ValidPath(name) && name != "." && !strings.ContainsFunc(name, func(r rune) bool {
		return r < ' ' || r == 0x7f || strings.ContainsRune(`\:`, r)
	})
}
