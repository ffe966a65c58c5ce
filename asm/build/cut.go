package build

import (
	"fmt"
	"unsafe"

	"github.com/zoctree/zoctree/soa"
)

// CutMost is the maximum number of objects in a [Cut].
const CutMost = cutObjectsPerCall

// Bounds of one assembly call: some microseconds.
const (
	cutKeysPerCall    = 4096
	cutObjectsPerCall = 256
	cutStepsPerCall   = 16
	cutRowsPerCall    = 4096
)

// A Cut is a spatial median split, as in the build of a BVH: it partitions up to [CutMost] objects
// by their coordinates on the grid of keys. [Cut.Load] reads the objects, [Cut.Halve] partitions
// them, and [Cut.Place] returns their new order. The zero Cut is ready to use. A Cut must not be
// used by two goroutines at a time.
//
// The result of a [CutStep] is defined, so that every tier gives the same:
//
//	axis     the one with the largest span of coordinates; ties in the order x, y, z
//	members  the lower part has the smallest coordinates; of equal coordinates
//	         the objects that were loaded first
//	order    each part keeps the order of its objects
//
// So if all objects are in one cell of the grid and in their order, no object moves.
type Cut struct {
	at    cutColumns
	upper cutColumns           // upper part of a run during a step
	spans [3][soa.Lanes]uint32 // of the axes: lengths, minima, maxima
	n     int
}

// cutColumns holds an object in each row. The word of an axis has the coordinate, and in the bits
// below it the index at which the object was loaded. So all words differ, and their order is the
// order of a step. Kernels store whole registers, hence the last rows.
type cutColumns [3][CutMost + soa.Lanes]uint32

const (
	cutPlaceBits = 8                         // of an index
	cutColumn    = 4 * (CutMost + soa.Lanes) // bytes of a column
)

// Kernels step over these.
var (
	_ [0]struct{} = [unsafe.Sizeof(cutColumns{}) - 3*cutColumn]struct{}{}
	_ [0]struct{} = [unsafe.Offsetof(Cut{}.at)]struct{}{}
	_ [0]struct{} = [CutMost - 1<<cutPlaceBits]struct{}{}
	_ [0]struct{} = [unsafe.Sizeof(CutStep{}) - 6]struct{}{}
	_ [0]struct{} = [unsafe.Sizeof(Cut{}.spans) - 3*64]struct{}{}
)

// A CutStep splits the objects Lo to Hi-1 so that the lower part is Lo to Mid-1; see [Cut].
type CutStep struct{ Lo, Mid, Hi uint16 }

// Load loads len(x) objects by their grid coordinates, which must be below 2^21. Object i has the
// index i.
//
// It panics if there are more than [CutMost], or if y or z is shorter than x. It does not allocate.
func (c *Cut) Load(x, y, z []uint32) {
	if len(x) > cutObjectsPerCall || len(y) < len(x) || len(z) < len(x) {
		panic(fmt.Sprintf("build: Cut.Load: coordinates of %d, %d, %d objects, at most %d", len(x), len(y), len(z), CutMost))
	}
	c.n = len(x)
	if c.n > 0 {
		cutLoad(c, x, y[:c.n], z[:c.n])
	}
}

// Halve performs the steps in order. Steps that do not depend on each other, as in a breadth-first
// order, run partly in parallel.
//
// It panics if a step is not within the loaded objects. It does not allocate.
func (c *Cut) Halve(steps []CutStep) {
	for _, s := range steps {
		if s.Lo > s.Mid || s.Mid > s.Hi || int(s.Hi) > c.n {
			panic(fmt.Sprintf("build: Cut.Halve: %d to %d at %d, of %d objects", s.Lo, s.Hi, s.Mid, c.n))
		}
	}
	for i := 0; i < len(steps); i += cutStepsPerCall {
		cutHalve(c, steps[i:min(i+cutStepsPerCall, len(steps))])
	}
}

// Place returns the index at which object i was loaded.
func (c *Cut) Place(i int) int { return int(uint8(c.at[0][i])) }

// DecodeKeys decodes 63-bit Morton keys: it writes the grid coordinates from which [EncodeBoxes]
// made them. It panics if a column is shorter than keys. It does not allocate.
func DecodeKeys(x, y, z []uint32, keys []uint64) {
	if len(x) < len(keys) || len(y) < len(keys) || len(z) < len(keys) {
		panic(fmt.Sprintf("build: DecodeKeys: %d keys for columns of %d, %d and %d", len(keys), len(x), len(y), len(z)))
	}
	for i := 0; i < len(keys); i += cutKeysPerCall {
		k := min(i+cutKeysPerCall, len(keys))
		cutDecode(x[i:k], y[i:k], z[i:k], keys[i:k])
	}
}
