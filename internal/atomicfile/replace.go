package atomicfile

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
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
}

// most is how many files that dead processes have left may be in the way.
const most = 10_000

// Replace replaces a file by what write writes, or makes it: it writes to a new file in the
// same folder, which is synced and renamed, and the folder is synced. An error of write is
// returned as it is. After an error the file is as it was, and no other one is left, unless
// it was the folder that could not be synced.
func Replace(to FS, path string, write func(w io.Writer) error) (err error) {
	f, temp, err := beside(to, path)
	if err != nil {
		return fmt.Errorf("linear: saving %s: %w", path, err)
	}
	whole := false // write may panic
	defer func() {
		if !whole {
			_ = f.Close()       // perhaps again
			_ = to.Remove(temp) // after the rename there is none of that name
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
		f.Close,
		func() error { return to.Rename(temp, path) },
		func() error { return to.SyncFolder(filepath.Dir(path)) },
	} {
		if err := step(); err != nil {
			return fmt.Errorf("linear: saving %s: %w", path, err)
		}
	}
	whole = true
	return nil
}

// beside makes a new file in the folder of another one.
func beside(to FS, path string) (f File, temp string, err error) {
	folder, base := filepath.Split(path)
	for i := range most {
		temp = filepath.Join(folder, fmt.Sprintf(".%s.%d-%d.tmp", base, os.Getpid(), i))
		if f, err = to.Create(temp, path); !errors.Is(err, fs.ErrExist) {
			break
		}
	}
	return f, temp, err
}
