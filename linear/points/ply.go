package points

import "fmt"

// readPLY reads a PLY file.
func readPLY(s *source, k *collector) (string, error) {
	p := ply{s: s, k: k}
	if err := p.header(); err != nil {
		return "", err
	}
	for i := range p.elements {
		e := &p.elements[i]
		if e.role == plyOther {
			k.skip(int64(e.count), "of element "+e.name)
		}
		read := p.ascii
		if p.order != nil {
			read = p.binary
		}
		if err := read(e); err != nil {
			return "", err
		}
	}
	finish := s.finishText
	if p.order != nil {
		finish = s.finishBytes
	}
	return "PLY " + p.encoding, finish()
}

// corner appends a vertex to the current face.
func (p *ply) corner(index int64) error {
	if index < 0 || index >= int64(p.vertices) {
		return fmt.Errorf("face index %d out of range (%d vertices)", index, p.vertices)
	}
	return p.k.faces.corner(uint32(index))
}

// close completes a record. text, unless nil, has the spelling of the vertex in the file.
func (p *ply) close(e *plyElement, vertex [3]float64, text *[3][]byte) error {
	switch e.role {
	case plyVertex:
		return p.k.point(vertex, text)
	case plyFace:
		p.k.faces.close()
	}
	return nil
}

// keep stores a value of a property for its columns.
func (p *ply) keep(prop *plyProperty, v float64) {
	for _, k := range prop.keep {
		p.k.columns[k].now = v
	}
}

// ascii reads the records of an element, one per line.
func (p *ply) ascii(e *plyElement) error {
	for i := range e.count {
		line, ok := p.s.record()
		if !ok {
			return p.s.lineEnd("%d of %d records of element %s", i, e.count, e.name)
		}
		if err := p.asciiRecord(e, line); err != nil {
			return p.s.lineErrorf("%w", err)
		}
	}
	return nil
}

func (p *ply) asciiRecord(e *plyElement, line []byte) error {
	var vertex [3]float64
	var text [3][]byte
	for i := range e.props {
		prop := &e.props[i]
		var field []byte
		if field, line = cutField(line); len(field) == 0 {
			return fmt.Errorf("%s ends before property %s", e.name, prop.name)
		}
		switch {
		case prop.list:
			n, ok := parseInt(field)
			if !ok || n < 0 {
				return fmt.Errorf("list %s: %s is not a length", prop.name, quote(field))
			}
			for ; n > 0; n-- {
				if field, line = cutField(line); len(field) == 0 {
					return fmt.Errorf("list %s ends %d values early", prop.name, n)
				}
				if prop.role != plyCorners {
					continue
				}
				index, ok := parseInt(field)
				if !ok {
					return fmt.Errorf("list %s: %s is not an index", prop.name, quote(field))
				}
				if err := p.corner(index); err != nil {
					return err
				}
			}
		case prop.role != plySkip || prop.keep != nil:
			v, ok := parseFloat64(field)
			if !ok {
				return fmt.Errorf("%s: %s is not a number", prop.name, quote(field))
			}
			p.keep(prop, v)
			if prop.role == plySkip {
				continue
			}
			vertex[prop.role], text[prop.role] = v, field
		}
	}
	if field, _ := cutField(line); len(field) > 0 {
		return fmt.Errorf("%s has more than its properties: %s", e.name, quote(field))
	}
	return p.close(e, vertex, &text)
}

// binary reads the records of an element, packed.
func (p *ply) binary(e *plyElement) error {
	for i := range e.count {
		if err := p.binaryRecord(e, i); err != nil {
			return err
		}
	}
	return nil
}

func (p *ply) binaryRecord(e *plyElement, record uint32) error {
	var vertex [3]float64
	start := p.s.offset()
	for i := range e.props {
		prop := &e.props[i]
		if prop.list {
			if err := p.binaryList(e, prop, record); err != nil {
				return err
			}
			continue
		}
		b, ok := p.s.take(prop.value.size)
		if !ok {
			return p.s.byteEnd("%s %d of %d", e.name, record, e.count)
		}
		if prop.role == plySkip && prop.keep == nil {
			continue
		}
		v := prop.value.float64(b, p.order)
		p.keep(prop, v)
		if prop.role != plySkip {
			vertex[prop.role] = v
		}
	}
	if err := p.close(e, vertex, nil); err != nil {
		return p.s.byteErrorf(start, "%w", err)
	}
	return nil
}

// listPart is the number of values of a list that are read at a time. The length is only a claim, and the list need
// not fit in memory.
const listPart = 4096

// binaryList reads a list of corners, or skips another list.
func (p *ply) binaryList(e *plyElement, prop *plyProperty, record uint32) error {
	at := p.s.offset()
	b, ok := p.s.take(prop.length.size)
	if !ok {
		return p.s.byteEnd("%s %d of %d", e.name, record, e.count)
	}
	n := prop.length.integer(b, p.order)
	if n < 0 {
		return p.s.byteErrorf(at, "%s %d: list %s has length %d", e.name, record, prop.name, n)
	}
	if prop.role != plyCorners {
		if !p.s.skip(n * prop.value.size) {
			return p.s.byteEnd("%s %d of %d", e.name, record, e.count)
		}
		return nil
	}
	for n > 0 {
		at := p.s.offset()
		part := min(n, listPart)
		if b, ok = p.s.take(part * prop.value.size); !ok {
			return p.s.byteEnd("%s %d of %d", e.name, record, e.count)
		}
		for ; len(b) > 0; b = b[prop.value.size:] {
			if err := p.corner(prop.value.integer(b, p.order)); err != nil {
				return p.s.byteErrorf(at, "%s %d: %w", e.name, record, err)
			}
			at += prop.value.size
		}
		n -= part
	}
	return nil
}
