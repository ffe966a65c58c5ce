package ranges

import (
	"cmp"
	"errors"
	"math"
	"slices"

	"github.com/cockroachdb/pebble/v2"

	"github.com/zoctree/zoctree/linear"
	"github.com/zoctree/zoctree/query"
	"github.com/zoctree/zoctree/soa"
)

// run is an interval of places: from its first to the next run's. All runs together are
// all places.
type run struct {
	first   place
	written uint64 // the number of the last transaction that touched it

	// Of a cold run:
	tree  *linear.Tree // of its rows; nil: the run is warm
	ids   []uint64     // numbers of the objects of the tree
	tight soa.AABB     // their union
}

// warm drops the tree of a run that is written to.
func (r *run) warm(now uint64) { r.tree, r.ids, r.written = nil, nil, now }

// runOf returns the index of the run that holds a place.
func (s *Store) runOf(p place) int {
	i, found := slices.BinarySearchFunc(s.runs, p, func(r *run, p place) int { return cmp.Compare(r.first, p) })
	if !found {
		i--
	}
	return i
}

// last returns the last place of a run.
func (s *Store) last(k int) place {
	if k+1 < len(s.runs) {
		return s.runs[k+1].first - 1
	}
	return math.MaxUint64
}

// ask asks the tree of a cold run.
func (r *run) ask(a *asking, box query.Box) {
	if !a.box.Overlaps(r.tight) {
		return
	}
	a.work.Trees++
	a.local = box.Append(a.local[:0], r.tree.View(), a.flt)
	for _, id := range a.local {
		a.ids = append(a.ids, r.ids[id])
	}
}

// rested returns for how many transactions nothing has touched a run.
func (s *Store) rested(r *run) uint64 {
	if r.written == 0 {
		return math.MaxUint64
	}
	return s.writes - r.written
}

// Chilled is what a [Store.Chill] leaves behind.
type Chilled struct {
	Runs, Trees int // runs, and how many of them have trees
	Objects     int // in these trees
}

// Chill builds trees of the rows that none of the last transactions, so many as age
// says, has touched, from the first key on, until trees hold most objects. Trees that are
// there stay. It reads these rows once and keeps transactions waiting, but not queries.
// A tree takes some 60 bytes an object. On an error nothing has changed.
func (s *Store) Chill(age uint64, most int) (c Chilled, err error) {
	s.write.Lock()
	defer s.write.Unlock()
	if s.closed {
		return c, errClosed
	}
	for _, r := range s.runs {
		c.Objects += len(r.ids)
	}
	var runs []*run
	for k := 0; k < len(s.runs); {
		end := k
		for end < len(s.runs) && s.runs[end].tree == nil && s.rested(s.runs[end]) >= age {
			end++
		}
		if end == k { // a tree, or a run that is warm: it stays
			runs = append(runs, s.runs[k])
			k++
			continue
		}
		cut, err := s.cut(span{s.runs[k].first, s.last(end - 1)}, most-c.Objects)
		if err != nil {
			return Chilled{}, err
		}
		for _, r := range cut {
			c.Objects += len(r.ids)
		}
		runs = append(runs, cut...)
		k = end
	}
	s.view.Lock()
	defer s.view.Unlock()
	s.runs = runs
	c.Runs = len(runs)
	for _, r := range runs {
		if r.tree != nil {
			c.Trees++
		}
	}
	return c, nil
}

// cut reads the rows of an interval and makes cold runs of them, until these hold most
// objects; what is left is one warm run. Rows of one place are not parted.
func (s *Store) cut(of span, most int) (runs []*run, err error) {
	rows, err := s.db.NewIter(&pebble.IterOptions{LowerBound: appendRowStart(nil, of.first), UpperBound: []byte{rowEnd}})
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, rows.Close()) }()
	var (
		first   = of.first
		last    place
		ids     []uint64
		objects []soa.Object
	)
	for ok := rows.First(); ok; ok = rows.Next() {
		p, id, err := readRowKey(rows.Key())
		if err != nil {
			return nil, err
		}
		if p > of.last {
			break
		}
		if len(ids) >= s.opt.Run && p != last {
			r, err := cold(first, ids, objects)
			if err != nil {
				return nil, err
			}
			runs = append(runs, r)
			most -= len(ids)
			first, ids, objects = p, nil, objects[:0]
		}
		value, err := rows.ValueAndErr()
		if err != nil {
			return nil, err
		}
		var o soa.Object
		if err := readObject(value, &o); err != nil {
			return nil, err
		}
		ids, objects, last = append(ids, id), append(objects, o), p
		if len(ids) > most {
			return append(runs, &run{first: first}), nil
		}
	}
	if err := rows.Error(); err != nil {
		return nil, err
	}
	r, err := cold(first, ids, objects)
	return append(runs, r), err
}

// cold returns a run with a tree of these objects.
func cold(first place, ids []uint64, objects []soa.Object) (*run, error) {
	tree, err := linear.New(linear.Config{Frozen: true, Workers: 1})
	if err != nil {
		return nil, err
	}
	if _, err := tree.InsertBatch(nil, objects); err != nil {
		return nil, err
	}
	tree.Trim()
	return &run{first: first, tree: tree, ids: ids, tight: tree.Bounds()}, nil
}
