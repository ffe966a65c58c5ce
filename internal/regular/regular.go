// Package regular opens regular files for reading, and refuses all others without waiting.
//
// Opening a named pipe waits for a writer, reading a terminal waits for its user, and opening a
// device may change its state. None of them can hold a snapshot, which is read at any offset.
package regular

import (
	"fmt"
	"io/fs"
	"os"
	"syscall"
)

// Open opens a regular file, or a symbolic link to one, for reading. For all else it returns an
// [*fs.PathError]: it wraps [syscall.EISDIR] for a folder, and [fs.ErrInvalid] for a named
// pipe, a socket or a device. It opens none of these unless one takes the place of a file during
// the call, and it never waits for one.
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
	// Another file may have taken the place of the one that was there.
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

// Check returns the error of Open for a file that is not regular.
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
