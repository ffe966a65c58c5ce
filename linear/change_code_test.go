package linear_test

import (
	"bytes"
	"encoding/binary"
	"encoding/hex"
	"errors"
	"hash/crc32"
	"math"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/zoctree/zoctree/internal/micro"
	"github.com/zoctree/zoctree/internal/testkit"
	"github.com/zoctree/zoctree/linear"
	"github.com/zoctree/zoctree/soa"
)

// wholeBatch records every kind of change, with numbers that no tree accepts.
func wholeBatch() *linear.Batch {
	var b linear.Batch
	odd := math.Float32frombits(0x7fa12345) // a signalling NaN
	box := soa.AABB{Min: [3]float32{1, odd, -0.0}, Max: [3]float32{float32(math.Inf(-1)), 5, 6}}
	sphere := [4]float32{1.5, float32(math.Copysign(0, -1)), odd, -2}
	turned := soa.OrientedBox{Center: [3]float32{1, 2, 3}, Axes: [3][3]float32{{4, 5, 6}, {7, 8, 9}, {10, 11, odd}}}
	b.Insert(soa.Object{Box: box, Mask: 0x01020304, Static: true})
	b.Insert(soa.Object{Box: box, Mask: 7})
	b.InsertBall(soa.Ball{Sphere: sphere, Mask: 9, Static: true})
	b.Remove(0xfffffffe)
	b.Move(1, box)
	b.Move(2, box)
	b.MoveSphere(3, sphere)
	b.MoveOriented(4, turned)
	b.SetMask(5, 0xdeadbeef)
	b.SetStatic(6, true)
	b.SetStatic(7, false)
	b.SetSphere(8, sphere)
	b.SetOriented(9, turned)
	b.InsertBatch(make([]soa.Object, 2))
	b.InsertBatch([]soa.Object{{Box: box}})
	b.InsertBallBatch([]soa.Ball{{Sphere: sphere}, {Mask: 1}})
	b.RemoveBatch(make([]uint32, 130))
	b.MoveBatch([]uint32{10, 11}, []soa.AABB{box, {}})
	b.MoveBodies([]uint32{12}, linear.Bodies{Spheres: [][4]float32{sphere}})
	b.MoveBodies([]uint32{13}, linear.Bodies{Oriented: []soa.OrientedBox{turned}})
	b.SetBounds([]uint32{14}, linear.Bodies{Spheres: [][4]float32{sphere}})
	b.SetBounds([]uint32{15}, linear.Bodies{Oriented: []soa.OrientedBox{turned}})
	b.RemoveAll()
	b.Flush()
	b.Tick()
	b.Tick()
	b.Refit()
	b.Rebuild(linear.RebuildOptions{Frozen: true, Cut: 255})
	b.Rebuild(linear.RebuildOptions{Cut: linear.CutSpace})
	b.Trim()
	return &b
}

// mixedBatch records changes of boxes, spheres and oriented boxes in one call.
func mixedBatch() *linear.Batch {
	var b linear.Batch
	box, sphere, turned := make([]soa.AABB, 1), make([][4]float32, 1), make([]soa.OrientedBox, 1)
	b.MoveBodies([]uint32{1, 2, 3}, linear.Bodies{Boxes: box, Spheres: sphere, Oriented: turned})
	b.MoveBodies([]uint32{4, 5}, linear.Bodies{Boxes: box, Oriented: turned})
	b.MoveBodies([]uint32{6, 7}, linear.Bodies{Spheres: sphere, Oriented: turned})
	b.MoveBodies([]uint32{8, 9}, linear.Bodies{Boxes: box, Spheres: sphere})
	b.MoveBatch([]uint32{10}, box)
	b.SetBounds([]uint32{11, 12}, linear.Bodies{Spheres: sphere, Oriented: turned})
	b.SetBounds([]uint32{13}, linear.Bodies{Oriented: turned})
	return &b
}

