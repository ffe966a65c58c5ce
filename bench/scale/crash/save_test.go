package crash

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"testing"

	"github.com/zoctree/zoctree/bench/internal/must"
	"github.com/zoctree/zoctree/internal/atomicfile"
	"github.com/zoctree/zoctree/internal/scene"
	"github.com/zoctree/zoctree/internal/testkit"
	"github.com/zoctree/zoctree/linear"
	"github.com/zoctree/zoctree/soa"
)

const path = "/tree"

// snapshots returns saved trees, each of some hundred kilobytes, and none of the same length as the one
// before.
func snapshots(t *testing.T, n int) (files [][]byte) {
	t.Helper()
	tree := must.Get(linear.New(linear.Config{Workers: 1}))
	objects := scene.All()[0].Make(n*1500, 1)
	for i := range n {
		must.Get(tree.InsertBatch(nil, objects[i*1500:][:1500]))
		var b bytes.Buffer
		must.Get(tree.WriteTo(&b))
		files = append(files, b.Bytes())
		s, err := linear.Read(&b, linear.CheckFull)
		if err != nil || s.Len() != tree.Len() {
			t.Fatal(err)
		}
	}
	return files
}

// saveAll saves files one after the other, as Tree.Save does. It returns an error if a crash at any
// operation would not leave the old file or the new one, or if at the end it is not the new one. It omits
// one operation of the disk; every crash is checked that number of times.
func saveAll(files [][]byte, seed uint64, leave, reads int) (d *disk, err error) {
	rng, pieces := testkit.Rand(seed), testkit.Rand(seed+1) // looks change no operation
	d = newDisk()
	d.leave = leave
	old, next := -1, -1
	// check checks the files after a crash.
	check := func() {
		for turn := range reads {
			have, e := d.crashed(turn, rng).read(path)
			is := old == -1 && have == nil
			for i := max(old, 0); i <= next; i++ {
				is = is || bytes.Equal(have, files[i])
			}
			if (e != nil || !is) && err == nil {
				err = fmt.Errorf("%w after %v: %d bytes, not file %d or %d, %v", errLost, d.ops, len(have), old, next, e)
			}
		}
	}
	d.before = check
	for next = range files {
		e := atomicfile.Replace(d, path, func(w io.Writer) error {
			// In pieces of any size: of columns, and of the gaps between them.
			for rest := files[next]; len(rest) > 0; {
				n := min(1+pieces.IntN(40_000), len(rest))
				if _, err := w.Write(rest[:n]); err != nil {
					return err
				}
				rest = rest[n:]
			}
			return nil
		})
		if e != nil {
			return d, e
		}
		old = next
		check()
		if err != nil {
			return d, err
		}
	}
	return d, nil
}

// A crash at any operation leaves the old file or the new one; without any one of the operations it does
// not.
func TestSave(t *testing.T) {
	seed := testkit.Seed(t)
	files := snapshots(t, 3)
	d := must.Get(saveAll(files, seed, -1, 60))
	counts := map[string]int{}
	for k, op := range d.ops {
		counts[op]++
		if op == "create" {
			continue // without a file nothing is written
		}
		_, err := saveAll(files, seed, k, 24)
		if !errors.Is(err, errLost) {
			t.Errorf("omitting operation %d, %s, of %v loses no data: %v", k, op, d.ops, err)
		}
	}
	for _, op := range []string{"sync", "rename", "syncfolder"} {
		if counts[op] != len(files) {
			t.Errorf("%d times %s for %d files", counts[op], op, len(files))
		}
	}
	if counts["write"] < 3*len(files) {
		t.Errorf("%d writes", counts["write"])
	}
}

// A program that restarts after a crash, and crashes again, can still save.
func TestSaveAgain(t *testing.T) {
	rng := testkit.Rand(testkit.Seed(t))
	tree := must.Get(linear.New(linear.Config{Workers: 1}))
	d, old := newDisk(), []byte(nil)
	for round := range testkit.Budget(t, 100, 4000) {
		must.Get(tree.Insert(soa.Object{Mask: uint32(round)}))
		var b bytes.Buffer
		must.Get(tree.WriteTo(&b))
		stop := rng.IntN(8) // operations of a save; the rest are done after the crash, without effect
		var after *disk
		d.before = func() {
			if stop--; stop == -1 {
				after = d.crashed(rng.IntN(len(shares)), rng)
			}
		}
		err := atomicfile.Replace(d, path, func(w io.Writer) error { _, err := tree.WriteTo(w); return err })
		if err != nil {
			t.Fatal(err)
		}
		done := after == nil
		if done {
			after = d.crashed(0, rng)
		}
		have, err := after.read(path)
		if is := bytes.Equal(have, b.Bytes()); err != nil || !is && (done || !bytes.Equal(have, old)) {
			t.Fatalf("round %d, done %v: %d bytes, of %d before and %d now, %v", round, done, len(have), len(old), b.Len(), err)
		}
		if have != nil {
			s, err := linear.Read(bytes.NewReader(have), linear.CheckFull)
			if err == nil {
				tree, err = s.Load()
			}
			if err != nil {
				t.Fatal(err)
			}
		}
		d, old = after, have
	}
}
