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

// run is an interval of positions, from its first to the next run's. The runs partition all positions.
type run struct {
	first   position
	written uint64 // number of the last transaction that changed the run

	// Fields of a cold run:
	tree  *linear.Tree // tree of the rows; nil: the run is warm
	ids   []uint64     // object numbers by tree ID
	tight soa.AABB     // union of the boxes
}

// warm drops the tree of a run, because a transaction changes it.
func (r *run) warm(now uint64) { r.tree, r.ids, r.written = nil, nil, now }

// runOf returns the index of the run that contains a position.
func (s *Store) runOf(p position) int {
	i, found := slices.BinarySearchFunc(s.runs, p, func(r *run, p position) int { return cmp.Compare(r.first, p) })
	if !found {
		i--
	}
	return i
}

// last returns the last position of a run.
func (s *Store) last(k int) position {
	if k+1 < len(s.runs) {
		return s.runs[k+1].first - 1
	}
	return math.MaxUint64
}

// ask queries the tree of a cold run.
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

// rested returns the number of transactions since the last change of a run.
func (s *Store) rested(r *run) uint64 {
	if r.written == 0 {
		return math.MaxUint64
	}
	return s.writes - r.written
}

// Chilled is the result of [Store.Chill].
type Chilled struct {
	Runs, Trees int // number of runs, and of runs with trees
	Objects     int // objects in these trees
}

// Chill builds trees of the rows that the last age transactions did not touch. It starts at the first key and
// stops when the trees hold most objects. Existing trees are kept. Chill reads these rows once and blocks
// transactions, but not queries. A tree takes some 60 bytes an object. On an error nothing has changed.
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
		if end == k { // a tree, or a warm run: keep it
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

// cut reads the rows of an interval and builds cold runs until they hold most objects. The remaining rows
// form one warm run. Rows at the same position are not split.
func (s *Store) cut(of span, most int) (runs []*run, err error) {
	rows, err := s.db.NewIter(&pebble.IterOptions{LowerBound: appendRowStart(nil, of.first), UpperBound: []byte{rowEnd}})
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, rows.Close()) }()
	var (
		first   = of.first
		last    position
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

// cold returns a run with a tree of the objects.
func cold(first position, ids []uint64, objects []soa.Object) (*run, error) {
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
