package atomicfile

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/zoctree/zoctree/internal/regular"
)

// FS is a file system, as far as replacements need one.
type FS interface {
	// Create makes a new file, with the mode of another one if that is there. It is
	// [fs.ErrExist] if there is one of that name.
	Create(path, like string) (File, error)
	// Rename gives a file another name, and removes what has had it, at once.
	Rename(from, to string) error
	// Remove removes a file.
	Remove(path string) error
	// SyncFolder has the names in a folder on the disk.
	SyncFolder(path string) error
}

// File is a new file, written from its beginning to its end.
type File interface {
	io.WriteCloser
	// Sync has what was written on the disk; the name is for SyncFolder.
	Sync() error
	// Release ends the claim on the name with which the file was created. It is called after
	// Close, and after the file has been renamed or removed.
	Release()
}

const (
	// most is how many files that others write, or have left, may be in the way.
	most = 10_000

	// swept is how many of the names Save clears of files that processes have left. Higher numbers
	// are used only while so many save to one path at a time.
	swept = 16
)

// Save replaces a file of the system, or makes it, as [Replace] does. If the path is a symbolic link, the
// file to which it leads is replaced, and the link stays. It is an error if the link leads to no file, or if
// there is something else than a regular file. Temporary files that processes have left which died while
// they saved to the path are removed, where files can be locked.
func Save(path string, write func(w io.Writer) error) error {
	real, err := target(path)
	if err != nil {
		return fmt.Errorf("linear: saving %s: %w", path, err)
	}
	for i := range swept {
		removeAbandoned(temporary(real, i))
	}
	return Replace(OS{}, real, write)
}

// target returns the name of the file to which a path leads.
func target(path string) (string, error) {
	info, err := os.Lstat(path)
	if err != nil {
		return path, nil // there is none yet, or making one is the error
	}
	if info.Mode()&fs.ModeSymlink != 0 {
		real, err := filepath.EvalSymlinks(path)
		if err != nil {
			return "", fmt.Errorf("following the symbolic link: %w", err)
		}
		path = real
		if info, err = os.Lstat(path); err != nil {
			return "", err
		}
	}
	return path, regular.Check(path, info)
}

// Replace replaces a file by what write writes, or makes it: it writes to a new file in the
// same folder, which is synced and renamed, and the folder is synced. An error of write is
// returned as it is. After an error the file is as it was, and no other one is left, unless
// it was the folder that could not be synced.
func Replace(to FS, path string, write func(w io.Writer) error) (err error) {
	f, temp, err := beside(to, path)
	if err != nil {
		return fmt.Errorf("linear: saving %s: %w", path, err)
	}
	defer f.Release()
	closed, renamed := false, false // write may panic
	defer func() {
		if !closed {
			_ = f.Close() // perhaps again
		}
		if !renamed { // afterwards the name may be that of another process
			_ = to.Remove(temp)
		}
	}()
	// What is small, as padding is, goes out with what comes next.
	w := bufio.NewWriterSize(f, 1<<16)
	if err := write(w); err != nil {
		return err
	}
	for _, step := range [...]func() error{
		w.Flush,
		f.Sync,
		func() error { closed = true; return f.Close() },
		func() (err error) { err = to.Rename(temp, path); renamed = err == nil; return err },
		func() error { return to.SyncFolder(filepath.Dir(path)) },
	} {
		if err := step(); err != nil {
			return fmt.Errorf("linear: saving %s: %w", path, err)
		}
	}
	return nil
}

// temporary returns the name of a temporary file beside another one.
func temporary(path string, i int) string {
	folder, base := filepath.Split(path)
	return filepath.Join(folder, fmt.Sprintf(".%s.zoctree-%d.tmp", base, i))
}

// beside makes a new file in the folder of another one.
func beside(to FS, path string) (f File, temp string, err error) {
	for i := range most {
		temp = temporary(path, i)
		if f, err = to.Create(temp, path); !errors.Is(err, fs.ErrExist) {
			break
		}
	}
	return f, temp, err
}
