package input

import (
	"bytes"
	"compress/gzip"
	"context"
	"errors"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/zoctree/zoctree/bench/internal/must"
	"github.com/zoctree/zoctree/internal/snap"
	"github.com/zoctree/zoctree/linear"
	"github.com/zoctree/zoctree/soa"
)

// snapshotOf returns the snapshot of a tree of objects after the removal of some IDs.
func snapshotOf(objects []soa.Object, removed ...uint32) string {
	tree, err := linear.New(linear.Config{})
	if err == nil {
		_, err = tree.InsertBatch(nil, objects)
	}
	for _, id := range removed {
		if err == nil {
			err = tree.Remove(id)
		}
	}
	if err != nil {
		panic(err)
	}
	return bytesOf(tree)
}

func bytesOf(tree *linear.Tree) string {
	var b bytes.Buffer
	if _, err := tree.WriteTo(&b); err != nil {
		panic(err)
	}
	return b.String()
}

// readAs reads data from a file of that name, and strips the folder from errors.
func readAs(t *testing.T, name, data string, opt Options) (*Data, error) {
	t.Helper()
	folder := t.TempDir()
	path := filepath.Join(folder, name)
	must.Do(os.WriteFile(path, []byte(data), 0o600))
	d, err := Read(path, opt)
	if err != nil {
		err = errors.New(strings.ReplaceAll(err.Error(), folder+string(filepath.Separator), ""))
	}
	return d, err
}

func box(x0, y0, z0, x1, y1, z1 float32) soa.AABB {
	return soa.AABB{Min: [3]float32{x0, y0, z0}, Max: [3]float32{x1, y1, z1}}
}

func point(x, y, z float32) soa.AABB { return box(x, y, z, x, y, z) }

func zip(s string) string {
	var b bytes.Buffer
	w := gzip.NewWriter(&b)
	w.Write([]byte(s))
	w.Close()
	return b.String()
}

// Snapshots, gzipped or not, under any name, and the formats of package points.
func TestFiles(t *testing.T) {
	few := []soa.Object{{Box: box(4, 5, 6, 7, 8, 9), Mask: 1}, {Box: point(1, 2, 3), Mask: 1}, {Box: point(0, 9, 0), Mask: 1}}
	const mesh = "v 4 0 0\nv 5 0 0\nv 4 2 0\nf 1 2 3\n"
	for _, test := range []struct {
		name, data string
		opt        Options
		line       string
		boxes      []soa.AABB
	}{
		{"a.csv", snapshotOf(few), Options{}, "snapshot: 3 boxes in [0 2 0] .. [7 9 9]", []soa.AABB{few[0].Box, few[1].Box, few[2].Box}},
		{"a", snapshotOf(few, 1), Options{}, "snapshot: 2 boxes in [0 5 0] .. [7 9 9]; skipped 1 IDs without objects: later objects get smaller IDs",
			[]soa.AABB{few[0].Box, few[2].Box}},
		{"a.zoc", snapshotOf(nil), Options{}, "snapshot: 0 boxes", nil},
		{"a.obj", mesh, Options{}, "OBJ: 1 triangles of 3 vertices in [4 0 0] .. [5 2 0]", []soa.AABB{box(4, 0, 0, 5, 2, 0)}},
		{"a.obj", mesh, Options{Points: true}, "OBJ: 3 points in [4 0 0] .. [5 2 0]; skipped 1 faces", []soa.AABB{point(4, 0, 0), point(5, 0, 0), point(4, 2, 0)}},
		{"a.csv", "x,y\n512000.125,7\n", Options{}, "CSV: 1 points in [512000.12 7 0] .. [512000.12 7 0]", []soa.AABB{point(512000.125, 7, 0)}},
		{"a.csv", "minx,miny,maxx,maxy\n0.1,2,3,4\n", Options{}, "CSV: 1 boxes in [0.099999994 2 0] .. [3 4 0]", []soa.AABB{box(0.099999994, 2, 0, 3, 4, 0)}},
	} {
		for _, zipped := range []bool{false, true} {
			data := test.data
			if zipped {
				data = zip(data)
			}
			last, size := int64(0), int64(0)
			test.opt.Progress = func(done, total int64) { last, size = done, total }
			d, err := readAs(t, test.name, data, test.opt)
			if err != nil {
				t.Error(err)
				continue
			}
			var boxes []soa.AABB
			for _, o := range d.Objects {
				boxes = append(boxes, o.Box)
				if o.Mask != 1 || o.Static {
					t.Errorf("%s: object %+v", test.name, o)
				}
			}
			if line := strings.Replace(d.String(), ", gzip", "", 1); line != test.line || !slices.Equal(boxes, test.boxes) || zipped != strings.Contains(d.Format, "gzip") {
				t.Errorf("%s: %s, boxes %v\nwant %s, boxes %v", test.name, line, boxes, test.line, test.boxes)
			}
			if want := int64(len(data)); last != want || size != want {
				t.Errorf("%s: progress to %d of %d, want %d", test.name, last, size, want)
			}
		}
	}
}

