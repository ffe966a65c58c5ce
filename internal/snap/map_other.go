//go:build !(darwin || dragonfly || freebsd || linux || netbsd || openbsd)

package snap

import "math"

// mapFile reads a file on systems without memory mapping. Its errors name the path.
func mapFile(path string) (b []byte, end func() error, err error) {
	b, err = ReadFile(path, math.MaxInt)
	return b, nil, err
}
