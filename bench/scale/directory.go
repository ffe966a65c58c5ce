package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"iter"
	"math"
	"os"
	"path/filepath"
	"slices"
	"time"

	"github.com/zoctree/zoctree/bench/internal/must"
	"github.com/zoctree/zoctree/bench/internal/table"
	"github.com/zoctree/zoctree/linear"
	"github.com/zoctree/zoctree/query"
	"github.com/zoctree/zoctree/query/scene"
	"github.com/zoctree/zoctree/soa"
)

// directory writes an out-of-core directory of shards, of objects that are never in memory together. It runs
// box queries on the directory and compares the results with a tree of the relevant objects. It prints the
// private memory of the process meanwhile; mapped pages belong to the page cache.
func (s *show) directory() {
	name := cmp.Or(s.Dir, filepath.Join(s.temp, "directory"))
	small, large := boxesOf(s.N, 256, 450, s.Seed), boxesOf(s.N, 8, min(64_000, s.N/64), s.Seed+1)
	s.out.Note("boxes", fmt.Sprintf("%d small ones, %d large ones; all results are compared with one tree of the objects in these boxes", len(small), len(large)))
	sheet := s.out.Table("steps", table.Column{Title: "step", Width: -34}, table.Column{Title: "seconds", Width: 8},
		table.Column{Title: "anonymous MB, peak", Width: 9}, table.Column{Title: "of files MB, peak", Width: 9}, table.Column{Title: "major faults", Width: 7})
	step := func(name string, do func()) {
		s.progress("%s", name)
		w := watch()
		var failed error
		seconds := took(func() { failed = must.Catch(do) })
		m := w.end()
		sheet.Row(name, table.Number(seconds), table.Number(m.anonymous/1e6), table.Number(m.file/1e6), fmt.Sprint(m.faults))
		must.Within(func() { must.Do(failed) }, "%s", name)
	}
	ctx := context.Background()
	last := time.Now()
	opt := linear.DirectoryOptions{Progress: func(taken, done uint64) {
		if now := time.Now(); now.Sub(last) > 10*time.Second {
			last = now
			s.progress("  %d objects taken, %d in shards", taken, done)
		}
	}}
	if _, err := os.Stat(name); err != nil {
		step("create", func() { must.Do(linear.CreateDirectory(ctx, name, drawn(s.N, s.Seed), opt)) })
	}
	var d *linear.Directory
	step("open", func() { d = must.Get(linear.OpenDirectory(name, linear.CheckSafe)) })
	defer must.Close(d.Close)
	if d.Len() != uint64(s.N) {
		must.Fail("%s has %d objects, not %d", name, d.Len(), s.N)
	}
	want := newSample(append(slices.Clone(small), large...))
	step("tree of the objects in these boxes", func() { want.fill(drawn(s.N, s.Seed)) })
	found := 0
	for _, k := range []struct {
		name  string
		boxes []soa.AABB
	}{{"boxes of 450", small}, {"large boxes", large}} {
		step(fmt.Sprintf("prepare %d %s", len(k.boxes), k.name), func() {
			for _, b := range k.boxes {
				must.Do(d.Prepare(ctx, b))
			}
		})
		step(fmt.Sprintf("query %d %s", len(k.boxes), k.name), func() { found += want.compare(d, k.boxes) })
	}
	step("prepare all", func() {
		must.Do(d.Prepare(ctx, soa.AABB{
			Min: [3]float32{-math.MaxFloat32, -math.MaxFloat32, -math.MaxFloat32},
			Max: [3]float32{math.MaxFloat32, math.MaxFloat32, math.MaxFloat32},
		}))
	})
	if n := d.View().Total(); n != uint64(s.N) {
		must.Fail("%d objects are in view, of %d", n, s.N)
	}
	bytes := int64(0)
	for _, sh := range d.Shards() {
		bytes += sh.Bytes
	}
	s.out.Note("directory", fmt.Sprintf("%d objects in %d shards, %.1f bytes an object; %d objects found", d.Len(), len(d.Shards()), float64(bytes)/float64(d.Len()), found))
}

// sideOf returns the side of the cube that holds count objects.
func sideOf(count int) float64 { return 3 * math.Cbrt(float64(count)) }

// drawn returns uniform objects with numbers in random order. Their radius is up to 1, and for one in a
// thousand up to 10.
func drawn(count int, seed uint64) iter.Seq2[uint64, soa.Object] {
	return func(yield func(uint64, soa.Object) bool) {
		side := sideOf(count)
		for i := range uint64(count) {
			state := mix(seed<<40 + i)
			next := func() float64 {
				state = mix(state)
				return float64(state>>11) * 0x1p-53
			}
			most := 1.0
			if i%1000 == 0 {
				most = 10
			}
			o := soa.Object{Mask: 1 << (i % 5), Static: i%3 == 0}
			for a := range 3 {
				c, r := float64(next()*side), 0.2+float64(0.8*most*next())
				o.Box.Min[a], o.Box.Max[a] = float32(c-r), float32(c+r)
			}
			if !yield(mix(i), o) {
				return
			}
		}
	}
}

// mix is the finalizer of SplitMix64: a permutation of the numbers.
func mix(x uint64) uint64 {
	x += 0x9e3779b97f4a7c15
	x = (x ^ x>>30) * 0xbf58476d1ce4e5b9
	x = (x ^ x>>27) * 0x94d049bb133111eb
	return x ^ x>>31
}

