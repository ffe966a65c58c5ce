package query_test

import (
	"fmt"
	"maps"
	"math"
	"math/rand/v2"
	"slices"

	"github.com/zoctree/zoctree/linear"
	"github.com/zoctree/zoctree/query/collide"
	"github.com/zoctree/zoctree/soa"
)

// matrixSession is the set of queries of one world.
type matrixSession struct {
	*matrix
	m       *matrixTree
	number  int
	scene   string
	history string
	config  []string
	size    string
	view    string
	aged    bool // changed since its build
	follow  pairFollower
	watch   collide.BudgetTracker
	turn    int    // the next set of filter fields
	pair    [2]int // the same of pairs within and between
}

// world builds the world of a number and queries it.
func (x *matrix) world(number int) {
	rng := rand.New(rand.NewPCG(x.seed, uint64(number)))
	scenes := matrixScenes()
	sc := scenes[number%len(scenes)]
	history := matrixHistories[(number+number/len(scenes))%len(matrixHistories)]
	cfg, names := makeConfig(number%len(allSettings()), rng)
	s := &matrixSession{matrix: x, number: number, scene: sc.Name, history: history.name, config: names, turn: number, pair: [2]int{6 * number, 6 * number}}
	size := worldSizes[rng.IntN(len(worldSizes)-1)]
	if rng.IntN(10) < x.effort.large {
		size = worldSizes[len(worldSizes)-1]
	}
	n := size.lo + rng.IntN(size.hi-size.lo+1)
	s.size = size.name
	tree, err := linear.New(cfg)
	if err != nil {
		s.fault("New: "+err.Error(), nil)
		return
	}
	m := &matrixTree{tree: tree, cfg: cfg, rng: rng, pool: sc.Make(2*n+2, rng.Uint64()), step: size.validate, done: map[string]int{}}
	s.m = m
	if rng.IntN(3) == 0 {
		m.publish()
	}
	if err := history.run(m, n); err != nil {
		s.fault("history: "+err.Error(), nil)
		return
	}
	s.aged = history.changed
	for epoch := range x.effort.epochs {
		if epoch > 0 {
			if err := m.script(1 + rng.IntN(12)); err != nil {
				s.fault("script: "+err.Error(), nil)
				return
			}
			s.aged = true
		}
		if size.lo > 2000 && len(m.live) <= 2000 {
			if err := m.insert(m.draw(2100 - len(m.live))); err != nil {
				s.fault("InsertBatch: "+err.Error(), nil)
				return
			}
		}
		if err := m.check(); err != nil {
			s.fault("check: "+err.Error(), nil)
			return
		}
		s.view = "tree"
		s.ask(m.tree.View(), m.census())
		if len(m.held) > 0 {
			h := m.held[rng.IntN(len(m.held))]
			s.view = "published"
			s.ask(h.View(), h.matrixCensus)
		}
	}
	for name, n := range m.done {
		x.ledger.count("operation", name, n, 0)
	}
	for _, h := range m.held {
		h.Release()
	}
}

// mixStore adds the bits of a tree to the digest of the world: they, too, are the same on every tier.
func (x *matrix) mixStore(s *soa.Store) {
	for i := range s.Nodes.Hot {
		n := &s.Nodes.Hot[i]
		for _, column := range n.Bounds {
			for _, b := range column {
				x.bits.mix(uint64(math.Float32bits(b)))
			}
		}
		for l, child := range n.Child {
			x.bits.mix(uint64(child)<<32 | uint64(n.Mask[l]))
		}
	}
	for i := range s.Packets.IDs {
		for l, id := range s.Packets.IDs[i] {
			x.bits.mix(uint64(id)<<32 | uint64(math.Float32bits(s.Packets.Bounds[i][soa.MinX][l])))
		}
	}
}

