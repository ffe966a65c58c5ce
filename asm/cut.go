package asm

import (
	"fmt"
	"unsafe"

	"github.com/zoctree/zoctree/soa"
)

// CutMost is the most objects that a [Cut] takes.
const CutMost = cutObjectsPerCall

// One assembly call handles at most so many: some microseconds.
const (
	cutKeysPerCall    = 4096
	cutObjectsPerCall = 256
	cutStepsPerCall   = 16
	cutRowsPerCall    = 4096
)

// A Cut parts a run of up to [CutMost] objects in space, by where they are on the grid
// of keys. [Cut.Load] takes them, [Cut.Halve] parts them, and [Cut.Place] tells in what
// order they are then. The zero Cut is ready; it is not for two goroutines at a time.
//
// What a [CutStep] does is defined, so that every tier does the same:
//
//	axis     that of the largest span of the coordinates; of equal ones x before y before z
//	members  the lower part are the first of all by coordinate, and of those with one
//	         coordinate the first of those that were loaded
//	order    each part keeps the order in which its objects were
//
// So nothing moves where all objects are in one cell of the grid and in their order.
type Cut struct {
	at    cutColumns
	upper cutColumns           // the upper part of a run that is being halved
	spans [3][soa.Lanes]uint32 // of the axes, and their ends below and above
	n     int
}

// cutColumns holds an object in each row: for each axis the coordinate and, in the bits
// below it, the place that the object had. These words differ, and their order is the
// one that a step goes by. Kernels store whole registers, hence the last rows.
type cutColumns [3][CutMost + soa.Lanes]uint32

const (
	cutPlaceBits = 8                         // of a place
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

// A CutStep says that the objects Lo to Hi-1 are halved so that the lower part are
// Lo to Mid-1; see [Cut].
type CutStep struct{ Lo, Mid, Hi uint16 }

// Load takes the objects with these grid coordinates, which are below 2^21: as many as
// there are x. Each is in its place.
//
// It panics when these are more than [CutMost], or when y or z are fewer. It does not
// allocate.
func (c *Cut) Load(x, y, z []uint32) {
	if len(x) > cutObjectsPerCall || len(y) < len(x) || len(z) < len(x) {
		panic(fmt.Sprintf("asm: Cut.Load: coordinates of %d, %d, %d objects, at most %d", len(x), len(y), len(z), CutMost))
	}
	c.n = len(x)
	if c.n > 0 {
		cutLoad(c, x, y[:c.n], z[:c.n])
	}
}

// Halve performs the steps one after the other. Where none needs what the one before
// it does, as in an order by levels, they run at once in part.
//
// It panics when a step is not one of the objects that were loaded. It does not
// allocate.
func (c *Cut) Halve(steps []CutStep) {
	for _, s := range steps {
		if s.Lo > s.Mid || s.Mid > s.Hi || int(s.Hi) > c.n {
			panic(fmt.Sprintf("asm: Cut.Halve: %d to %d at %d, of %d objects", s.Lo, s.Hi, s.Mid, c.n))
		}
	}
	for i := 0; i < len(steps); i += cutStepsPerCall {
		cutHalve(c, steps[i:min(i+cutStepsPerCall, len(steps))])
	}
}

// Place returns where object i was when it was loaded.
func (c *Cut) Place(i int) int { return int(uint8(c.at[0][i])) }

// DecodeKeys writes the grid coordinates in keys, which are 63 bits: what [EncodeBoxes]
// made them of. It panics when a column is shorter than keys. It does not allocate.
func DecodeKeys(x, y, z []uint32, keys []uint64) {
	if len(x) < len(keys) || len(y) < len(keys) || len(z) < len(keys) {
		panic(fmt.Sprintf("asm: DecodeKeys: %d keys for columns of %d, %d and %d", len(keys), len(x), len(y), len(z)))
	}
	for i := 0; i < len(keys); i += cutKeysPerCall {
		k := min(i+cutKeysPerCall, len(keys))
		cutDecode(x[i:k], y[i:k], z[i:k], keys[i:k])
	}
}
