package linear_test

import (
	"fmt"
	"math"
	"slices"
	"testing"
	"time"

	"github.com/zoctree/zoctree/internal/micro"
	"github.com/zoctree/zoctree/internal/testkit"
	"github.com/zoctree/zoctree/linear"
	"github.com/zoctree/zoctree/query"
)

// lidarTown is a town of square blocks of houses, and a sensor on a straight street.
type lidarTown struct {
	block, street float64 // side of a block, width of a street
	rings, steps  int
}

// scan returns the points of scan i of a sensor that drives a metre between scans, with noise.
func (l lidarTown) scan(i int) (points [][3]float32) {
	r := testkit.Rand(uint64(i) + 1)
	at := [3]float64{float64(i), 0, 1.8}
	pitch := l.block + l.street
	for ring := range l.rings {
		down := -25 + 30*float64(ring)/float64(l.rings)
		sz, cz := math.Sincos(down * math.Pi / 180)
		for k := range l.steps {
			sy, cy := math.Sincos(2 * math.Pi * float64(k) / float64(l.steps))
			d := [3]float64{cz * cy, cz * sy, sz}
			t := 90.0
			if sz < 0 {
				t = min(t, -at[2]/sz)
			}
			for bx := math.Floor((at[0] - 90) / pitch); bx <= math.Ceil((at[0]+90)/pitch); bx++ {
				for by := -3.0; by <= 2; by++ {
					x, y := bx*pitch, by*pitch+l.street/2
					height := 6 + math.Mod(math.Abs(bx*7+by*3), 12)
					if hit := rayBlock(at, d, [3]float64{x, y, 0}, [3]float64{x + l.block, y + l.block, height}); hit < t {
						t = hit
					}
				}
			}
			if t < 90 {
				var p [3]float32
				for a := range p {
					p[a] = float32(at[a] + d[a]*t + 0.02*r.NormFloat64())
				}
				points = append(points, p)
			}
		}
	}
	return points
}

// rayBlock returns the distance at which a ray enters a box, or +Inf.
func rayBlock(at, d, lo, hi [3]float64) float64 {
	enter, leave := 0.0, math.Inf(1)
	for a := range 3 {
		t0, t1 := (lo[a]-at[a])/d[a], (hi[a]-at[a])/d[a]
		enter, leave = max(enter, min(t0, t1)), min(leave, max(t0, t1))
	}
	if enter > leave {
		return math.Inf(1)
	}
	return enter
}

// userThinning is the voxel filter of a program without Config.Thin: a map of the cells of a scan, and a box query for
// each.
type userThinning struct {
	cell  float64
	seen  map[[3]int32]struct{}
	fresh [][3]float32
}

func (u *userThinning) insert(b *testing.B, tree *linear.Tree, ids []uint32, scan [][3]float32) []uint32 {
	clear(u.seen)
	u.fresh = u.fresh[:0]
	v := tree.View()
	for _, p := range scan {
		var c [3]int32
		for a := range p {
			c[a] = int32(math.Floor(float64(p[a]) / u.cell))
		}
		if _, ok := u.seen[c]; ok {
			continue
		}
		u.seen[c] = struct{}{}
		var lo, hi [3]float32
		for a := range p {
			lo[a], hi[a] = float32(float64(c[a])*u.cell), math.Nextafter32(float32(float64(c[a]+1)*u.cell), -math.MaxFloat32)
		}
		box, err := query.NewBox(lo, hi)
		must(b, err)
		if !box.Any(v, query.Filter{}) {
			u.fresh = append(u.fresh, p)
		}
	}
	ids, err := tree.InsertPoints(ids[:0], u.fresh, linear.Labels{})
	must(b, err)
	return ids
}

// A sliding window of LiDAR scans with one point in a voxel: Config.Thin and RemoveOutside beside the code of a user.
// That code finds the points beyond 60 m by six box queries. All run in turns on the same scans. The time of each scan
// is the least of all rounds.
func BenchmarkThinScan(b *testing.B) {
	const cell = 0.3
	town := lidarTown{block: 20, street: 20, rings: 64, steps: 2048}
	warm, scans := 10, 20
	if micro.Smoke() {
		town.steps, warm, scans = 64, 2, 4
	}
	var all [][][3]float32
	points := 0
	for i := range warm + scans {
		all = append(all, town.scan(i))
		points += len(all[i])
	}
	for _, keep := range []linear.Keep{linear.KeepFirst, linear.KeepNearest, linear.KeepNewest} {
		b.Run("keep="+keep.String(), func(b *testing.B) { benchmarkThinScan(b, cell, keep, all, warm, float64(points)/float64(len(all))) })
	}
}

