// Package flat reads and writes the flat files of bench replay: a scene of boxes, and queries on it, in a
// binary format that is easy to parse in any language.
//
// A file is a header of 32 bytes and count records. All words are little-endian, a u32 or an IEEE 754 float32
// (f32):
//
//	+-------+------+-------+--------+----+----+---------+-- - --+-----
//	| magic | kind | count | stride | p0 | p1 |    0    | record 0 | …
//	+-------+------+-------+--------+----+----+---------+-- - --+-----
//	0       4      8       12       16   20   24        32         32 + stride
//
// The magic is 0x314e5241, the letters ARN1 in the file. The kinds and their records:
//
//	1  scene    24 B  f32 min x y z, max x y z; the object's ID is its index
//	2  points   12 B  f32 x y z
//	3  frusta   96 B  six planes of f32 normal x y z, d; inside is n·p + d >= 0
//	4  boxes    24 B  f32 min x y z, max x y z
//	5  spheres  16 B  f32 center x y z, radius
//	6  rays     28 B  f32 origin x y z, unit direction x y z, greatest t
//	7  moves    28 B  u32 ID, f32 min x y z, max x y z of its new box
//	8  instances   52 B  u32 part, f32 three rows of four: an instance of the part, world = M*p + t
//
// Moves are p0 steps of p1 moves each: count = p0·p1, and p1 is 0 only with p0. Both are 0 in all other
// kinds.
//
// A writer leaves no gaps. A reader accepts any stride that is a multiple of 4, at least the record's size
// and at most [MaxStride]; the bytes after a record are padding and are ignored.
//
// A reader rejects all other input: an unexpected kind, a truncated file or one with trailing data, values
// that are NaN or infinite (except a ray's greatest t, which may be +Inf), inverted boxes, negative radii and
// greatest t, and directions whose squared length is not within 0.001 of 1. A plane may have any finite
// coefficients. The error names the file, the record, counted from 0, and its offset:
//
//	scene.bin: record 3 at byte 104: box [0 0 2] to [1 1 1] is inverted or not finite on axis z
//
// Memory grows with the data read, not with the count in the header.
//
//	boxes, err := flat.Load("scene.bin", flat.ReadScene)
//	frusta, err := flat.Load("frusta.bin", flat.ReadFrusta)
package flat

import (
	"errors"
	"io"
	"os"

	"github.com/zoctree/zoctree/soa"
)

// Magic is the first word of every file.
const Magic = 0x314e5241

// MaxStride is the largest stride that a reader accepts.
const MaxStride = 1 << 16

const headerSize = 32

// Kind is the kind of the records of a file.
type Kind uint32

// The kinds of records.
const (
	Scene Kind = 1 + iota
	Points
	Frusta
	Boxes
	Spheres
	Rays
	Moves
	Instances
)

// String returns the plural noun of the records.
func (k Kind) String() string {
	if k < Scene || k > Instances {
		return "an unknown kind"
	}
	return [...]string{"scene boxes", "points", "frusta", "boxes", "spheres", "rays", "moves", "instances"}[k-1]
}

// Move is a new box of an object.
type Move struct {
	ID  uint32
	Box soa.AABB
}

// Instance is an instance of a part: its transform maps a point p of the part to M*p + t. Rows holds the three
// rows of M, each followed by a component of t.
type Instance struct {
	Part uint32
	Rows [12]float32
}

// Load opens the file at path and reads it with one of the Read functions.
func Load[T any](path string, read func(r io.Reader, name string) (T, error)) (T, error) {
	f, err := os.Open(path)
	if err != nil {
		var none T
		return none, err
	}
	defer f.Close()
	return read(f, path)
}

// Save writes a list to a new file at path with one of the Write functions.
func Save[T any](path string, list T, write func(w io.Writer, list T) error) error {
	f, err := os.Create(path)
	if err != nil {
		return err
	}
	return errors.Join(write(f, list), f.Close())
}

// ReadScene reads the boxes of a scene. Errors of this and the following functions begin with the name.
func ReadScene(r io.Reader, name string) ([]soa.AABB, error) {
	return readPlain(r, name, Scene, boxCodec)
}

// ReadPoints reads points.
func ReadPoints(r io.Reader, name string) ([][3]float32, error) {
	return readPlain(r, name, Points, pointCodec)
}

// ReadFrusta reads frusta: six planes of normal and d, inward.
func ReadFrusta(r io.Reader, name string) ([][6][4]float32, error) {
	return readPlain(r, name, Frusta, frustumCodec)
}

// ReadBoxes reads the boxes of queries.
func ReadBoxes(r io.Reader, name string) ([]soa.AABB, error) {
	return readPlain(r, name, Boxes, boxCodec)
}

// ReadSpheres reads spheres: center and radius.
func ReadSpheres(r io.Reader, name string) ([][4]float32, error) {
	return readPlain(r, name, Spheres, sphereCodec)
}

// ReadRays reads rays: origin, unit direction, greatest t.
func ReadRays(r io.Reader, name string) ([][7]float32, error) {
	return readPlain(r, name, Rays, rayCodec)
}

// ReadInstances reads instances. The caller must check that the parts exist and that the matrices are
// invertible.
func ReadInstances(r io.Reader, name string) ([]Instance, error) {
	return readPlain(r, name, Instances, instanceCodec)
}

// WriteScene writes the boxes of a scene.
func WriteScene(w io.Writer, boxes []soa.AABB) error {
	return write(w, Scene, 0, 0, boxes, boxCodec)
}

// WritePoints writes points.
func WritePoints(w io.Writer, points [][3]float32) error {
	return write(w, Points, 0, 0, points, pointCodec)
}

// WriteFrusta writes frusta.
func WriteFrusta(w io.Writer, frusta [][6][4]float32) error {
	return write(w, Frusta, 0, 0, frusta, frustumCodec)
}

// WriteBoxes writes the boxes of queries.
func WriteBoxes(w io.Writer, boxes []soa.AABB) error {
	return write(w, Boxes, 0, 0, boxes, boxCodec)
}

// WriteSpheres writes spheres.
func WriteSpheres(w io.Writer, spheres [][4]float32) error {
	return write(w, Spheres, 0, 0, spheres, sphereCodec)
}

// WriteRays writes rays.
func WriteRays(w io.Writer, rays [][7]float32) error {
	return write(w, Rays, 0, 0, rays, rayCodec)
}

// WriteInstances writes instances.
func WriteInstances(w io.Writer, instances []Instance) error {
	return write(w, Instances, 0, 0, instances, instanceCodec)
}
