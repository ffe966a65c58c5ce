package atomicfile

import (
	"os"
	"runtime"
)

// OS is the file system of the system.
type OS struct{}

// Create is of [FS].
func (OS) Create(path, like string) (File, error) {
	f, err := os.OpenFile(path, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o666)
	if err != nil {
		return nil, err
	}
	if info, e := os.Stat(like); e == nil {
		_ = f.Chmod(info.Mode().Perm()) // where there are modes
	}
	return f, nil
}

// Rename is of [FS].
func (OS) Rename(from, to string) error { return os.Rename(from, to) }

// Remove is of [FS].
func (OS) Remove(path string) error { return os.Remove(path) }

// SyncFolder is of [FS], where one can ask for that.
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