func TestContext(t *testing.T) {
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	for _, data := range []string{snapshotOf(nil), zip(snapshotOf(nil)), "x,y\n1,2\n"} {
		if _, err := readAs(t, "a.csv", data, Options{Context: ctx}); err == nil || !strings.Contains(err.Error(), context.Canceled.Error()) {
			t.Errorf("%v, want that the context is done", err)
		}
	}
}

// Objects are in the order of IDs, independent of their locations, with masks and flags; an object with a
// sphere or an oriented box gives its box.
func TestSnapshot(t *testing.T) {
	var objects []soa.Object
	for i := range 1000 {
		x, y := float32(i*7919%1000), float32(i*104729%997)
		objects = append(objects, soa.Object{Box: box(x, y, -1, x+2, y+1, float32(i)), Mask: uint32(i), Static: i%3 == 0})
	}
	for _, frozen := range []bool{false, true} {
		tree := must.Get(linear.New(linear.Config{Frozen: frozen}))
		must.Get(tree.InsertBatch(nil, objects))
		must.Do(tree.SetSphere(5, [4]float32{596, 220.5, 2, 0.25}))
		for _, id := range []uint32{0, 17, 999} {
			must.Do(tree.Remove(id))
		}
		var want []soa.Object
		for id := range uint32(1000) {
			if o, ok := tree.View().Object(id); ok {
				want = append(want, o)
			}
		}
		d, err := readAs(t, "a", bytesOf(tree), Options{})
		if err != nil || len(want) != 997 || !slices.Equal(d.Objects, want) {
			t.Fatalf("frozen %v: %v, %v; want %d objects as in the tree", frozen, d, err, len(want))
		}
		if !slices.Equal(d.Skipped, []string{"2 IDs without objects: later objects get smaller IDs", "1 spheres: only their boxes are kept"}) {
			t.Errorf("frozen %v: skipped %q", frozen, d.Skipped)
		}
	}
}

// A damaged snapshot is an error of the file.
func TestSnapshotDamaged(t *testing.T) {
	var objects []soa.Object
	for i := range 40 {
		objects = append(objects, soa.Object{Box: point(float32(i), 0, 0)})
	}
	good := snapshotOf(objects)
	hurt := []byte(good)
	at := bytes.Index(hurt, []byte{0, 0, 0x1c, 0x42}) // 39, in the bounds
	hurt[at] ^= 1
	for _, test := range []struct{ data, want string }{
		{good[:len(good)/2], "a: linear: invalid snapshot: it ends after "},
		{good[:8], "a: linear: invalid snapshot: it ends after 8 bytes"},
		{good + "x", "data after the last record"},
		{string(hurt), "of section "},
		{snap.Magic + strings.Repeat("\xff", 56), "a: linear: a snapshot of another version: it was written by a later version of the library, in format 65535"},
		{zip(good)[:len(zip(good))/2], "a: linear: invalid snapshot: it ends after "},
	} {
		d, err := readAs(t, "a", test.data, Options{})
		if d != nil || err == nil || !strings.HasPrefix(err.Error(), "a: ") || !strings.Contains(err.Error(), test.want) {
			t.Errorf("%d bytes: %v, %v; want %q", len(test.data), d, err, test.want)
		}
	}
}

// The checksums of a file may be valid nevertheless: a box that the check does not cover is rejected.
func TestSnapshotInverted(t *testing.T) {
	data := snapshotOf([]soa.Object{{Box: box(1, 2, 3, 4, 5, 6)}})
	f := must.Get(snap.FromBytes([]byte(data)))
	var sections []snap.Section
	for i := range f.Sections() {
		s, _, _ := f.Section(i)
		rows := must.Get(f.Rows(i, []uint8{1}))
		s.Words, s.Data = []uint8{1}, bytes.Clone(rows)
		if s.Name == "Bounds" { // of the first lane
			at := bytes.Index(s.Data, []byte{0, 0, 0x80, 0x3f}) // 1, a minimum
			s.Data[at+2], s.Data[at+3] = 0, 0x42                // 32
		}
		sections = append(sections, s)
	}
	var b bytes.Buffer
	must.Get(snap.Write(t.Context(), &b, f.Kind, sections, nil))
	d, err := readAs(t, "a", b.String(), Options{})
	if math.Float32frombits(0x42000000) != 32 || d != nil || err == nil || !strings.Contains(err.Error(), "a: object 0: box [32 2 3] to [4 5 6] is inverted") {
		t.Errorf("%v, %v", d, err)
	}
}
