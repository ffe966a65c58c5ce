package linear

import (
	"encoding"
	"encoding/binary"
	"errors"
	"fmt"
	"hash/crc32"
	"math"
	"slices"

	"github.com/zoctree/zoctree/internal/fault"
	"github.com/zoctree/zoctree/soa"
)

// The binary format of a batch, with little-endian numbers:
//
//	"ZOB" | version 1 | CRC-32C of all that follows, u32 | runs
//
//	run   kind, u8 | n, uvarint | IDs     of n objects, u32 each
//	                            | objects minx miny minz maxx maxy maxz, f32 | mask, u32 | static, u8
//	                            | balls   x y z radius, f32 | mask, u32 | static, u8
//	                            | boxes   minx miny minz maxx maxy maxz, f32
//	                            | spheres x y z radius, f32
//	                            | oriented boxes: centre, three axes, f32
//	                            | words   u32: masks; of a rebuild, bit 0 frozen, then the Cut
//	                            | flags   u8: static
//	                            | regions shape, u8: 0 box, 1 sphere | motion, u8 | mask, u32
//	                                      | minx miny minz maxx maxy maxz, or x y z radius 0 0, f32
//
// The table operations lists the columns of each kind; a kind without columns has no n either: each call
// is one byte. Consecutive calls of one kind are one run, unless each call has many objects. The
// encoding of a batch is unique: n has the fewest bytes and is not 0, one run is not split into
// two, flags and shapes are 0 or 1, and the two words that a sphere does not use are 0. A run of a
// joined kind, 25 or 26, continues the change of the run before it, in the order boxes, spheres,
// oriented boxes. Floats are encoded as their bits.
const (
	batchVersion = 1
	batchHeader  = 8
	regionBytes  = 30
)

// ErrBatch is returned by [Batch.UnmarshalBinary] for bytes that are not a batch.
var ErrBatch = errors.New("linear: not a recorded batch")

var (
	_ encoding.BinaryAppender    = (*Batch)(nil)
	_ encoding.BinaryMarshaler   = (*Batch)(nil)
	_ encoding.BinaryUnmarshaler = (*Batch)(nil)
)

var castagnoli = crc32.MakeTable(crc32.Castagnoli)

// partBytes returns the size in bytes of an object in the columns of a kind.
func partBytes(k kind) (bytes int) {
	for i, size := range [...]int{4, 29, 21, 24, 16, 48, 4, 1, regionBytes} { // in the order of hasPart
		if operations[k].has>>i&1 != 0 {
			bytes += size
		}
	}
	return bytes
}

// AppendBinary appends the binary encoding of the batch to dst, as a record for a write-ahead log
// or for a replica. The format contains only the recorded calls, is the same on all machines, and
// can be read by later versions of the library. A copy of the tree ([Tree.Clone]) and a log of
// calls suffice to restore the tree: with the same version of the library [Tree.Apply] makes the
// copy equal to it, bit by bit. With another version the objects are the same, and their order in
// memory, which is the order of results, may differ.
//
// Records of a log need a length and, for a torn end, a checksum: the encoding has a checksum of
// its own, but not its length.
//
// A record has 8 bytes and up to 10 for each run of calls of one kind; a move takes 28. The error
// is always nil. AppendBinary allocates only to grow dst, and takes the time of a copy and of a
// checksum.
func (b *Batch) AppendBinary(dst []byte) ([]byte, error) {
	n := batchHeader
	for _, r := range b.runs {
		n += 1 + binary.MaxVarintLen64 + r.n*partBytes(r.kind)
	}
	first := len(dst)
	dst = append(slices.Grow(dst, n), 'Z', 'O', 'B', batchVersion, 0, 0, 0, 0)
	left := b.parts
	for _, r := range b.runs {
		p := left.take(r)
		if operations[r.kind].has == 0 {
			for range r.n {
				dst = append(dst, byte(r.kind))
			}
			continue
		}
		dst = append(dst, byte(r.kind))
		dst = binary.AppendUvarint(dst, uint64(r.n))
		dst = p.encode(dst)
	}
	record := dst[first:]
	binary.LittleEndian.PutUint32(record[4:], crc32.Checksum(record[batchHeader:], castagnoli))
	return dst, nil
}

// MarshalBinary is [Batch.AppendBinary] to a new slice.
func (b *Batch) MarshalBinary() ([]byte, error) { return b.AppendBinary(nil) }

