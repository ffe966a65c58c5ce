package replay

import (
	"cmp"
	"math"
	"slices"
	"time"

	"github.com/zoctree/zoctree/bench/internal/input"
	"github.com/zoctree/zoctree/bench/internal/measure"
	"github.com/zoctree/zoctree/bench/internal/must"
	"github.com/zoctree/zoctree/linear"
	"github.com/zoctree/zoctree/query/collide"
	"github.com/zoctree/zoctree/soa"
)

// tracks holds positions by instant.
type tracks struct {
	instants  [][]position // each sorted by track
	count     int          // one more than the last track
	positions int
}

// position is the position of a track at an instant.
type position struct {
	track int
	at    [3]float64
}

// maxTracks is the limit of track numbers in a file.
const maxTracks = 1 << 24

// readTracks reads a file. With together, the first instants of all tracks coincide.
func readTracks(file string, together bool) *tracks {
	names := []string{"t_s", "flight", "x_m", "y_m", "z_m"}
	data := must.Get(input.Read(file, input.Options{Columns: names}))
	if data.Cloud == nil {
		must.Fail("%s: a snapshot has no columns", file)
	}
	for _, name := range names {
		if data.Cloud.Columns[name] == nil {
			must.Fail("%s: no column %s, or no rows", file, name)
		}
	}
	when, who := data.Cloud.Columns["t_s"], data.Cloud.Columns["flight"]
	t := &tracks{positions: len(who)}
	for i, f := range who {
		if !(f >= 0 && f < maxTracks) || f != math.Trunc(f) {
			must.Fail("%s: row %d: flight %v is no number from 0 to %d", file, i, f, maxTracks-1)
		}
		if s := when[i]; s-s != 0 {
			must.Fail("%s: row %d: t_s is %v, want a finite number", file, i, s)
		}
		t.count = max(t.count, int(f)+1)
	}
	if together {
		start := make([]float64, t.count)
		for i := range start {
			start[i] = math.Inf(1)
		}
		for i, f := range who {
			start[int(f)] = min(start[int(f)], when[i])
		}
		for i, f := range who {
			when[i] -= start[int(f)]
		}
	}
	rows := make([]int, len(who))
	for i := range rows {
		rows[i] = i
	}
	slices.SortStableFunc(rows, func(i, j int) int {
		return cmp.Or(cmp.Compare(when[i], when[j]), cmp.Compare(who[i], who[j]))
	})
	for k, i := range rows {
		if k == 0 || when[rows[k-1]] != when[i] {
			t.instants = append(t.instants, nil)
		} else if who[rows[k-1]] == who[i] {
			must.Fail("%s: row %d: flight %v is twice at %v s", file, i, who[i], when[i])
		}
		last := &t.instants[len(t.instants)-1]
		f := position{track: int(who[i])}
		for a, name := range names[2:] {
			f.at[a] = data.Cloud.Columns[name][i]
		}
		*last = append(*last, f)
	}
	return t
}

// trackResults is the result of a replay: counts and times in microseconds of each instant, and the near pairs.
type trackResults struct {
	objects, moved, inserted, removed measure.Series
	boxPairs, near                    measure.Series
	update, pairing                   measure.Series

	pairs    map[[2]int]bool // pairs of tracks that were ever near
	closest  [2]int
	distance float64 // least distance of these pairs
}

// trackTree is the state of a replay.
type trackTree struct {
	tree   *linear.Tree
	half   float64
	id     []uint32     // by track; soa.None: not present
	now    [][3]float64 // by track
	track  []int        // by ID
	before []int        // tracks of the previous instant

	ids, removed   []uint32
	boxes          []soa.AABB
	fresh          []soa.Object
	insertedTracks []int
	inserted       []uint32
	pairs          []collide.Pair
}

