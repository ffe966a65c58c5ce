package flat

import (
	"bytes"
	"encoding/binary"
	"errors"
	"io"
	"math"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"
	"testing/iotest"

	"github.com/zoctree/zoctree/bench/internal/must"
	"github.com/zoctree/zoctree/soa"
)

// file returns a header of the given words, without the magic, and a body.
func file(kind Kind, count, stride, p0, p1 uint32, body ...any) []byte {
	b := []byte("ARN1")
	for _, word := range []any{uint32(kind), count, stride, p0, p1, uint64(0)} {
		b, _ = binary.Append(b, binary.LittleEndian, word)
	}
	for _, v := range body {
		b, _ = binary.Append(b, binary.LittleEndian, v)
	}
	return b
}

var (
	unit   = soa.AABB{Max: [3]float32{1, 1, 1}}
	planes = [6][4]float32{{1, 0, 0, 1}, {-1, 0, 0, 1}, {0, 1, 0, 1}, {0, -1, 0, 1}, {0, 0, 1, 1}, {0, 0, -1, 1}}
	ray    = [7]float32{1, 2, 3, 0, 0, -1, float32(math.Inf(1))}
)

func TestGolden(t *testing.T) {
	var b bytes.Buffer
	err := WriteMoves(&b, [][]Move{{{ID: 7, Box: soa.AABB{Min: [3]float32{-1, 0, 0.5}, Max: [3]float32{2, 0, 1}}}}})
	if err != nil {
		t.Fatal(err)
	}
	want := "ARN1" + "\x07\x00\x00\x00" + // magic, kind
		"\x01\x00\x00\x00" + "\x1c\x00\x00\x00" + // count, stride
		"\x01\x00\x00\x00" + "\x01\x00\x00\x00" + // p0, p1
		"\x00\x00\x00\x00\x00\x00\x00\x00" +
		"\x07\x00\x00\x00" + // ID
		"\x00\x00\x80\xbf" + "\x00\x00\x00\x00" + "\x00\x00\x00\x3f" + // min
		"\x00\x00\x00\x40" + "\x00\x00\x00\x00" + "\x00\x00\x80\x3f" // max
	if b.String() != want {
		t.Errorf("got  %q\nwant %q", b.String(), want)
	}
}

// trip writes a list, reads it back and compares; the bytes too must agree.
func trip[T any](t *testing.T, list T, write func(io.Writer, T) error, read func(io.Reader, string) (T, error), want []byte) {
	t.Helper()
	var b bytes.Buffer
	must.Do(write(&b, list))
	if !bytes.Equal(b.Bytes(), want) {
		t.Errorf("wrote %q\nwant  %q", b.Bytes(), want)
	}
	got := must.Get(read(iotest.OneByteReader(&b), "file"))
	if !reflect.DeepEqual(got, list) {
		t.Errorf("got %v\nwant %v", got, list)
	}
}

func TestRoundTrip(t *testing.T) {
	negative := float32(math.Copysign(0, -1))
	boxes := []soa.AABB{unit, {Min: [3]float32{negative, -math.MaxFloat32, 0}, Max: [3]float32{0, math.MaxFloat32, 0x1p-149}}}
	trip(t, boxes, WriteScene, ReadScene, file(Scene, 2, 24, 0, 0, boxes))
	trip(t, boxes, WriteBoxes, ReadBoxes, file(Boxes, 2, 24, 0, 0, boxes))
	points := [][3]float32{{1, 2, 3}, {4, 5, 6}, {7, 8, 9}}
	trip(t, points, WritePoints, ReadPoints, file(Points, 3, 12, 0, 0, points))
	frusta := [][6][4]float32{planes, {}}
	trip(t, frusta, WriteFrusta, ReadFrusta, file(Frusta, 2, 96, 0, 0, frusta))
	spheres := [][4]float32{{1, 2, 3, 0}, {0, 0, 0, math.MaxFloat32}}
	trip(t, spheres, WriteSpheres, ReadSpheres, file(Spheres, 2, 16, 0, 0, spheres))
	rays := [][7]float32{ray, {0, 0, 0, 0.6, 0.8, 0, 0}}
	trip(t, rays, WriteRays, ReadRays, file(Rays, 2, 28, 0, 0, rays))
	steps := [][]Move{{{1, unit}, {2, unit}}, {{3, unit}, {math.MaxUint32, unit}}, {{5, unit}, {6, unit}}}
	trip(t, steps, WriteMoves, ReadMoves, file(Moves, 6, 28, 3, 2, steps[0], steps[1], steps[2]))
	instances := []Instance{{3, [12]float32{1, 0, 0, 5, 0, 1, 0, 6, 0, 0, 1, 7}}, {math.MaxUint32, [12]float32{11: -0x1p-149}}}
	trip(t, instances, WriteInstances, ReadInstances, file(Instances, 2, 52, 0, 0, instances))
	trip(t, []soa.AABB{}, WriteScene, ReadScene, file(Scene, 0, 24, 0, 0))
	trip(t, [][]Move{}, WriteMoves, ReadMoves, file(Moves, 0, 28, 0, 0))
}