// boxesOf returns cubes that each contain about hits objects, fewer at the border.
func boxesOf(objects, count, hits int, seed uint64) []soa.AABB {
	side := sideOf(objects)
	half := side * math.Cbrt(float64(hits)/float64(objects)) / 2
	boxes := make([]soa.AABB, count)
	for i := range boxes {
		state := mix(seed<<20 + uint64(i))
		for a := range 3 {
			state = mix(state)
			c := float64(state>>11) * 0x1p-53 * side
			boxes[i].Min[a], boxes[i].Max[a] = float32(c-half), float32(c+half)
		}
	}
	return boxes
}

// sample is a tree of the objects that overlap one of some boxes.
type sample struct {
	boxes   *linear.Tree
	tree    *linear.Tree
	numbers []uint64 // object numbers by ID
}

func newSample(boxes []soa.AABB) *sample {
	s := &sample{}
	s.boxes, _ = linear.New(linear.Config{})
	objects := make([]soa.Object, len(boxes))
	for i := range boxes {
		objects[i].Box = boxes[i]
	}
	_, _ = s.boxes.InsertBatch(nil, objects) // cannot fail: the boxes are valid
	return s
}

// fill inserts the objects that overlap one of the boxes.
func (s *sample) fill(objects iter.Seq2[uint64, soa.Object]) {
	v := s.boxes.View()
	var all []soa.Object
	for number, o := range objects {
		b := must.Get(query.NewBox(o.Box.Min, o.Box.Max))
		if b.Any(v, query.Filter{}) {
			all, s.numbers = append(all, o), append(s.numbers, number)
		}
	}
	s.tree = must.Get(linear.New(linear.Config{}))
	must.Get(s.tree.InsertBatch(nil, all))
}

// compare queries the directory and the sample, and returns the number of objects found.
func (s *sample) compare(d *linear.Directory, boxes []soa.AABB) (found int) {
	ask, reference := askDirectory(d), askTree(s.tree.View(), s.numbers)
	var got, want []uint64
	for _, b := range boxes {
		got, _ = ask(got[:0], b)
		want, _ = reference(want[:0], b)
		slices.Sort(got)
		slices.Sort(want)
		if !slices.Equal(got, want) {
			must.Fail("box %v: %d objects, one tree returns %d", b, len(got), len(want))
		}
		found += len(got)
	}
	return found
}

// askDirectory returns the asker of a directory whose shards are prepared.
func askDirectory(d *linear.Directory) asker {
	var answer scene.Answer
	return func(dst []uint64, b soa.AABB) ([]uint64, int) {
		answer.Reset()
		scene.Append(&answer, must.Get(query.NewBox(b.Min, b.Max)), d.View(), query.Filter{})
		for i := range answer.Runs {
			instance, ids := answer.Run(i)
			var ok bool
			if dst, ok = d.AppendGlobal(dst, answer.Path(instance).At(0), ids); !ok {
				must.Fail("an object of shard %v has no number", answer.Path(instance))
			}
		}
		return dst, 0
	}
}

// directoryEntrants returns shards of several sizes, and one mapped tree in two forms: with IDs that are the
// object numbers, and with the numbers in a section, for programs with their own numbering.
func (s *show) directoryEntrants(objects []soa.Object) (all []entrant) {
	for _, named := range []bool{false, true} {
		all = append(all, s.mappedEntrant(objects, named))
	}
	for _, most := range []int{65536, 32768, 8192} {
		all = append(all, s.shardsEntrant(objects, most))
	}
	return all
}

func (s *show) mappedEntrant(objects []soa.Object, named bool) (e entrant) {
	path := filepath.Join(s.temp, "mapped")
	e.name = "one mapped tree"
	var opt linear.SnapshotOptions
	if named {
		path, e.name = path+"named", e.name+", numbers by ID"
		numbers := make([]uint64, len(objects))
		for i := range numbers {
			numbers[i] = uint64(i)
		}
		opt.Sections = []linear.Section{linear.SaveColumn("numbers", numbers)}
	}
	s.progress("making %s", e.name)
	e.made = took(func() { must.Do(build(objects).Save(context.Background(), path, opt)) })
	e.bytes = must.Get(os.Stat(path)).Size()
	e.open = func() (asker, func() error) {
		m := must.Get(linear.OpenMapped(path, linear.CheckNone))
		var numbers []uint64
		if named {
			var err error
			if numbers, err = linear.LoadColumn[uint64](m, "numbers"); err != nil {
				must.Do(errors.Join(err, m.Close()))
			}
		}
		return askTree(m.View(), numbers), m.Close
	}
	return e
}

func (s *show) shardsEntrant(objects []soa.Object, most int) (e entrant) {
	name := filepath.Join(s.temp, fmt.Sprint("shards", most))
	s.progress("making shards of up to %d", most)
	e.made = took(func() {
		must.Do(linear.CreateDirectory(context.Background(), name, func(yield func(uint64, soa.Object) bool) {
			for i, o := range objects {
				if !yield(uint64(i), o) {
					return
				}
			}
		}, linear.DirectoryOptions{Shard: most, Workers: 1}))
	})
	e.open = func() (asker, func() error) {
		d := must.Get(linear.OpenDirectory(name, linear.CheckNone))
		ask := askDirectory(d)
		return func(dst []uint64, b soa.AABB) ([]uint64, int) {
			must.Do(d.Prepare(nil, b))
			return ask(dst, b)
		}, d.Close
	}
	d := must.Get(linear.OpenDirectory(name, linear.CheckNone))
	for _, sh := range d.Shards() {
		e.bytes += sh.Bytes
	}
	e.name = fmt.Sprintf("%d shards of up to %d", len(d.Shards()), most)
	must.Do(d.Close())
	return e
}
