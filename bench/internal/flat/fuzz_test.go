package flat

import (
	"bytes"
	"encoding/binary"
	"io"
	"testing"
)

// again reads data, writes it again and expects the same bytes, except for the padding of a larger stride.
func again[T any](t *testing.T, data []byte, size uint32, read func(io.Reader, string) (T, error), write func(io.Writer, T) error) {
	list, err := read(bytes.NewReader(data), "file")
	if err != nil {
		return
	}
	var b bytes.Buffer
	if err := write(&b, list); err != nil {
		t.Fatalf("read but not written: %v", err)
	}
	stride := binary.LittleEndian.Uint32(data[12:])
	want := bytes.Clone(data[:headerSize])
	binary.LittleEndian.PutUint32(want[12:], size)
	for rest := data[headerSize:]; len(rest) > 0; rest = rest[stride:] {
		want = append(want, rest[:size]...)
	}
	if !bytes.Equal(b.Bytes(), want) {
		t.Fatalf("wrote %q\nwant  %q", b.Bytes(), want)
	}
}

func FuzzRead(f *testing.F) {
	f.Add(file(Scene, 1, 24, 0, 0, unit))
	f.Add(file(Points, 2, 16, 0, 0, [8]float32{1, 2, 3, 4, 5}))
	f.Add(file(Frusta, 1, 96, 0, 0, planes))
	f.Add(file(Boxes, 2, 28, 0, 0, unit, int32(3), unit, int32(4)))
	f.Add(file(Spheres, 1, 16, 0, 0, [4]float32{1, 2, 3, 4}))
	f.Add(file(Rays, 1, 28, 0, 0, ray))
	f.Add(file(Moves, 2, 28, 2, 1, Move{1, unit}, Move{2, unit}))
	f.Add(file(Instances, 1, 52, 0, 0, Instance{7, [12]float32{1, 2, 3}}))
	f.Fuzz(func(t *testing.T, data []byte) {
		again(t, data, 24, ReadScene, WriteScene)
		again(t, data, 12, ReadPoints, WritePoints)
		again(t, data, 96, ReadFrusta, WriteFrusta)
		again(t, data, 24, ReadBoxes, WriteBoxes)
		again(t, data, 16, ReadSpheres, WriteSpheres)
		again(t, data, 28, ReadRays, WriteRays)
		again(t, data, 28, ReadMoves, WriteMoves)
		again(t, data, 52, ReadInstances, WriteInstances)
	})
}
