package shard

import (
	"bufio"
	"os"

	"github.com/zoctree/zoctree/internal/atomicfile"
)

// Disk is the file system as directories write to it. Tests set step to inject a failure or a stop before any
// operation.
type Disk struct {
	Step func(op, path string) error // called before each operation; may be nil
}

func (d *Disk) before(op, path string) error {
	if d.Step == nil {
		return nil
	}
	return d.Step(op, path)
}

// diskFile is a new file that is written sequentially.
type diskFile struct {
	d *Disk
	f *os.File
	w *bufio.Writer
}

// create makes a new file with a buffer of so many bytes. An existing file is an error.
func (d *Disk) create(path string, buffer int) (*diskFile, error) {
	if err := d.before("create", path); err != nil {
		return nil, err
	}
	f, err := os.OpenFile(path, os.O_RDWR|os.O_CREATE|os.O_EXCL, 0o666)
	if err != nil {
		return nil, err
	}
	to := &diskFile{d: d, f: f}
	to.w = bufio.NewWriterSize(unbuffered{to}, buffer)
	return to, nil
}

// unbuffered is the writer below the buffer of a file.
type unbuffered struct{ to *diskFile }

func (u unbuffered) Write(b []byte) (int, error) {
	if err := u.to.d.before("write", u.to.f.Name()); err != nil {
		return 0, err
	}
	return u.to.f.Write(b)
}

// finish flushes and syncs the file, and closes it.
func (f *diskFile) finish() error {
	err := f.w.Flush()
	if err == nil {
		err = f.d.before("sync", f.f.Name())
	}
	if err == nil {
		err = f.f.Sync()
	}
	if e := f.f.Close(); err == nil {
		err = e
	}
	return err
}

func (d *Disk) rename(from, to string) error {
	if err := d.before("rename", to); err != nil {
		return err
	}
	return os.Rename(from, to)
}

func (d *Disk) makeFolder(path string) error {
	if err := d.before("mkdir", path); err != nil {
		return err
	}
	return os.Mkdir(path, 0o777)
}

// syncFolder syncs the directory entries of a folder to the disk.
func (d *Disk) syncFolder(path string) error {
	if err := d.before("syncfolder", path); err != nil {
		return err
	}
	return atomicfile.OS{}.SyncFolder(path)
}
