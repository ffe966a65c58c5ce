//go:build !(darwin || dragonfly || freebsd || linux || netbsd || openbsd)

package linear

import "os"

// mapFile reads a file where there are no maps.
func mapFile(path string) (b []byte, end func() error, err error) {
	b, err = os.ReadFile(path)
	return b, nil, err
}
