package flat

import (
	"bufio"
	"encoding/binary"
	"fmt"
	"io"
	"math"
	"slices"
)

// write writes a whole file. It rejects a record that readers would reject, before it writes a byte.
func write[T any](w io.Writer, kind Kind, p0, p1 uint32, list []T, c codec[T]) error {
	if uint64(len(list)) > math.MaxUint32 {
		return fmt.Errorf("%d %v are more than a file can count", len(list), kind)
	}
	for i := range list {
		if err := c.check(&list[i]); err != nil {
			return fmt.Errorf("%v: record %d: %w", kind, i, err)
		}
	}
	out := bufio.NewWriterSize(w, 1<<16)
	b := make([]byte, 0, 128)
	for _, word := range [8]uint32{Magic, uint32(kind), uint32(len(list)), uint32(c.size), p0, p1} {
		b = binary.LittleEndian.AppendUint32(b, word)
	}
	out.Write(b)
	for i := range list {
		out.Write(c.put(b[:0], &list[i]))
	}
	// A bufio.Writer keeps its first error.
	return out.Flush()
}

// WriteMoves writes the steps of moves, all of the same length. Steps without moves are rejected: the format
// cannot represent them.
func WriteMoves(w io.Writer, steps [][]Move) error {
	for i, step := range steps {
		if len(step) == 0 || len(step) != len(steps[0]) {
			return fmt.Errorf("step %d has %d moves, step 0 has %d", i, len(step), len(steps[0]))
		}
	}
	var p0, p1 uint32
	if len(steps) > 0 {
		p0, p1 = uint32(len(steps)), uint32(len(steps[0]))
	}
	return write(w, Moves, p0, p1, slices.Concat(steps...), moveCodec)
}