// replayTracks replays repeat times; the counts are from the first pass.
func replayTracks(t *tracks, half float64, repeat int) *trackResults {
	s := &trackResults{pairs: map[[2]int]bool{}, distance: math.Inf(1)}
	update, pairing := make([]measure.Series, len(t.instants)), make([]measure.Series, len(t.instants))
	for pass := range repeat {
		tree := must.Get(linear.New(linear.Config{Workers: 1}))
		f := &trackTree{tree: tree, half: half, id: make([]uint32, t.count), now: make([][3]float64, t.count)}
		for i := range f.id {
			f.id[i] = soa.None
		}
		for i, positions := range t.instants {
			f.plan(positions)
			start := time.Now()
			must.Within(f.apply, "instant %d", i)
			applied := time.Now()
			f.pairs = collide.Append(f.pairs[:0], collide.Within(tree.View()), collide.Filter{})
			paired := time.Now()
			update[i] = append(update[i], float64(applied.Sub(start).Nanoseconds())/1e3)
			pairing[i] = append(pairing[i], float64(paired.Sub(applied).Nanoseconds())/1e3)
			if pass == 0 {
				s.count(f, positions)
			}
		}
		must.Do(tree.Validate())
	}
	for i := range update {
		s.update, s.pairing = append(s.update, update[i].Median()), append(s.pairing, pairing[i].Median())
	}
	return s
}

// plan separates moves, insertions and removals.
func (f *trackTree) plan(positions []position) {
	f.ids, f.boxes, f.fresh, f.insertedTracks, f.removed = f.ids[:0], f.boxes[:0], f.fresh[:0], f.insertedTracks[:0], f.removed[:0]
	for _, x := range positions {
		f.now[x.track] = x.at
		box := cubeAbout(x.at, f.half)
		if id := f.id[x.track]; id != soa.None {
			f.ids, f.boxes = append(f.ids, id), append(f.boxes, box)
			continue
		}
		f.fresh, f.insertedTracks = append(f.fresh, soa.Object{Box: box, Mask: 1}), append(f.insertedTracks, x.track)
	}
	// Both lists ascend: a track of the previous instant that is not in this one is removed.
	k := 0
	for _, track := range f.before {
		for k < len(positions) && positions[k].track < track {
			k++
		}
		if k == len(positions) || positions[k].track != track {
			f.removed = append(f.removed, f.id[track])
			f.id[track] = soa.None
		}
	}
	f.before = f.before[:0]
	for _, x := range positions {
		f.before = append(f.before, x.track)
	}
}

// apply changes the tree.
func (f *trackTree) apply() {
	must.Do(f.tree.RemoveBatch(f.removed))
	must.Do(f.tree.MoveBatch(f.ids, f.boxes))
	f.inserted = must.Get(f.tree.InsertBatch(f.inserted[:0], f.fresh))
	for k, id := range f.inserted {
		for int(id) >= len(f.track) {
			f.track = append(f.track, 0)
		}
		f.track[id], f.id[f.insertedTracks[k]] = f.insertedTracks[k], id
	}
	must.Do(f.tree.Tick())
}

// count records the counts of an instant.
func (s *trackResults) count(f *trackTree, positions []position) {
	near := 0
	for _, p := range f.pairs {
		a, b := f.track[p.A], f.track[p.B]
		d := 0.0
		for axis := range 3 {
			by := f.now[a][axis] - f.now[b][axis]
			d += by * by
		}
		if d = math.Sqrt(d); d > 2*f.half {
			continue
		}
		near++
		both := [2]int{min(a, b), max(a, b)}
		s.pairs[both] = true
		if d < s.distance {
			s.closest, s.distance = both, d
		}
	}
	add := func(to *measure.Series, n int) { *to = append(*to, float64(n)) }
	add(&s.objects, len(positions))
	add(&s.moved, len(f.ids))
	add(&s.inserted, len(f.fresh))
	add(&s.removed, len(f.removed))
	add(&s.boxPairs, len(f.pairs))
	add(&s.near, near)
}

// cubeAbout returns the cube around a point, rounded outward.
func cubeAbout(p [3]float64, half float64) (b soa.AABB) {
	for a := range 3 {
		b.Min[a], b.Max[a] = soa.Below(p[a], half), soa.Above(p[a], -half)
	}
	return b
}