// A list longer than the buffers.
func TestLong(t *testing.T) {
	points := make([][3]float32, 100_003)
	for i := range points {
		points[i] = [3]float32{float32(i), float32(-i), 0.5}
	}
	trip(t, points, WritePoints, ReadPoints, file(Points, 100_003, 12, 0, 0, points))
}

func TestPadding(t *testing.T) {
	b := file(Points, 2, 20, 0, 0, [5]float32{1, 2, 3, 4, 5}, [5]float32{6, 7, 8, float32(math.NaN()), 0})
	got, err := ReadPoints(bytes.NewReader(b), "file")
	if want := [][3]float32{{1, 2, 3}, {6, 7, 8}}; err != nil || !reflect.DeepEqual(got, want) {
		t.Errorf("got %v, %v, want %v", got, err, want)
	}
}

func discard[T any](read func(io.Reader, string) (T, error)) func(io.Reader) error {
	return func(r io.Reader) error { _, err := read(r, "file"); return err }
}

var readers = [...]func(io.Reader) error{
	Scene: discard(ReadScene), Points: discard(ReadPoints), Frusta: discard(ReadFrusta), Boxes: discard(ReadBoxes),
	Spheres: discard(ReadSpheres), Rays: discard(ReadRays), Moves: discard(ReadMoves), Instances: discard(ReadInstances),
}

func TestRefused(t *testing.T) {
	nan, inf := float32(math.NaN()), float32(math.Inf(1))
	point := [3]float32{1, 2, 3}
	badPlanes := planes
	badPlanes[4][3] = inf
	good := file(Points, 1, 12, 0, 0, point)
	dirty := file(Points, 0, 12, 0, 0)
	dirty[31] = 1
	for _, test := range []struct {
		kind Kind
		data []byte
		want string
	}{
		{Points, nil, "file: byte 0: file ends in the header"},
		{Points, good[:31], "file: byte 31: file ends in the header"},
		{Points, append([]byte("ARN2"), good[4:]...), "file: byte 0: magic is 0x324e5241, want 0x314e5241"},
		{Scene, good, "file: byte 4: kind is 2 (points), want 1 (scene boxes)"},
		{Points, file(9, 0, 12, 0, 0), "file: byte 4: kind is 9 (an unknown kind), want 2 (points)"},
		{Points, file(Points, 0, 8, 0, 0), "file: byte 12: stride is 8, want a multiple of 4 from 12 to 65536"},
		{Points, file(Points, 0, 14, 0, 0), "file: byte 12: stride is 14, want a multiple of 4 from 12 to 65536"},
		{Points, file(Points, 0, 1<<31, 0, 0), "file: byte 12: stride is 2147483648, want a multiple of 4 from 12 to 65536"},
		{Points, file(Points, 0, 12, 0, 1), "file: byte 16: p0 and p1 are 0 and 1, want 0"},
		{Moves, file(Moves, 5, 28, 2, 3), "file: byte 16: 2 steps of 3 moves, but count is 5"},
		{Moves, file(Moves, 0, 28, 1<<31, 2), "file: byte 16: 2147483648 steps of 2 moves, but count is 0"},
		{Moves, file(Moves, 0, 28, math.MaxUint32, 0), "file: byte 16: 4294967295 steps of 0 moves, but count is 0"},
		{Points, dirty, "file: byte 24: the last 8 bytes of the header are not 0"},
		{Points, file(Points, math.MaxUint32, 12, 0, 0, point, point), "file: byte 56: file ends in record 2 of 4294967295"},
		{Points, good[:43], "file: byte 43: file ends in record 0 of 1"},
		{Points, append(bytes.Clone(good), 0), "file: byte 44: data after the last of 1 records"},
		{Points, file(Points, 2, 12, 0, 0, point, [3]float32{1, nan, 3}), "file: record 1 at byte 44: point [1 NaN 3] is not finite"},
		{Scene, file(Scene, 1, 24, 0, 0, [3]float32{0, 0, 2}, point[:2], float32(1)), "file: record 0 at byte 32: box [0 0 2] to [1 2 1] is inverted or not finite on axis z"},
		{Boxes, file(Boxes, 1, 24, 0, 0, [3]float32{}, [3]float32{inf, 0, 0}), "file: record 0 at byte 32: box [0 0 0] to [+Inf 0 0] is not finite"},
		{Frusta, file(Frusta, 1, 96, 0, 0, badPlanes), "file: record 0 at byte 32: plane 4 [0 0 1 +Inf] is not finite"},
		{Spheres, file(Spheres, 1, 16, 0, 0, point, float32(-1)), "file: record 0 at byte 32: radius -1 is negative"},
		{Spheres, file(Spheres, 1, 16, 0, 0, point, nan), "file: record 0 at byte 32: sphere [1 2 3 NaN] is not finite"},
		{Rays, file(Rays, 1, 28, 0, 0, point, [4]float32{0, 2, 0, 1}), "file: record 0 at byte 32: direction [0 2 0] has squared length 4, want 1"},
		{Rays, file(Rays, 1, 28, 0, 0, point, [4]float32{0, 1, 0, nan}), "file: record 0 at byte 32: greatest t NaN is not 0 or more"},
		{Rays, file(Rays, 1, 28, 0, 0, point, [4]float32{0, 1, 0, -1}), "file: record 0 at byte 32: greatest t -1 is not 0 or more"},
		{Rays, file(Rays, 1, 28, 0, 0, [7]float32{inf, 0, 0, 1}), "file: record 0 at byte 32: origin and direction [+Inf 0 0 1 0 0] is not finite"},
		{Instances, file(Instances, 1, 52, 0, 0, uint32(4), [12]float32{1: nan}), "file: record 0 at byte 32: rows [0 NaN 0 0 0 0 0 0 0 0 0 0] is not finite"},
		{Moves, file(Moves, 1, 28, 1, 1, uint32(4), [6]float32{1}), "file: record 0 at byte 32: box [1 0 0] to [0 0 0] is inverted or not finite on axis x"},
	} {
		err := readers[test.kind](bytes.NewReader(test.data))
		if err == nil || err.Error() != test.want {
			t.Errorf("got  %v\nwant %s", err, test.want)
		}
	}
}