// UnmarshalBinary replaces the batch by the one encoded in data: the same calls, with the same bits
// of floats and the same encoding. It does not retain data, and reuses the memory of the batch.
//
// Bytes that are not a batch return [ErrBatch]; the text has the offset and the reason. Then the
// batch is unchanged. UnmarshalBinary takes the time of a checksum and of two passes, and allocates
// at most 32 bytes per byte of data. It does not check whether a tree accepts the recorded changes:
// [Tree.Apply] does.
func (b *Batch) UnmarshalBinary(data []byte) error {
	if len(data) < batchHeader || string(data[:3]) != "ZOB" {
		return fmt.Errorf("%w: %d bytes without its header", ErrBatch, len(data))
	}
	if data[3] != batchVersion {
		return fmt.Errorf("%w that this version reads: format %d, this is %d", ErrBatch, data[3], batchVersion)
	}
	body := data[batchHeader:]
	if have, want := crc32.Checksum(body, castagnoli), binary.LittleEndian.Uint32(data[4:]); have != want {
		return fmt.Errorf("%w: its sum is %#x, and should be %#x", ErrBatch, have, want)
	}
	var total tally
	for at := 0; at < len(body); {
		n, err := total.run(body[at:])
		if err != nil {
			return fault.Errorf("%w: at byte %d: %w", ErrBatch, batchHeader+at, err)
		}
		at += n
	}
	b.Reset()
	b.grow(&total)
	for len(body) > 0 {
		k, n, size := readRun(body)
		body = body[size:]
		switch op := &operations[k]; {
		case !op.whole:
			b.calls += n
		case op.effect != joins:
			b.calls++
		}
		if last := len(b.runs) - 1; last >= 0 && b.runs[last].kind == k && operations[k].has == 0 {
			b.runs[last].n++
			continue
		}
		b.runs = append(b.runs, run{k, n})
		body = b.parts.decode(operations[k].has, n, body)
	}
	return nil
}

// readRun returns the kind and the number of objects of a run, and the size of this header in
// bytes, 0 if it is invalid.
func readRun(body []byte) (k kind, n, size int) {
	k = kind(body[0])
	if k == 0 || int(k) >= len(operations) {
		return k, 0, 0
	}
	if operations[k].has == 0 {
		return k, 1, 1
	}
	number, size := binary.Uvarint(body[1:])
	if size <= 0 || number == 0 || size > 1 && body[size] == 0 || number > uint64(len(body)) {
		return k, 0, 0
	}
	return k, int(number), 1 + size
}

// tally counts the runs and rows of a batch.
type tally struct {
	runs int
	rows [9]int // of each part, in the order of hasPart
	last kind
}

// run adds a run and returns its size in bytes.
func (y *tally) run(body []byte) (bytes int, err error) {
	k, n, size := readRun(body)
	if size == 0 {
		return 0, fmt.Errorf("kind %d, or its number of objects", k)
	}
	each := partBytes(k)
	if rest := len(body) - size; each > 0 && n > rest/each {
		return 0, fmt.Errorf("%s of %d objects in %d bytes", operations[k].name, n, rest)
	}
	if k == y.last && !operations[k].whole && each > 0 {
		return 0, fmt.Errorf("%s in two runs", operations[k].name)
	}
	if !k.joinable(y.last) {
		return 0, fmt.Errorf("kind %d after kind %d", k, y.last)
	}
	if k != y.last || each > 0 {
		y.runs++
	}
	y.last = k
	bytes = size + n*each
	switch {
	case operations[k].has&(hasObjects|hasBalls) != 0:
		err = checkFlags(k, body[size+each-1:bytes], each)
	case operations[k].has&hasFlags != 0:
		err = checkFlags(k, body[bytes-n:bytes], 1)
	case operations[k].has&hasRegions != 0:
		err = checkRegions(k, body[size:bytes])
	case k == rebuilding:
		for at := size; at < bytes; at += each {
			if how := binary.LittleEndian.Uint32(body[at:]); how > 1+2*math.MaxUint8 {
				return 0, fmt.Errorf("%s with the options %#x", operations[k].name, how)
			}
		}
	}
	for i := range y.rows {
		if operations[k].has>>i&1 != 0 {
			y.rows[i] += n
		}
	}
	return bytes, err
}

// checkFlags returns an error if one of the flags, at every step bytes, is not 0 or 1.
func checkFlags(k kind, flags []byte, step int) error {
	for at := 0; at < len(flags); at += step {
		if flags[at] > 1 {
			return fmt.Errorf("%s with the flag %d", operations[k].name, flags[at])
		}
	}
	return nil
}

// checkRegions returns an error if one of the encoded regions has another shape, or a sphere has other numbers.
func checkRegions(k kind, regions []byte) error {
	for at := 0; at < len(regions); at += regionBytes {
		r := regions[at : at+regionBytes]
		if r[0] > 1 || r[0] == 1 && binary.LittleEndian.Uint64(r[regionBytes-8:]) != 0 {
			return fmt.Errorf("%s with the shape %d and the last words %#x", operations[k].name, r[0], r[regionBytes-8:])
		}
	}
	return nil
}

// grow reserves capacity for the counted runs and rows.
func (b *Batch) grow(y *tally) {
	b.runs = slices.Grow(b.runs, y.runs)
	p := &b.parts
	p.ids, p.objects, p.balls = slices.Grow(p.ids, y.rows[0]), slices.Grow(p.objects, y.rows[1]), slices.Grow(p.balls, y.rows[2])
	p.to.Boxes, p.to.Spheres, p.to.Oriented = slices.Grow(p.to.Boxes, y.rows[3]), slices.Grow(p.to.Spheres, y.rows[4]), slices.Grow(p.to.Oriented, y.rows[5])
	p.words, p.flags, p.regions = slices.Grow(p.words, y.rows[6]), slices.Grow(p.flags, y.rows[7]), slices.Grow(p.regions, y.rows[8])
}

