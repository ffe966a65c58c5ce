// Package regular opens regular files for reading, and rejects all others without blocking.
//
// Opening a named pipe blocks until there is a writer, reading a terminal blocks until its user
// types, and opening a device may change its state. None of them can hold a snapshot, which is read
// at any offset.
package regular

import (
	"fmt"
	"io/fs"
	"os"
	"syscall"
)

// Open opens a regular file, or a symbolic link to one, for reading. For other files it returns an
// [*fs.PathError], which wraps [syscall.EISDIR] for a folder, and [fs.ErrInvalid] for a named pipe,
// a socket or a device. It opens such a file only if it replaces a regular file during the call,
// and never blocks on one.
func Open(path string) (*os.File, fs.FileInfo, error) {
	info, err := os.Stat(path)
	if err != nil {
		return nil, nil, err
	}
	if err := Check(path, info); err != nil {
		return nil, nil, err
	}
	f, err := os.OpenFile(path, os.O_RDONLY|noWait, 0)
	if err != nil {
		return nil, nil, err
	}
	// Another file may have replaced the one that was checked.
	info, err = f.Stat()
	if err == nil {
		err = Check(path, info)
	}
	if err != nil {
		_ = f.Close()
		return nil, nil, err
	}
	return f, info, nil
}

// Check returns the error of Open for a file that is not regular, and nil for a regular file.
func Check(path string, info fs.FileInfo) error {
	mode := info.Mode()
	if mode.IsRegular() {
		return nil
	}
	err := fmt.Errorf("it is %s, not a regular file: %w", name(mode), fs.ErrInvalid)
	if mode.IsDir() {
		err = syscall.EISDIR
	}
	return &fs.PathError{Op: "open", Path: path, Err: err}
}

func name(mode fs.FileMode) string {
	switch {
	case mode&fs.ModeNamedPipe != 0:
		return "a named pipe"
	case mode&fs.ModeSocket != 0:
		return "a socket"
	case mode&fs.ModeDevice != 0:
		return "a device"
	}
	return "of mode " + mode.String()
}