// An error of the reader itself is returned, and is not treated as the end.
func TestReadFailure(t *testing.T) {
	broken := errors.New("disk on fire")
	good := file(Points, 1, 12, 0, 0, [3]float32{})
	for n := range len(good) + 1 {
		r := io.MultiReader(bytes.NewReader(good[:n]), iotest.ErrReader(broken))
		_, err := ReadPoints(r, "file")
		if !errors.Is(err, broken) || strings.Contains(err.Error(), "ends") {
			t.Errorf("after %d bytes: %v", n, err)
		}
	}
}

func TestWriteRefused(t *testing.T) {
	var b bytes.Buffer
	for want, err := range map[string]error{
		"spheres: record 1: radius -1 is negative": WriteSpheres(&b, [][4]float32{{}, {0, 0, 0, -1}}),
		"step 1 has 0 moves, step 0 has 1":         WriteMoves(&b, [][]Move{{{1, unit}}, {}}),
		"step 0 has 0 moves, step 0 has 0":         WriteMoves(&b, [][]Move{{}}),
	} {
		if err == nil || err.Error() != want {
			t.Errorf("got %v, want %s", err, want)
		}
	}
	if b.Len() > 0 {
		t.Errorf("wrote %d bytes", b.Len())
	}
}

func TestLoad(t *testing.T) {
	path := filepath.Join(t.TempDir(), "points.bin")
	if _, err := Load(path, ReadPoints); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("missing file: %v", err)
	}
	must.Do(os.WriteFile(path, file(Points, 1, 12, 0, 0, [3]float32{1, 2, 3}), 0o600))
	if got, err := Load(path, ReadPoints); err != nil || len(got) != 1 || got[0] != [3]float32{1, 2, 3} {
		t.Errorf("got %v, %v", got, err)
	}
	if _, err := Load(path, ReadScene); err == nil || !strings.HasPrefix(err.Error(), path+": ") {
		t.Errorf("error without its path: %v", err)
	}
}

func TestHash(t *testing.T) {
	for x, want := range map[uint64]uint64{
		0: 0xe220a8397b1dcdaf, 1: 0x910a2dec89025cc1, 2: 0x975835de1c9756ce, math.MaxUint32: 0x73b13ba2aff181c0,
	} {
		if got := SplitMix64(x); got != want {
			t.Errorf("SplitMix64(%d) = %#x, want %#x", x, got, want)
		}
	}
	if got := Hash([]uint32{2, 0, 1}); got != 0x0a830c0420b7813e {
		t.Errorf("Hash(2, 0, 1) = %#x", got)
	}
	if got := Hash(nil); got != 0 {
		t.Errorf("Hash() = %#x", got)
	}
}