// encode appends the columns of a run.
func (p *parts) encode(dst []byte) []byte {
	for _, id := range p.ids {
		dst = binary.LittleEndian.AppendUint32(dst, id)
	}
	for i := range p.objects {
		o := &p.objects[i]
		dst = appendFloats(dst, o.Box.Min[:])
		dst = appendFloats(dst, o.Box.Max[:])
		dst = appendLabels(dst, o.Mask, o.Static)
	}
	for i := range p.balls {
		o := &p.balls[i]
		dst = appendLabels(appendFloats(dst, o.Sphere[:]), o.Mask, o.Static)
	}
	for i := range p.to.Boxes {
		dst = appendFloats(dst, p.to.Boxes[i].Min[:])
		dst = appendFloats(dst, p.to.Boxes[i].Max[:])
	}
	for i := range p.to.Spheres {
		dst = appendFloats(dst, p.to.Spheres[i][:])
	}
	for i := range p.to.Oriented {
		o := &p.to.Oriented[i]
		dst = appendFloats(dst, o.Center[:])
		for a := range o.Axes {
			dst = appendFloats(dst, o.Axes[a][:])
		}
	}
	for _, word := range p.words {
		dst = binary.LittleEndian.AppendUint32(dst, word)
	}
	for _, flag := range p.flags {
		dst = appendFlag(dst, flag)
	}
	for i := range p.regions {
		x := &p.regions[i]
		dst = append(appendFlag(dst, x.region.sphere), byte(x.filter.Motion))
		dst = appendFloats(binary.LittleEndian.AppendUint32(dst, x.filter.Mask), x.region.numbers[:])
	}
	return dst
}

func appendFloats(dst []byte, floats []float32) []byte {
	for _, x := range floats {
		dst = binary.LittleEndian.AppendUint32(dst, math.Float32bits(x))
	}
	return dst
}

func appendLabels(dst []byte, mask uint32, static bool) []byte {
	return appendFlag(binary.LittleEndian.AppendUint32(dst, mask), static)
}

func appendFlag(dst []byte, flag bool) []byte {
	if flag {
		return append(dst, 1)
	}
	return append(dst, 0)
}

// decode appends the columns of a run of n objects to p, and returns the bytes after them.
func (p *parts) decode(has hasPart, n int, body []byte) []byte {
	r := reader{body}
	for i := hasIDs; i != 0; i <<= 1 {
		if has&i == 0 {
			continue
		}
		for range n {
			switch i {
			case hasIDs:
				p.ids = append(p.ids, r.word())
			case hasObjects:
				p.objects = append(p.objects, soa.Object{Box: r.box(), Mask: r.word(), Static: r.flag()})
			case hasBalls:
				p.balls = append(p.balls, soa.Ball{Sphere: r.sphere(), Mask: r.word(), Static: r.flag()})
			case hasBoxes:
				p.to.Boxes = append(p.to.Boxes, r.box())
			case hasSpheres:
				p.to.Spheres = append(p.to.Spheres, r.sphere())
			case hasOriented:
				p.to.Oriented = append(p.to.Oriented, soa.OrientedBox{Center: r.point(), Axes: [3][3]float32{r.point(), r.point(), r.point()}})
			case hasWords:
				p.words = append(p.words, r.word())
			case hasFlags:
				p.flags = append(p.flags, r.flag())
			case hasRegions:
				x := selection{region: Region{sphere: r.flag()}, filter: Filter{Motion: Motion(r.byte()), Mask: r.word()}}
				for i := range x.region.numbers {
					x.region.numbers[i] = r.float()
				}
				p.regions = append(p.regions, x)
			}
		}
	}
	return r.body
}

// reader decodes numbers from bytes whose length has been checked.
type reader struct{ body []byte }

func (r *reader) word() uint32 {
	x := binary.LittleEndian.Uint32(r.body)
	r.body = r.body[4:]
	return x
}

func (r *reader) byte() byte {
	x := r.body[0]
	r.body = r.body[1:]
	return x
}

func (r *reader) flag() bool         { return r.byte() != 0 }
func (r *reader) float() float32     { return math.Float32frombits(r.word()) }
func (r *reader) point() [3]float32  { return [3]float32{r.float(), r.float(), r.float()} }
func (r *reader) sphere() [4]float32 { return [4]float32{r.float(), r.float(), r.float(), r.float()} }

// box reads a box with one check of the length.
func (r *reader) box() (box soa.AABB) {
	b := (*[24]byte)(r.body)
	r.body = r.body[len(b):]
	for a := range 3 {
		box.Min[a] = math.Float32frombits(binary.LittleEndian.Uint32(b[4*a:]))
		box.Max[a] = math.Float32frombits(binary.LittleEndian.Uint32(b[4*a+12:]))
	}
	return box
}
