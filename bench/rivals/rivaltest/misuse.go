package rivaltest

import (
	"testing"

	"github.com/zoctree/zoctree/soa"
)

// Cube returns an object with the given lower corner and side.
func Cube(x, y, z, side float32) soa.Object {
	return soa.Object{Box: soa.AABB{Min: [3]float32{x, y, z}, Max: [3]float32{x + side, y + side, z + side}}}
}

// Panics fails the test unless every function panics.
func Panics(t *testing.T, misuse map[string]func()) {
	t.Helper()
	for name, f := range misuse {
		func() {
			defer func() {
				if recover() == nil {
					t.Errorf("%s does not panic", name)
				}
			}()
			f()
		}()
	}
}