// regionBatch records removals by region, with numbers that no tree accepts.
func regionBatch() *linear.Batch {
	var b linear.Batch
	odd := math.Float32frombits(0x7fa12345) // a signalling NaN
	box := soa.AABB{Min: [3]float32{1, odd, float32(math.Copysign(0, -1))}, Max: [3]float32{float32(math.Inf(-1)), 5, 6}}
	b.RemoveIn(linear.BoxRegion(box), linear.Filter{Mask: 0x01020304, Motion: linear.StaticOnly})
	b.RemoveIn(linear.SphereRegion([3]float32{1.5, odd, 2}, -3), linear.Filter{})
	b.RemoveOutside(linear.SphereRegion([3]float32{}, 4), linear.Filter{Motion: 255})
	b.Tick()
	b.RemoveOutside(linear.Region{}, linear.Filter{Mask: 5, Motion: linear.MovingOnly})
	return &b
}

func encode(t testing.TB, b *linear.Batch) []byte {
	t.Helper()
	data, err := b.MarshalBinary()
	must(t, err)
	return data
}

// sealed repairs the checksum of a record.
func sealed(data []byte) []byte {
	if len(data) >= 8 {
		binary.LittleEndian.PutUint32(data[4:], crc32.Checksum(data[8:], crc32.MakeTable(crc32.Castagnoli)))
	}
	return data
}

// The encoding of a batch equals the file, on every machine: logs stay readable in later versions.
func TestBatchBytes(t *testing.T) {
	sameBytes(t, "testdata/batch.hex", wholeBatch)
	sameBytes(t, "testdata/bodies.hex", mixedBatch)
	sameBytes(t, "testdata/regions.hex", regionBatch)
	if n := regionBatch().Len(); n != 5 {
		t.Errorf("%d changes, want 5", n)
	}
	if n := mixedBatch().Len(); n != 7 {
		t.Errorf("%d changes, want 7", n)
	}
	var b, empty linear.Batch
	if got := encode(t, &empty); !bytes.Equal(got, []byte("ZOB\x01\x00\x00\x00\x00")) {
		t.Errorf("an empty batch is % x", got)
	}
	must(t, b.UnmarshalBinary(encode(t, &empty)))
	if b.Len() != 0 {
		t.Errorf("%d changes in an empty batch", b.Len())
	}
}

// sameBytes requires that a batch is encoded to the bytes of a file, and decoded from them.
func sameBytes(t *testing.T, file string, record func() *linear.Batch) {
	t.Helper()
	data := encode(t, record())
	if *update {
		text := ""
		for line := range slices.Chunk(data, 32) {
			text += hex.EncodeToString(line) + "\n"
		}
		must(t, os.WriteFile(file, []byte(text), 0o644))
	}
	text, err := os.ReadFile(file)
	must(t, err)
	want, err := hex.DecodeString(strings.ReplaceAll(string(text), "\n", ""))
	must(t, err)
	if !bytes.Equal(data, want) {
		t.Fatalf("a batch is % x, it was % x", data, want)
	}
	var b linear.Batch
	must(t, b.UnmarshalBinary(want))
	if !linear.SameBatch(&b, record()) || b.Len() != record().Len() {
		t.Errorf("the batch of the file is %+v, want %+v", &b, record())
	}
	for i := range want {
		want[i] = 0xff // no byte of the buffer is kept
	}
	if !linear.SameBatch(&b, record()) {
		t.Error("a batch keeps the bytes that it was made of")
	}
}

// Random batches survive encoding and decoding, also behind other bytes.
func TestBatchRoundTrip(t *testing.T) {
	tree := newTree(t, linear.Config{})
	s := newScript(linear.Config{}, tree, testkit.Seed(t))
	var to linear.Batch
	for range testkit.Budget(t, 60, 2000) {
		var b linear.Batch
		s.record(&b, s.batch(true))
		data, err := b.AppendBinary([]byte("before"))
		must(t, err)
		if string(data[:6]) != "before" {
			t.Fatal("what was there has changed")
		}
		must(t, to.UnmarshalBinary(data[6:]))
		if !linear.SameBatch(&b, &to) || b.Len() != to.Len() || !bytes.Equal(encode(t, &to), data[6:]) {
			t.Fatalf("a batch of %d changes is one of %d", b.Len(), to.Len())
		}
		_, err = tree.Apply(&to)
		must(t, err)
		s.placed(t)
	}
}