// ask runs all kinds of queries on a view.
func (s *matrixSession) ask(v linear.View, c *matrixCensus) {
	s.mixStore(v.Store())
	rng := s.m.rng
	before := s.asked
	a := newArtist(c, rng)
	j := &matrixJudge{x: s.matrix, v: v, c: c}
	flts := []matrixFilter{makeFilter(0, c, rng)}
	for range s.effort.filters {
		s.turn++
		flts = append(flts, makeFilter(1+s.turn%(len(filterNames)-1), c, rng))
	}
	asks := map[string][]askedAlone{}
	for _, kinds := range []map[string]func(*matrixArtist) (matrixAsk, error){volumeKinds, sweepKinds} {
		for _, kind := range slices.Sorted(maps.Keys(kinds)) {
			for range s.effort.queries {
				q, err := kinds[kind](a)
				for err != nil { // its numbers are rejected
					q, err = kinds[kind](a)
				}
				plain, exact := q.truth(v, c, false), q.truth(v, c, true)
				done := askedAlone{q, &plain, &exact}
				asks[kind] = append(asks[kind], done)
				for _, j.flt = range flts {
					if err := j.run(&q, done.truth(&j.flt)); err != nil {
						s.fault(kind+"."+err.Error(), func() string {
							return fmt.Sprintf("%s, filter %+v; %s", q.show, j.flt.Filter, s.shrink(j, &q))
						})
					}
					s.question(kind, j.flt.name, 1, len(c.ids))
				}
			}
		}
	}
	near := a.near(v)
	for _, j.flt = range flts {
		if err := j.judgeNear(near); err != nil {
			s.fault("Nearest."+err.Error(), func() string { return fmt.Sprintf("%s, filter %+v", near.show(), j.flt.Filter) })
		}
		s.question("Nearest", j.flt.name, 1, len(c.ids))
		near.again(a)
	}
	for _, j.flt = range flts {
		if err := j.judgeBatches(&s.batches, asks, near, rng); err != nil {
			s.fault(err.Error(), func() string { return fmt.Sprintf("filter %+v", j.flt.Filter) })
		}
	}
	if len(c.ids) > 20 && !s.refuses {
		s.refuses = true
		if err := j.judgeRefusals(&s.batches, asks); err != nil {
			s.fault(err.Error(), nil)
		}
	}
	if !a.dense() {
		s.askPairs(j, a)
	}
	n := s.asked - before
	for _, name := range s.config {
		s.ledger.count("configuration", name, n, len(c.ids))
	}
	s.ledger.count("scene", s.scene, n, len(c.ids))
	s.ledger.count("history", s.history, n, len(c.ids))
	s.ledger.count("view", s.view, n, len(c.ids))
	s.ledger.count("objects", s.size, n, len(c.ids))
	if s.aged && len(c.ids) > 2000 {
		s.matrix.changed += n
	}
}

// askPairs searches for pairs: in the view, with a small tree and with another version of its own tree.
func (s *matrixSession) askPairs(j *matrixJudge, a *matrixArtist) {
	rng := s.m.rng
	s.batches.pairs.Workers = 1 + rng.IntN(3)
	pairs := func(q *pairAsk, set int) {
		flt := makePairFilter(set, rng)
		q.fit(&flt, rng)
		if err := j.judgePairs(q, flt, &s.batches.pairs); err != nil {
			s.fault(q.kind()+"."+err.Error(), func() string { return fmt.Sprintf("filter %+v, layers %x", flt, flt.Layers) })
		}
		s.question(q.kind(), pairFilterNames[set], 1, len(q.left.c.ids)+len(q.right.c.ids))
	}
	times := func(q *pairAsk) int {
		if len(q.boxes) < 300 {
			return s.effort.pairs
		}
		return min(max(s.effort.pairs/5, 6), 8)
	}
	q := withinAsk(j.v, j.c, rng)
	for range times(q) {
		pairs(q, s.pair[0]%len(pairFilterNames))
		s.pair[0]++
	}
	if err := j.follow(&s.follow, q, s.m.cfg.Log, rng); err != nil {
		s.fault("Tracker."+err.Error(), nil)
	}
	if err := j.watch(&s.watch, q, s.m.cfg.Log, rng); err != nil {
		s.fault("Watch."+err.Error(), nil)
	}
	other := &matrixTree{rng: rng, pool: s.m.pool, done: map[string]int{}}
	other.tree, _ = linear.New(linear.Config{})
	if err := other.few(1 + rng.IntN(60)); err != nil {
		s.fault("another tree: "+err.Error(), nil)
		return
	}
	x, y := pairSide{v: j.v, c: j.c}, pairSide{v: other.tree.View(), c: other.census()}
	if len(s.m.held) > 0 && len(j.c.ids) < 400 && s.view == "tree" {
		h := s.m.held[0]
		y = pairSide{v: h.View(), c: h.matrixCensus}
	}
	if rng.IntN(2) == 0 {
		x, y = y, x
	}
	b := betweenAsk(x.v, y.v, x.c, y.c, rng)
	if len(b.boxes) > mostPairs {
		return
	}
	for range times(b) {
		pairs(b, s.pair[1]%len(pairFilterNames))
		s.pair[1]++
	}
}

// few fills a tree with some objects, most of them with spheres.
func (m *matrixTree) few(n int) error {
	if err := m.insert(m.draw(n)); err != nil {
		return err
	}
	return m.perform("SetBounds")
}
