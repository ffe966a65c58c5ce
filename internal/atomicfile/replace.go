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

// FS is the part of a file system that replacements use.
type FS interface {
	// Create creates a new file, with the mode of the file like if that exists. The error is
	// [fs.ErrExist] if path exists.
	Create(path, like string) (File, error)
	// Rename renames a file and atomically replaces a file of the new name.
	Rename(from, to string) error
	// Remove removes a file.
	Remove(path string) error
	// SyncFolder writes the names in a folder to stable storage.
	SyncFolder(path string) error
}

// File is a new file that is written sequentially.
type File interface {
	io.WriteCloser
	// Sync writes the contents to stable storage; SyncFolder does so for the name.
	Sync() error
	// Release ends the claim on the name with which the file was created. It is called after Close,
	// and after the file has been renamed or removed.
	Release()
}

const (
	// most is the largest number of temporary files of other processes, in use or abandoned, that
	// are skipped.
	most = 10_000

	// swept is the number of names from which Save removes abandoned files. Higher numbers are used
	// only while that many processes save to one path at the same time.
	swept = 16
)

// Save replaces or creates a file of the operating system, as [Replace] does. If the path is a
// symbolic link, Save replaces the file that it leads to and keeps the link. It returns an error if
// the link leads to no file, or if the path is not a regular file. Errors name no package: the
// caller adds its own name and the path. Where files can be locked, Save
// removes the temporary files of processes that ended while they saved to the path.
func Save(path string, write func(w io.Writer) error) error {
	real, err := target(path)
	if err != nil {
		return err
	}
	for i := range swept {
		removeAbandoned(temporary(real, i))
	}
	return Replace(OS{}, real, write)
}

// target returns the name of the file that path leads to.
func target(path string) (string, error) {
	info, err := os.Lstat(path)
	if err != nil {
		return path, nil // the file does not exist yet, or creating it returns the error
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

// Replace replaces or creates a file atomically, with the contents that write writes. It writes to
// a new file in the same folder, syncs it, renames it and syncs the folder. An error of write is
// returned unchanged. After an error the file is unchanged and no temporary file is left, unless
// the error is from syncing the folder.
func Replace(to FS, path string, write func(w io.Writer) error) (err error) {
	f, temp, err := beside(to, path)
	if err != nil {
		return err
	}
	defer f.Release()
	closed, renamed := false, false // write may panic
	defer func() {
		if !closed {
			_ = f.Close() // possibly again
		}
		if !renamed { // after a rename the name may belong to another process
			_ = to.Remove(temp)
		}
	}()
	// Small writes, such as padding, are combined with the next one.
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
			return err
		}
	}
	return nil
}

// temporary returns the name of temporary file i for path, in the same folder.
func temporary(path string, i int) string {
	folder, base := filepath.Split(path)
	return filepath.Join(folder, fmt.Sprintf(".%s.zoctree-%d.tmp", base, i))
}

// beside creates a new temporary file in the folder of path.
func beside(to FS, path string) (f File, temp string, err error) {
	for i := range most {
		temp = temporary(path, i)
		if f, err = to.Create(temp, path); !errors.Is(err, fs.ErrExist) {
			break
		}
	}
	return f, temp, err
}