// refusedBytes requires that bytes are rejected and the batch is unchanged.
func refusedBytes(t testing.TB, what string, data []byte) {
	t.Helper()
	b := wholeBatch()
	if err := b.UnmarshalBinary(data); !errors.Is(err, linear.ErrBatch) {
		t.Fatalf("%s: error %v", what, err)
	}
	if !linear.SameBatch(b, wholeBatch()) || b.Len() != wholeBatch().Len() {
		t.Fatalf("%s: the batch has changed", what)
	}
}

// refusedCuts cuts the bytes of a batch at every byte.
func refusedCuts(t *testing.T, data []byte) {
	var b linear.Batch
	for n := range data {
		refusedBytes(t, "cut", data[:n:n])
		// A prefix that ends after a run is valid.
		cut := sealed(bytes.Clone(data[:n]))
		if err := b.UnmarshalBinary(cut); err == nil && !bytes.Equal(encode(t, &b), cut) {
			t.Fatalf("cut at %d it is another batch", n)
		} else if err != nil {
			refusedBytes(t, "cut, with a sum", cut)
		}
	}
}

// Invalid bytes are rejected: cut at every byte, with every bit flipped, and with a valid checksum.
func TestBatchRefusesBytes(t *testing.T) {
	for _, record := range []func() *linear.Batch{wholeBatch, mixedBatch, regionBatch} {
		data := encode(t, record())
		refusedCuts(t, data)
		refusedBytes(t, "longer", append(bytes.Clone(data), 0))
		for i := 0; i < 8*len(data); i += testkit.Budget(t, 7, 1) {
			turned := bytes.Clone(data)
			turned[i/8] ^= 1 << (i % 8)
			refusedBytes(t, "a bit turned", turned)
		}
	}
	header := "ZOB\x01\x00\x00\x00\x00"
	for what, body := range map[string]string{
		"kind 0":                  "\x00",
		"kind 29":                 "\x1d",
		"a region of shape 2":     "\x1b\x01\x02" + strings.Repeat("\x00", 29),
		"a sphere of five words":  "\x1c\x01\x01" + strings.Repeat("\x00", 21) + "\x01" + strings.Repeat("\x00", 7),
		"a sphere of six words":   "\x1c\x01\x01" + strings.Repeat("\x00", 28) + "\x80",
		"half a region":           "\x1b\x01" + strings.Repeat("\x00", 29),
		"spheres after nothing":   "\x19\x01" + strings.Repeat("\x00", 20),
		"boxes after nothing":     "\x1a\x01" + strings.Repeat("\x00", 52),
		"boxes after a tick":      "\x15\x1a\x01" + strings.Repeat("\x00", 52),
		"spheres after spheres":   "\x0f\x01" + strings.Repeat("\x00", 20) + "\x19\x01" + strings.Repeat("\x00", 20),
		"kind 255":                "\xff",
		"no number":               "\x03",
		"number 0":                "\x03\x00",
		"a number in two bytes":   "\x03\x81\x00\x00\x00\x00\x00",
		"an endless number":       "\x03\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff",
		"a huge number":           "\x03\xff\xff\xff\xff\xff\xff\xff\xff\xff\x01",
		"a number that wraps":     "\x01\x80\x80\x80\x80\x80\x80\x80\x80\x80\x01",
		"more than there is":      "\x03\x02\x00\x00\x00\x00\x00\x00\x00",
		"two runs that are one":   "\x03\x01\x00\x00\x00\x00\x03\x01\x00\x00\x00\x00",
		"a flag that is 2":        "\x08\x01\x00\x00\x00\x00\x02",
		"options with other bits": "\x17\x01\x00\x02\x00\x00",
		"a static object of 2":    "\x01\x01" + strings.Repeat("\x00", 28) + "\x02",
		"a static ball of 3":      "\x02\x01" + strings.Repeat("\x00", 20) + "\x03",
	} {
		refusedBytes(t, what, sealed([]byte(header+body)))
	}
	other := encode(t, wholeBatch())
	other[3] = 2
	refusedBytes(t, "another version", other)
	refusedBytes(t, "nothing", nil)
}

