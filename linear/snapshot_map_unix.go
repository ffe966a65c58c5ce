//go:build darwin || dragonfly || freebsd || linux || netbsd || openbsd

package linear

import (
	"os"
	"syscall"

	"github.com/zoctree/zoctree/internal/fault"
)

// mapFile maps a file for reading, and returns what ends that.
func mapFile(path string) (b []byte, end func() error, err error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, nil, err
	}
	defer f.Close() // a map outlives it
	info, err := f.Stat()
	if err != nil {
		return nil, nil, err
	}
	size := info.Size()
	if size <= 0 || int64(int(size)) != size {
		return nil, nil, notSound("a file of %d bytes", size)
	}
	b, err = syscall.Mmap(int(f.Fd()), 0, int(size), syscall.PROT_READ, syscall.MAP_SHARED)
	if err != nil {
		return nil, nil, fault.Errorf("mapping %d bytes: %w", size, err)
	}
	return b, func() error { return syscall.Munmap(b) }, nil
}
