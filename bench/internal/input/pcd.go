package input

import (
	"encoding/binary"
	"fmt"

	"github.com/zoctree/zoctree/soa"
)

// pcd is a file in the making.
type pcd struct {
	pcdHeader
	s    *source
	d    *Data
	nans int // points left out
}

// readPCD reads a PCD file.
func readPCD(s *source, d *Data, _ *Options) error {
	p := pcd{s: s, d: d}
	if err := p.header(s); err != nil {
		return err
	}
	d.Format, d.Kind = "PCD "+p.data, Points
	var err error
	switch p.data {
	case "ascii":
		err = p.ascii()
	case "binary":
		err = p.binary()
	case "binary_compressed":
		err = p.compressed()
	}
	if p.nans > 0 {
		d.Skipped = append(d.Skipped, fmt.Sprintf("%d points with NaN", p.nans))
	}
	return err
}

// add takes a point, or counts it when it has a NaN.
func (p *pcd) add(v [3]float32) error {
	if v[0] != v[0] || v[1] != v[1] || v[2] != v[2] {
		p.nans++
		return nil
	}
	for a := range 3 {
		if err := checkCoordinate(a, v[a]); err != nil {
			return err
		}
	}
	p.d.add(soa.AABB{Min: v, Max: v})
	return nil
}

// ascii reads a point a line.
func (p *pcd) ascii() error {
	for i := range p.points {
		line, ok := p.s.record()
		if !ok {
			return p.s.lineEnd("%d of %d points", i, p.points)
		}
		if err := p.asciiPoint(line); err != nil {
			return p.s.lineErrorf("%w", err)
		}
	}
	return p.s.finishText()
}

func (p *pcd) asciiPoint(line []byte) error {
	var v [3]float32
	for i := range p.values {
		var field []byte
		if field, line = cutField(line); len(field) == 0 {
			return fmt.Errorf("%d values, want %d", i, p.values)
		}
		for a := range 3 {
			if i != p.axes[a].value {
				continue
			}
			var ok bool
			if v[a], ok = parseFloat32(field); !ok {
				return fmt.Errorf("%c: %s is not a number", 'x'+a, quote(field))
			}
		}
	}
	if field, _ := cutField(line); len(field) > 0 {
		return fmt.Errorf("more than %d values", p.values)
	}
	return p.add(v)
}

// binary reads points one after the other.
func (p *pcd) binary() error {
	for i := range p.points {
		at := p.s.offset()
		b, ok := p.s.take(p.size)
		if !ok {
			return p.s.byteEnd("%d of %d points", i, p.points)
		}
		var v [3]float32
		for a := range 3 {
			v[a] = p.axes[a].typ.float32(b[p.axes[a].start:], binary.LittleEndian)
		}
		if err := p.add(v); err != nil {
			return p.s.byteErrorf(at, "point %d: %w", i, err)
		}
	}
	return p.s.finishBytes()
}

// compressed reads one LZF block that holds the first field of all points, the
// second field of all points, and so on.
//
//	+----------------------+------------------------+-----------------+
//	| u32 compressed bytes | u32 uncompressed bytes | compressed data |
//	+----------------------+------------------------+-----------------+
func (p *pcd) compressed() error {
	b, ok := p.s.take(8)
	if !ok {
		return p.s.byteEnd("no sizes of the compressed data")
	}
	packed := int64(binary.LittleEndian.Uint32(b))
	size := int64(binary.LittleEndian.Uint32(b[4:]))
	at := p.s.offset()
	if want := int64(p.points) * p.size; size != want {
		return p.s.byteErrorf(at-4, "%d uncompressed bytes, but %d points of %d bytes are %d", size, p.points, p.size, want)
	}
	// Of all columns only those of the axes stay.
	var columns [3][]byte
	done := int64(0)
	z := lzf{s: p.s, left: packed, size: size, emit: func(b []byte) {
		for a, f := range p.axes {
			first := f.start * int64(p.points)
			end := first + f.typ.size*int64(p.points)
			n := int64(len(b))
			columns[a] = append(columns[a], b[min(max(first-done, 0), n):min(max(end-done, 0), n)]...)
		}
		done += int64(len(b))
	}}
	ok, err := z.unpack()
	if !ok {
		return p.s.byteEnd("%d bytes of compressed data", packed)
	}
	if err != nil {
		return p.s.byteErrorf(at+z.item, "compressed data: %w", err)
	}
	for i := range int64(p.points) {
		var v [3]float32
		for a, f := range p.axes {
			v[a] = f.typ.float32(columns[a][i*f.typ.size:], binary.LittleEndian)
		}
		if err := p.add(v); err != nil {
			return p.s.byteErrorf(at, "compressed data: point %d: %w", i, err)
		}
	}
	return p.s.finishBytes()
}
