package atomicfile

import (
	"errors"
	"io/fs"
	"os"
	"runtime"
)

// OS is the [FS] of the operating system.
type OS struct{}

// Create implements [FS]. Where files can be locked, the new file is locked until its Release, and
// an existing file that is not locked, because its process has ended, is replaced.
func (OS) Create(path, like string) (File, error) {
	mode, old := fs.FileMode(0o666), false
	if info, err := os.Stat(like); err == nil {
		mode, old = info.Mode().Perm(), true
	}
	create := func() (*os.File, error) { return os.OpenFile(path, os.O_WRONLY|os.O_CREATE|os.O_EXCL, mode) }
	f, err := create()
	if errors.Is(err, fs.ErrExist) && removeAbandoned(path) {
		f, err = create()
	}
	if err != nil {
		return nil, err
	}
	lock, ours := lockNew(f, path)
	if !ours {
		_ = f.Close()
		return nil, &fs.PathError{Op: "lock", Path: path, Err: fs.ErrExist}
	}
	if old {
		_ = f.Chmod(mode) // the umask may have cleared bits of mode
	}
	return &file{f, lock}, nil
}

// file is a new file with the descriptor that keeps its lock after Close.
type file struct {
	*os.File
	lock *os.File // nil: there are no locks
}

// Release implements [File].
func (f *file) Release() {
	if f.lock != nil {
		_ = f.lock.Close()
	}
}

// Rename implements [FS].
func (OS) Rename(from, to string) error { return os.Rename(from, to) }

// Remove implements [FS].
func (OS) Remove(path string) error { return os.Remove(path) }

// SyncFolder implements [FS], on systems that can sync a folder.
func (OS) SyncFolder(path string) error {
	switch runtime.GOOS {
	case "windows", "plan9", "js", "wasip1":
		return nil
	}
	d, err := os.Open(path)
	if err != nil {
		return err
	}
	err = d.Sync()
	if e := d.Close(); err == nil {
		err = e
	}
	return err
}