// Decoding a batch allocates at most a small multiple of the length of the bytes, and nothing with sufficient
// capacity; appending allocates nothing either.
func TestBatchBytesAllocs(t *testing.T) {
	var two linear.Batch
	for range 1000 { // runs of one byte each
		two.Tick()
		two.Flush()
	}
	var moves linear.Batch
	for id := range uint32(1000) {
		moves.Move(id, soa.AABB{})
	}
	for name, b := range map[string]*linear.Batch{"all": wholeBatch(), "mixed": mixedBatch(), "regions": regionBatch(), "small runs": &two, "moves": &moves} {
		data := encode(t, b)
		var into linear.Batch
		must(t, into.UnmarshalBinary(data))
		if most := 32*len(data) + 64; into.Rooms() > most {
			t.Errorf("%s: %d bytes for %d", name, into.Rooms(), len(data))
		}
		testkit.Allocs(t, 20, func() {
			must(t, into.UnmarshalBinary(data))
			var err error
			data, err = into.AppendBinary(data[:0])
			must(t, err)
		})
	}
	if n := len(encode(t, &moves)); n > 28*1000+8+4 {
		t.Errorf("%d bytes for 1000 moves", n)
	}
}

// FuzzBatch decodes bytes with a valid checksum. Accepted bytes are encoded to the same bytes, and trees that
// apply the batch are valid and equal.
func FuzzBatch(f *testing.F) {
	f.Add(encode(f, wholeBatch()))
	f.Add(encode(f, mixedBatch()))
	f.Add(encode(f, regionBatch()))
	var removal linear.Batch
	removal.Move(3, cube(0, 0, 0, 1))
	removal.RemoveOutside(linear.BoxRegion(cube(0, 0, 0, 2)), linear.Filter{})
	removal.RemoveIn(linear.SphereRegion([3]float32{0, 1, 2}, 1), linear.Filter{Mask: 1})
	removal.SetMask(3, 2)
	f.Add(encode(f, &removal))
	f.Add(encode(f, new(linear.Batch)))
	f.Add([]byte("ZOB\x01    \x03\x01\x07\x00\x00\x00\x15\x14\x16\x18\x13"))
	s := newScript(linear.Config{}, newTree(f, linear.Config{}), 1)
	for range 6 {
		var b linear.Batch
		s.record(&b, s.batch(true))
		f.Add(encode(f, &b))
		_, err := s.tree.Apply(&b)
		must(f, err)
		s.placed(f)
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		b := wholeBatch()
		data = sealed(bytes.Clone(data))
		if err := b.UnmarshalBinary(data); err != nil {
			refusedBytes(t, "refused", data)
			return
		}
		if got := encode(t, b); !bytes.Equal(got, data) {
			t.Fatalf("% x was taken, and is % x", data, got)
		}
		if b.Len() > 500 {
			return
		}
		tree := newTree(t, linear.Config{PendingMin: 4, PendingShare: 1 << 20, Workers: 1})
		insert(t, tree, grid(3))
		tick(t, tree)
		reference, before := tree.Clone(), linear.StateOf(tree)
		ids, err := tree.Apply(b)
		valid(t, tree)
		if err != nil && (linear.StateOf(tree) != before || len(ids) > 0) {
			t.Fatalf("refused by %v, and changed", err)
		}
		if _, again := reference.Apply(b); (again == nil) != (err == nil) || linear.StateOf(reference) != linear.StateOf(tree) {
			t.Fatalf("error %v, then %v, or another tree", err, again)
		}
	})
}

// A batch of single moves as bytes: encoded, and decoded.
func BenchmarkBatchBinary(b *testing.B) {
	objects := testkit.SceneByName(b, "uniform").Make(10_000, 1)
	var batch, back linear.Batch
	for i := range objects {
		batch.Move(uint32(i), objects[i].Box)
	}
	data, err := batch.AppendBinary(nil)
	testkit.Must(b, err)
	for name, run := range map[string]func(){
		"encode": func() { data, err = batch.AppendBinary(data[:0]) },
		"decode": func() { err = back.UnmarshalBinary(data) },
	} {
		b.Run("op="+name, func(b *testing.B) {
			micro.Measure(b, micro.Kernel{Items: len(objects), Item: "move", Bytes: len(data), Run: run})
			testkit.Must(b, err)
		})
	}
}