// benchmarkThinScan times a tree that thins in turns with the user code, after some scans to warm up. The figures are
// means over the scans of the minima of the runs.
func benchmarkThinScan(b *testing.B, cell float64, keep linear.Keep, all [][][3]float32, warm int, points float64) {
	scans := len(all) - warm
	kinds := []linear.Thin{{}, {Cell: cell, Keep: keep}}
	var inserts, updates [2][]time.Duration
	for k := range kinds {
		inserts[k], updates[k] = slices.Repeat([]time.Duration{time.Hour}, scans), slices.Repeat([]time.Duration{time.Hour}, scans)
	}
	user := userThinning{cell: cell, seen: map[[3]int32]struct{}{}}
	var trees [2]*linear.Tree
	var ids []uint32
	for b.Loop() {
		for k, thin := range kinds {
			trees[k] = newTree(b, linear.Config{Workers: 1, Thin: thin})
		}
		for i, scan := range all {
			for k, tree := range trees {
				start := time.Now()
				if k == 0 {
					ids = user.insert(b, tree, ids, scan)
				} else {
					var err error
					ids, err = tree.InsertPoints(ids[:0], scan, linear.Labels{})
					must(b, err)
				}
				inserted := time.Since(start)
				in := linear.BoxAround([3]float32{float32(i), 0, 1.8}, [3]float32{60, 60, 60})
				if k == 0 {
					ids = appendOutside(b, ids[:0], tree.View(), in)
					must(b, tree.RemoveBatch(ids))
				} else {
					_, _, err := tree.RemoveOutside(nil, linear.BoxRegion(in), linear.Filter{})
					must(b, err)
				}
				must(b, tree.Tick())
				if i >= warm {
					inserts[k][i-warm] = min(inserts[k][i-warm], inserted)
					updates[k][i-warm] = min(updates[k][i-warm], time.Since(start))
				}
			}
		}
	}
	b.ReportMetric(0, "ns/op")
	b.ReportMetric(points, "points/scan")
	b.ReportMetric(float64(len(user.seen)), "voxels/scan")
	b.ReportMetric(float64(trees[1].Len()), "live")
	mean := func(all []time.Duration) (ms float64) {
		for _, d := range all {
			ms += d.Seconds() * 1000 / float64(len(all))
		}
		return ms
	}
	for k, name := range []string{"user", "tree"} {
		b.ReportMetric(mean(inserts[k]), name+"-insert-ms")
		b.ReportMetric(mean(updates[k]), name+"-scan-ms")
	}
	b.ReportMetric(mean(updates[1])/mean(updates[0]), "tree/user")
}

// Batches of points of which none, half, or nearly all are in cells that the tree occupies; bytes are those of the
// table of cells.
func BenchmarkThinInsert(b *testing.B) {
	for _, n := range micro.Sizes(10_000, 1_000_000) {
		for _, share := range []int{0, 50, 99} {
			b.Run(fmt.Sprintf("n=%d/occupied=%d", n, share), func(b *testing.B) {
				r := testkit.Rand(1)
				place := func(i int) [3]float32 { // a cell of side 1 for each number
					side := int(math.Cbrt(float64(2*n))) + 1
					return [3]float32{float32(i % side), float32(i / side % side), float32(i / side / side)}
				}
				points := make([][3]float32, n)
				for i := range points {
					points[i] = place(i)
				}
				tree, plain := newTree(b, linear.Config{Workers: 1, Thin: linear.Thin{Cell: 1}}), newTree(b, linear.Config{Workers: 1})
				var thinned, full []float64
				for _, t := range []*linear.Tree{tree, plain} {
					_, err := t.InsertPoints(nil, points, linear.Labels{})
					must(b, err)
					must(b, t.Tick())
				}
				batch := make([][3]float32, n/16)
				var ids []uint32
				for b.Loop() {
					for i := range batch {
						if batch[i] = place(r.IntN(n)); r.IntN(100) >= share {
							batch[i] = place(n + r.IntN(n))
						}
					}
					for k, t := range []*linear.Tree{tree, plain} {
						start := time.Now()
						var err error
						ids, err = t.InsertPoints(ids[:0], batch, linear.Labels{})
						must(b, err)
						d := float64(time.Since(start)) / float64(len(batch))
						if k == 0 {
							thinned = append(thinned, d)
						} else {
							full = append(full, d)
						}
						gone := ids[:0]
						for _, id := range ids {
							if id != linear.None {
								gone = append(gone, id)
							}
						}
						must(b, t.RemoveBatch(gone))
						must(b, t.Tick())
					}
				}
				b.ReportMetric(0, "ns/op")
				b.ReportMetric(median(thinned), "ns/point")
				b.ReportMetric(median(full), "ns/plain-point")
				b.ReportMetric(float64(linear.VoxelBytes(tree))/float64(tree.Len()), "B/object")
			})
		}
	}
}
