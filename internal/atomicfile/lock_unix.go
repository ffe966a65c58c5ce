//go:build darwin || dragonfly || freebsd || linux || netbsd || openbsd

package atomicfile

import (
	"errors"
	"os"
	"syscall"
)

// A temporary file is locked (flock) from its creation until it has been renamed or removed. The
// system releases the lock when the process ends. So a file that can be locked is abandoned:
//
//	create   creates the file, locks it, and checks that the name still leads to it
//	remove   opens the file, locks it, checks that the name still leads to it, and removes the name
//
// Only the process that holds the lock of a file renames it or removes its name, so the name leads
// to the checked file until that process has removed it.

// lockNew locks a new file, through a duplicate descriptor that stays open when f is closed. ours
// is false if another process has locked the file as an abandoned one. lock is nil on a file system
// without locks, where no process removes files as abandoned.
func lockNew(f *os.File, path string) (lock *os.File, ours bool) {
	syscall.ForkLock.RLock()
	fd, err := syscall.Dup(int(f.Fd()))
	if err == nil {
		syscall.CloseOnExec(fd)
	}
	syscall.ForkLock.RUnlock()
	if err != nil {
		return nil, true
	}
	lock = os.NewFile(uintptr(fd), path)
	err = tryLock(lock)
	if err == nil && leadsTo(path, lock) {
		return lock, true
	}
	_ = lock.Close()
	return nil, err != nil && !errors.Is(err, syscall.EWOULDBLOCK)
}

// removeAbandoned removes a temporary file whose process has ended, and reports whether it has.
func removeAbandoned(path string) bool {
	if info, err := os.Lstat(path); err != nil || !info.Mode().IsRegular() {
		return false
	}
	const flags = syscall.O_NOFOLLOW | syscall.O_NONBLOCK
	f, err := os.OpenFile(path, os.O_RDWR|flags, 0) // some network file systems need a writable file for a lock
	if errors.Is(err, os.ErrPermission) {
		f, err = os.OpenFile(path, os.O_RDONLY|flags, 0)
	}
	if err != nil {
		return false
	}
	defer f.Close()
	return tryLock(f) == nil && leadsTo(path, f) && os.Remove(path) == nil
}

// tryLock locks a file without blocking, or returns an error.
func tryLock(f *os.File) error {
	for {
		if err := syscall.Flock(int(f.Fd()), syscall.LOCK_EX|syscall.LOCK_NB); err != syscall.EINTR {
			return err
		}
	}
}

// leadsTo reports whether path is a name of the open file f.
func leadsTo(path string, f *os.File) bool {
	named, err := os.Lstat(path)
	if err != nil {
		return false
	}
	info, err := f.Stat()
	return err == nil && os.SameFile(named, info)
}
