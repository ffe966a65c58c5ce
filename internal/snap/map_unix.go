//go:build darwin || dragonfly || freebsd || linux || netbsd || openbsd

package snap

import (
	"syscall"

	"github.com/zoctree/zoctree/internal/fault"
	"github.com/zoctree/zoctree/internal/regular"
)

// mapFile maps a regular file for reading, and returns a function that unmaps it. Its errors name the path.
func mapFile(path string) (b []byte, end func() error, err error) {
	f, info, err := regular.Open(path)
	if err != nil {
		return nil, nil, err
	}
	defer f.Close() // the mapping stays valid
	size := info.Size()
	if size <= 0 || int64(int(size)) != size {
		return nil, nil, fault.Errorf("%s: %w", path, damaged("a file of %d bytes", size))
	}
	b, err = syscall.Mmap(int(f.Fd()), 0, int(size), syscall.PROT_READ, syscall.MAP_SHARED)
	if err != nil {
		return nil, nil, fault.Errorf("%s: mapping %d bytes: %w", path, size, err)
	}
	return b, func() error { return syscall.Munmap(b) }, nil
}
