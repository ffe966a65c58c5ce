package ranges

import (
	"errors"
	"fmt"

	"github.com/cockroachdb/pebble/v2"

	"github.com/zoctree/zoctree/bench/scale/row"
	"github.com/zoctree/zoctree/morton"
	"github.com/zoctree/zoctree/query"
	"github.com/zoctree/zoctree/soa"
)

// Work counts the work of a query.
type Work struct {
	Ranges int // ranges of keys, in the covers of all classes
	Rows   int // rows read and tested
	Trees  int // trees of cold runs queried
}

// Append appends the numbers of all objects whose box overlaps the closed box b and which pass the filter,
// each once and in no particular order: exactly the result of one tree of all objects. The box must be finite
// and not inverted; a filter by Exact, Only or Exclude is an error ([row.ErrFilter]). On an error dst is returned
// unchanged. Append allocates.
func (s *Store) Append(dst []uint64, b soa.AABB, flt query.Filter) ([]uint64, Work, error) {
	ask := asking{box: b, flt: flt, ids: dst}
	box, err := query.NewBox(b.Min, b.Max)
	if err == nil {
		err = row.CheckFilter(flt)
	}
	if err != nil {
		return dst, ask.work, fmt.Errorf("ranges: %w", err)
	}
	s.view.RLock()
	defer s.view.RUnlock()
	if s.closed {
		return dst, ask.work, errClosed
	}
	if err := s.ask(&ask, box); err != nil {
		return dst, ask.work, err
	}
	return ask.ids, ask.work, nil
}

// asking is the state of a query.
type asking struct {
	box   soa.AABB
	flt   query.Filter
	ids   []uint64
	local []uint32
	key   []byte
	work  Work
}

// span is a closed interval of positions.
type span struct{ first, last position }

// cover returns the positions of all rows whose box can overlap b, ascending.
func (s *Store) cover(b soa.AABB) (spans []span, err error) {
	var ranges []morton.Range
	for class, reach := range s.meta.reach {
		lo, hi := reach.Widen(b)
		if ranges, err = s.meta.world.AppendCover(ranges[:0], lo, hi, s.opt.Ranges); err != nil {
			return nil, err
		}
		for _, r := range ranges {
			spans = append(spans, span{placeOf(class, r.First), placeOf(class, r.Last)})
		}
	}
	return spans, nil
}

// ask merges spans and runs, which are both ascending.
func (s *Store) ask(a *asking, box query.Box) error {
	spans, err := s.cover(a.box)
	if err != nil {
		return err
	}
	a.work.Ranges = len(spans)
	var rows *pebble.Iterator
	k := s.runOf(spans[0].first)
	queried := -1
	for _, of := range spans {
		for s.last(k) < of.first {
			k++
		}
		for at := of.first; ; k++ {
			if cold := s.runs[k]; cold.tree != nil {
				if k != queried {
					queried = k
					cold.ask(a, box)
				}
			} else {
				if rows == nil {
					if rows, err = s.db.NewIter(&pebble.IterOptions{LowerBound: []byte{rowTag}, UpperBound: []byte{rowEnd}}); err != nil {
						return err
					}
				}
				if err := a.scan(rows, span{at, min(of.last, s.last(k))}); err != nil {
					return errors.Join(err, rows.Close())
				}
			}
			if s.last(k) >= of.last {
				break
			}
			at = s.last(k) + 1
		}
	}
	if rows == nil {
		return nil
	}
	return rows.Close()
}

// scan tests the rows of an interval.
func (a *asking) scan(rows *pebble.Iterator, of span) error {
	a.key = appendRowStart(a.key[:0], of.first)
	var o soa.Object
	for ok := rows.SeekGE(a.key); ok; ok = rows.Next() {
		p, id, err := readRowKey(rows.Key())
		if err != nil {
			return err
		}
		if p > of.last {
			break
		}
		value, err := rows.ValueAndErr()
		if err != nil {
			return err
		}
		if err := readObject(value, &o); err != nil {
			return err
		}
		a.work.Rows++
		if a.box.Overlaps(o.Box) && row.Keep(o.Mask, o.Static, a.flt) {
			a.ids = append(a.ids, id)
		}
	}
	return rows.Error()
}
