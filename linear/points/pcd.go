package points

import (
	"encoding/binary"
	"fmt"
	"slices"

	"github.com/zoctree/zoctree/internal/fault"
)

// pcd is the state of reading a PCD file.
type pcd struct {
	pcdHeader
	s    *source
	k    *collector
	want []int     // for each taken field after the axes, its column
	row  []float64 // taken values of the current point
}

// readPCD reads a PCD file.
func readPCD(s *source, k *collector) (string, error) {
	p := pcd{s: s, k: k}
	if err := p.header(s); err != nil {
		return "", err
	}
	if err := p.choose(); err != nil {
		return "", s.lineErrorf("%w", err)
	}
	k.width, k.height = p.width, p.height
	var err error
	switch p.data {
	case "ascii":
		err = p.ascii()
	case "binary":
		err = p.binary()
	case "binary_compressed":
		err = p.compressed()
	}
	return "PCD " + p.data, err
}

// choose selects the fields for the columns.
func (p *pcd) choose() error {
	if err := p.k.claimed(uint64(p.points)); err != nil {
		return err
	}
	for _, f := range p.fields {
		which, err := p.k.claim(f.name)
		if err != nil {
			return fault.Errorf("second field %w", err)
		}
		if which != nil && f.count != 1 {
			return fmt.Errorf("field %s has COUNT %d, want 1", f.name, f.count)
		}
		for _, k := range which {
			p.want = append(p.want, k)
			p.taken = append(p.taken, f)
		}
	}
	p.row = make([]float64, len(p.taken))
	return nil
}

// add adds the point in row. text, unless nil, has its spelling in the file.
func (p *pcd) add(text *[3][]byte) error {
	for i, k := range p.want {
		p.k.columns[k].now = p.row[3+i]
	}
	return p.k.point([3]float64(p.row), text)
}

// ascii reads one point per line.
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
	var text [3][]byte
	for i := range p.values {
		var field []byte
		if field, line = cutField(line); len(field) == 0 {
			return fmt.Errorf("%d values, want %d", i, p.values)
		}
		for k := range p.taken {
			if i != p.taken[k].value {
				continue
			}
			var ok bool
			if p.row[k], ok = parseFloat64(field); !ok {
				return fmt.Errorf("%s: %s is not a number", p.taken[k].name, quote(field))
			}
			if k < 3 {
				text[k] = field
			}
		}
	}
	if field, _ := cutField(line); len(field) > 0 {
		return fmt.Errorf("more than %d values", p.values)
	}
	return p.add(&text)
}

// binary reads consecutive points.
func (p *pcd) binary() error {
	for i := range p.points {
		at := p.s.offset()
		b, ok := p.s.take(p.size)
		if !ok {
			return p.s.byteEnd("%d of %d points", i, p.points)
		}
		for k := range p.taken {
			p.row[k] = p.taken[k].typ.float64(b[p.taken[k].start:], binary.LittleEndian)
		}
		if err := p.add(nil); err != nil {
			return p.s.byteErrorf(at, "%w", err)
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
	// Only the taken columns are kept in memory.
	columns := make([][]byte, len(p.taken))
	done := int64(0)
	z := lzf{s: p.s, left: packed, size: size, emit: func(b []byte) {
		for a, f := range p.taken {
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
	if p.k.emit == nil {
		p.k.raw = slices.Grow(p.k.raw, int(p.points)) // all points have been unpacked
	}
	for i := range int64(p.points) {
		for a, f := range p.taken {
			p.row[a] = f.typ.float64(columns[a][i*f.typ.size:], binary.LittleEndian)
		}
		if err := p.add(nil); err != nil {
			return p.s.byteErrorf(at, "compressed data: %w", err)
		}
	}
	return p.s.finishBytes()
}
