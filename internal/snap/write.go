package snap

import (
	"context"
	"encoding/binary"
	"fmt"
	"io"
)

// writeAt is the largest number of bytes per write; a canceled context is detected between two
// writes.
const writeAt = 4 << 20

// Write writes a file of the given sections, in order, and returns the number of bytes written. It
// makes two passes over the rows: one for the sums, and one that writes them without copying. On
// big-endian machines it copies one section at a time.
//
// If ctx is done, Write returns its error; a nil ctx is never done. progress, unless nil, is called
// with the finished share of the work, up to 1.
func Write(ctx context.Context, w io.Writer, kind uint32, sections []Section, progress func(share float64)) (n int64, err error) {
	if len(sections) > maxSections {
		return 0, fmt.Errorf("snap: %d sections, at most %d are possible", len(sections), maxSections)
	}
	p := passes{ctx: ctx, progress: progress}
	list := make([]entry, len(sections))
	chunks := int64(0)
	for i, s := range sections {
		if err := checkName(s.Name); err != nil {
			return 0, err
		}
		if s.Row <= 0 || len(s.Data)%s.Row != 0 || len(s.Words) == 0 {
			return 0, fmt.Errorf("snap: section %q of %d bytes in rows of %d, %d words", s.Name, len(s.Data), s.Row, len(s.Words))
		}
		bytes := int64(len(s.Data))
		list[i] = entry{Section: s, bytes: bytes}
		chunks += chunksOf(bytes)
		p.total += 2 * bytes
	}
	h := header{minor: Minor, kind: kind, sections: len(list), head: fixed + rowSize*int64(len(list)) + 4*chunks}
	head := make([]byte, h.head)
	sums := head[fixed+rowSize*len(list):]
	h.bytes = h.head
	for i := range list {
		s := &list[i]
		s.offset = place(h.bytes, s.bytes)
		h.bytes = s.offset + s.bytes
		putEntry(head[fixed+rowSize*i:], s)
		for data := ordered(s.Data, s.Words); len(data) > 0; {
			chunk := data[:min(len(data), Chunk)]
			binary.LittleEndian.PutUint32(sums, sum(chunk))
			data, sums = data[len(chunk):], sums[4:]
			if err := p.step(len(chunk)); err != nil {
				return 0, err
			}
		}
	}
	h.tables = sum(head[fixed:])
	h.put(head)

	if n, err = put(w, head, n); err != nil {
		return n, err
	}
	var zero [Page]byte
	for i := range list {
		s := &list[i]
		if n, err = put(w, zero[:s.offset-n], n); err != nil {
			return n, err
		}
		for data := ordered(s.Data, s.Words); len(data) > 0; {
			some := data[:min(len(data), writeAt)]
			if n, err = put(w, some, n); err != nil {
				return n, err
			}
			data = data[len(some):]
			if err := p.step(len(some)); err != nil {
				return n, err
			}
		}
	}
	return n, nil
}

// put writes all of b. It returns n plus the number of bytes written.
func put(w io.Writer, b []byte, n int64) (int64, error) {
	if len(b) == 0 {
		return n, nil
	}
	k, err := w.Write(b)
	if err == nil && k < len(b) {
		err = io.ErrShortWrite
	}
	return n + int64(k), err
}

// passes tracks the bytes processed in both passes.
type passes struct {
	ctx         context.Context
	progress    func(share float64)
	done, total int64
}

func (p *passes) step(n int) error {
	p.done += int64(n)
	if p.progress != nil {
		p.progress(float64(p.done) / float64(p.total))
	}
	if p.ctx != nil {
		return p.ctx.Err()
	}
	return nil
}
