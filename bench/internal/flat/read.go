package flat

import (
	"bufio"
	"encoding/binary"
	"fmt"
	"io"
)

// header is the first 32 bytes of a file.
type header struct {
	kind          Kind
	count, stride uint32
	p0, p1        uint32
}

// readHeader reads the header and makes all checks that do not depend on the record.
func readHeader(r io.Reader, name string, kind Kind, size int) (h header, err error) {
	var b [headerSize]byte
	if n, err := io.ReadFull(r, b[:]); err != nil {
		return h, ended(err, name, int64(n), "the header")
	}
	word := func(i int) uint32 { return binary.LittleEndian.Uint32(b[4*i:]) }
	if magic := word(0); magic != Magic {
		return h, fmt.Errorf("%s: byte 0: magic is %#08x, want %#08x", name, magic, Magic)
	}
	h = header{Kind(word(1)), word(2), word(3), word(4), word(5)}
	if h.kind != kind {
		return h, fmt.Errorf("%s: byte 4: kind is %d (%v), want %d (%v)", name, h.kind, h.kind, kind, kind)
	}
	if h.stride < uint32(size) || h.stride > MaxStride || h.stride%4 != 0 {
		return h, fmt.Errorf("%s: byte 12: stride is %d, want a multiple of 4 from %d to %d", name, h.stride, size, MaxStride)
	}
	moves := kind == Moves
	if !moves && (h.p0 != 0 || h.p1 != 0) {
		return h, fmt.Errorf("%s: byte 16: p0 and p1 are %d and %d, want 0", name, h.p0, h.p1)
	}
	if moves && (uint64(h.p0)*uint64(h.p1) != uint64(h.count) || (h.p0 == 0) != (h.p1 == 0)) {
		return h, fmt.Errorf("%s: byte 16: %d steps of %d moves, but count is %d", name, h.p0, h.p1, h.count)
	}
	if word(6) != 0 || word(7) != 0 {
		return h, fmt.Errorf("%s: byte 24: the last 8 bytes of the header are not 0", name)
	}
	return h, nil
}

// ended returns the error of a failed read: the position of the end of the file, or the cause if it is
// another error.
func ended(cause error, name string, at int64, where string) error {
	if cause == io.EOF || cause == io.ErrUnexpectedEOF {
		return fmt.Errorf("%s: byte %d: file ends in %s", name, at, where)
	}
	return fmt.Errorf("%s: byte %d: %w", name, at, cause)
}

// read reads a whole file.
func read[T any](r io.Reader, name string, kind Kind, c codec[T]) (header, []T, error) {
	in := bufio.NewReaderSize(r, 1<<16)
	h, err := readHeader(in, name, kind, c.size)
	if err != nil {
		return h, nil, err
	}
	// The stride is bounded; the count is untrusted.
	b := make([]byte, h.stride)
	list := make([]T, 0, min(h.count, 4096))
	at := int64(headerSize)
	for i := range h.count {
		if n, err := io.ReadFull(in, b); err != nil {
			return h, nil, ended(err, name, at+int64(n), fmt.Sprintf("record %d of %d", i, h.count))
		}
		v := c.get(b)
		if err := c.check(&v); err != nil {
			return h, nil, fmt.Errorf("%s: record %d at byte %d: %w", name, i, at, err)
		}
		list = append(list, v)
		at += int64(h.stride)
	}
	if _, err := in.ReadByte(); err == nil {
		return h, nil, fmt.Errorf("%s: byte %d: data after the last of %d records", name, at, h.count)
	} else if err != io.EOF {
		return h, nil, fmt.Errorf("%s: byte %d: %w", name, at, err)
	}
	return h, list, nil
}

func readPlain[T any](r io.Reader, name string, kind Kind, c codec[T]) ([]T, error) {
	_, list, err := read(r, name, kind, c)
	return list, err
}

// ReadMoves reads the steps of moves. The caller must check that the IDs exist.
func ReadMoves(r io.Reader, name string) ([][]Move, error) {
	h, moves, err := read(r, name, Moves, moveCodec)
	if err != nil {
		return nil, err
	}
	// p0 is at most the number of moves read.
	steps := make([][]Move, 0, h.p0)
	for len(moves) > 0 {
		steps = append(steps, moves[:h.p1:h.p1])
		moves = moves[h.p1:]
	}
	return steps, nil
}
