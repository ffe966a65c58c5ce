//go:build !(darwin || dragonfly || freebsd || linux || netbsd || openbsd)

package file

import "math"

// Map reads a file on systems without memory mapping. Its errors name the path.
func Map(path string) (b []byte, end func() error, err error) {
	b, err = Read(path, math.MaxInt)
	return b, nil, err
}
