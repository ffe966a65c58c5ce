package query_test

import (
	"fmt"
	"maps"
	"math/rand/v2"
	"os"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/zoctree/zoctree/internal/cpu"
	"github.com/zoctree/zoctree/internal/testkit"
	"github.com/zoctree/zoctree/internal/testkit/scene"
	"github.com/zoctree/zoctree/linear"
)

const (
	// envMatrix is the number of questions of TestMatrix, of all tiers.
	envMatrix = "ZOCTREE_MATRIX"

	// envWorld runs only the world of that number: what a failure names.
	envWorld = "ZOCTREE_WORLD"
)

// matrix is the state of TestMatrix on one tier. A world is a scene, a
// configuration and a history, and what is asked of it: all of that is a
// function of the seed and its number, the same on every tier.
type matrix struct {
	t       testing.TB
	ledger  ledger
	seed    uint64
	digest  uint64 // of all that was answered in a world, in its order
	asked   int    // questions
	changed int    // of these, of trees of more than 2,000 objects changed since their build
	faults  map[string]int
	muted   bool
	refuses bool // filters that make no sense have been asked
	batches matrixBatches
	source  map[string]bool // the forms that the source has, without those of tests
}

func newMatrix(t testing.TB, seed uint64) *matrix {
	x := &matrix{t: t, ledger: ledger{}, seed: seed, faults: map[string]int{}, source: map[string]bool{}}
	for _, form := range formsOf(t, ".") {
		x.source[form] = true
	}
	return x
}

func matrixScenes() []scene.Scene { return append(testkit.Scenes(), testkit.HostileScenes()...) }

// expect makes all cells that the matrix must reach.
func (x *matrix) expect() {
	l := x.ledger
	l.expect("form", slices.Collect(maps.Keys(x.source))...)
	for _, kind := range slices.Concat(slices.Collect(maps.Keys(volumeKinds)), slices.Collect(maps.Keys(sweepKinds)),
		[]string{"Nearest", "FrustumBatch", "BoxBatch", "SphereBatch", "RayBatch", "NearestBatch"}) {
		for _, f := range filterNames {
			l.expect("filter", kind+", "+f)
		}
	}
	for _, kind := range []string{"Pairs", "PairsBetween"} {
		for _, f := range pairFilterNames {
			l.expect("filter", kind+", "+f)
		}
	}
	for _, s := range allSettings() {
		l.expect("configuration", s.name)
	}
	for _, s := range matrixScenes() {
		l.expect("scene", s.Name)
	}
	for _, h := range matrixHistories {
		l.expect("history", h.name)
	}
	l.expect("view", "tree", "published")
	for _, s := range worldSizes {
		l.expect("objects", s.name)
	}
	l.expect("operation", slices.Collect(maps.Keys(matrixOps))...)
}

// form counts a call of a form: a method of a type, or a function.
func (x *matrix) form(typ, name string, objects int) {
	if x.muted {
		return
	}
	if typ != "" {
		name = typ + "." + name
	}
	x.ledger.count("form", name, 1, objects)
}

// question counts questions of a kind with a filter.
func (x *matrix) question(kind, filter string, n, objects int) {
	x.ledger.count("filter", kind+", "+filter, n, objects)
	x.asked += n
}

// mix takes a number of an answer into the digest of the world.
func (x *matrix) mix(n uint64) {
	x.digest = (x.digest ^ n) * 0x9E3779B97F4A7C15
	x.digest ^= x.digest >> 29
}

// worldSizes are the ranges of the numbers of objects, and how likely they are of
// ten worlds.
var worldSizes = []struct {
	name     string
	lo, hi   int
	likely   int
	validate bool // after each operation
}{
	{"0 to 17", 0, 17, 2, true},
	{"18 to 130", 18, 130, 2, true},
	{"131 to 1,200", 131, 1200, 1, false},
	{"more than 2,000", 2100, 3000, 5, false},
}

// Every kind of query in every form, with every combination of filters, on trees
// of every configuration and history, of every scene, on every tier, against
// loops over all objects. ZOCTREE_MATRIX is the number of questions; a failure
// names the command that repeats it.
func TestMatrix(t *testing.T) {
	seed := testkit.Seed(t)
	budget, least := 36_000, len(matrixScenes())
	if testing.Short() {
		budget = 9_000
	}
	if testkit.RaceEnabled {
		budget /= 8
	}
	if s := os.Getenv(envMatrix); s != "" {
		n, err := strconv.Atoi(s)
		if err != nil {
			t.Fatalf("%s: %v", envMatrix, err)
		}
		budget = n
	}
	tiers := len(cpu.Available())
	total := newMatrix(t, seed)
	total.expect()
	var digests []uint64
	testkit.EachTier(t, func(t *testing.T) {
		x := newMatrix(t, seed)
		if s := os.Getenv(envWorld); s != "" {
			w, err := strconv.Atoi(s)
			if err != nil {
				t.Fatalf("%s: %v", envWorld, err)
			}
			x.world(w)
			total = nil
			return
		}
		for w := 0; x.asked < budget/tiers || w < least; w++ {
			x.digest = 0
			x.world(w)
			if w == len(digests) {
				digests = append(digests, x.digest)
			} else if digests[w] != x.digest && len(x.faults) == 0 {
				t.Errorf("world %d gives other answers, or in another order, than on the first tier", w)
			}
			if len(x.faults) >= 20 {
				t.Fatal("too many faults")
			}
		}
		tier := strings.TrimPrefix(t.Name(), "TestMatrix/")
		for c, n := range x.ledger {
			total.ledger.count(c.group, c.name, n.queries, 0)
			total.ledger[c].answers += n.answers
			if c.group == "scene" {
				total.ledger.count("tier", tier, n.queries, 0)
				total.ledger[cell{"tier", tier}].answers += n.answers
			}
		}
		total.asked += x.asked
		total.changed += x.changed
	})
	if total == nil || t.Failed() {
		return
	}
	answers := 0
	for c, n := range total.ledger {
		if c.group == "tier" {
			answers += n.answers
		}
	}
	t.Logf("%d questions, %d judged answers, %d worlds on each of %d tiers; %d questions on trees of more than 2,000 objects changed since their build\n%s",
		total.asked, answers, len(digests), tiers, total.changed, total.ledger.table())
	if cells := total.ledger.missing(); len(cells) > 0 && budget >= 9_000 {
		t.Errorf("%d cells were not reached: %v", len(cells), cells)
	}
	if total.changed < total.asked/2 && budget >= 100_000 {
		t.Errorf("%d of %d questions were of large changed trees", total.changed, total.asked)
	}
	for c := range total.ledger {
		if c.group == "form" && !total.source[c.name] && !strings.HasPrefix(c.name, "Precise.") {
			t.Errorf("%s was judged and is not in the source", c.name)
		}
	}
}

// session is what is asked of one world.
type session struct {
	*matrix
	m       *matrixTree
	number  int
	scene   string
	history string
	config  []string
	size    string
	view    string
	aged    bool // changed since its build
	follow  follower
	turn    int // the next set of filter fields
}

// world builds the world of a number and asks it.
func (x *matrix) world(number int) {
	rng := rand.New(rand.NewPCG(x.seed, uint64(number)))
	scenes := matrixScenes()
	sc := scenes[number%len(scenes)]
	history := matrixHistories[(number+number/len(scenes))%len(matrixHistories)]
	cfg, names := makeConfig(number%len(allSettings()), rng)
	s := &session{matrix: x, number: number, scene: sc.Name, history: history.name, config: names, turn: number}
	size, k := worldSizes[0], rng.IntN(10)
	for _, size = range worldSizes {
		if k -= size.likely; k < 0 {
			break
		}
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
	for epoch := range 3 {
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
			s.ask(h.View(), h.census)
		}
	}
	for name, n := range m.done {
		x.ledger.count("operation", name, n, 0)
	}
	for _, h := range m.held {
		h.Release()
	}
}

// ask asks a view all kinds of questions.
func (s *session) ask(v linear.View, c *census) {
	rng := s.m.rng
	before := s.asked
	a := newArtist(c, rng)
	j := &judge{x: s.matrix, v: v, c: c}
	flts := []matrixFilter{makeFilter(0, c, rng)}
	for range 4 {
		s.turn++
		flts = append(flts, makeFilter(1+s.turn%(len(filterNames)-1), c, rng))
	}
	asks := map[string][]judged{}
	for _, kinds := range []map[string]func(*artist) (ask, error){volumeKinds, sweepKinds} {
		for _, kind := range slices.Sorted(maps.Keys(kinds)) {
			for range 2 {
				q, err := kinds[kind](a)
				if err != nil { // its numbers are refused
					continue
				}
				plain, exact := q.truth(v, c, false), q.truth(v, c, true)
				done := judged{q, &plain, &exact}
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
	near := a.near()
	for _, j.flt = range flts {
		if err := j.judgeNear(near); err != nil {
			s.fault("Nearest."+err.Error(), func() string { return fmt.Sprintf("%s, filter %+v", near.show(), j.flt.Filter) })
		}
		s.question("Nearest", j.flt.name, 1, len(c.ids))
		near.again(a)
	}
	for _, j.flt = range flts[rng.IntN(3):] {
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

// askPairs asks for pairs: in the view, with a small tree and with another
// version of its own tree.
func (s *session) askPairs(j *judge, a *artist) {
	rng := s.m.rng
	s.batches.pairs.Workers = 1 + rng.IntN(3)
	pairs := func(q *pairAsk, set int) {
		flt := makePairFilter(set, rng)
		if err := j.judgePairs(q, flt, &s.batches.pairs); err != nil {
			s.fault(q.kind()+"."+err.Error(), func() string { return fmt.Sprintf("filter %+v, layers %x", flt, flt.Layers) })
		}
		s.question(q.kind(), pairFilterNames[set], 1, len(q.left.c.ids)+len(q.right.c.ids))
	}
	q := withinAsk(j.v, j.c, rng)
	for k := range 3 {
		pairs(q, (s.turn+5*k)%len(pairFilterNames))
	}
	if err := j.follow(&s.follow, q, s.m.cfg.Log, rng); err != nil {
		s.fault("PairTracker."+err.Error(), nil)
	}
	other := &matrixTree{rng: rng, pool: s.m.pool, done: map[string]int{}}
	other.tree, _ = linear.New(linear.Config{})
	if err := other.few(1 + rng.IntN(60)); err != nil {
		s.fault("another tree: "+err.Error(), nil)
		return
	}
	x, y := side{v: j.v, c: j.c}, side{v: other.tree.View(), c: other.census()}
	if len(s.m.held) > 0 && len(j.c.ids) < 400 && s.view == "tree" {
		h := s.m.held[0]
		y = side{v: h.View(), c: h.census}
	}
	if rng.IntN(2) == 0 {
		x, y = y, x
	}
	b := betweenAsk(x.v, y.v, x.c, y.c, rng)
	if len(b.boxes) > mostPairs {
		return
	}
	for k := range 2 {
		pairs(b, (s.turn+3*k)%len(pairFilterNames))
	}
}

// few fills a tree with some objects, of which most get spheres.
func (m *matrixTree) few(n int) error {
	if err := m.insert(m.draw(n)); err != nil {
		return err
	}
	return m.perform("SetSphereBatch")
}

// fault reports the first fault of its kind, with its details and what repeats
// it.
func (s *session) fault(what string, details func() string) {
	// Faults of one form with one kind of complaint are one.
	kind := strings.Map(func(r rune) rune {
		if strings.ContainsRune("0123456789-+.abcdefpx", r) {
			return -1
		}
		return r
	}, what)
	kind = kind[:min(len(kind), 40)]
	if s.faults[kind]++; s.faults[kind] > 1 {
		return
	}
	text, n := "", 0
	if details != nil {
		if text = details(); len(text) > 1600 {
			text = text[:1600] + " …"
		}
		text = "\n\t" + text
	}
	if s.m != nil {
		n = len(s.m.live)
	}
	s.t.Errorf("%s%s\n\tworld %d: scene %s, history %s, config %s, %s, %d objects, after %v\n\t%s=%#x %s=%d go test ./query -run '%s'",
		what, text, s.number, s.scene, s.history, strings.Join(s.config, " "), s.view, n, s.m.last(), testkit.EnvSeed, s.seed, envWorld, s.number, s.t.Name())
}

func (m *matrixTree) last() []string {
	if m == nil {
		return nil
	}
	return m.log
}

// shrink looks for few objects that show the fault in a new tree.
func (s *session) shrink(j *judge, q *ask) string {
	s.muted = true
	digest := s.digest
	defer func() { s.muted, s.digest = false, digest }()
	fails := func(keep []int) bool {
		again, err := j.anew(keep)
		if err != nil {
			return false
		}
		t := q.truth(again.v, again.c, again.flt.Exact)
		return again.run(q, &t) != nil
	}
	keep := make([]int, len(j.c.ids))
	for i := range keep {
		keep[i] = i
	}
	if !fails(keep) {
		return "not in a new tree of these objects"
	}
	for step := max(len(keep)/2, 1); ; step = max(step/2, 1) {
		fewer := false
		for at := 0; at < len(keep); {
			less := slices.Delete(slices.Clone(keep), at, min(at+step, len(keep)))
			if fails(less) {
				keep, fewer = less, true
			} else {
				at += step
			}
		}
		if step == 1 && !fewer || len(keep) == 0 {
			break
		}
	}
	var b strings.Builder
	fmt.Fprintf(&b, "also in a new tree of %d objects:", len(keep))
	for _, i := range keep[:min(len(keep), 4)] {
		fmt.Fprintf(&b, " [%s]", j.c.describe(i))
	}
	return b.String()
}

// anew makes a judge of a new tree that holds some objects of the census, with
// the same filter.
func (j *judge) anew(keep []int) (*judge, error) {
	m := &matrixTree{rng: testkit.Rand(1), done: map[string]int{}}
	m.tree, _ = linear.New(linear.Config{})
	again := &judge{x: j.x, flt: matrixFilter{Filter: j.flt.Filter}}
	again.flt.Live = nil
	if j.flt.Live != nil {
		again.flt.Live = make([]uint64, len(keep)/64+1)
	}
	for k, i := range keep {
		id, err := m.tree.Insert(j.c.objects[i])
		if err == nil && j.c.ball(i) {
			err = m.tree.SetSphere(id, j.c.balls[i])
		}
		if err != nil {
			return nil, err
		}
		if err := m.add(id, j.c.objects[i]); err != nil {
			return nil, err
		}
		m.balls[id] = j.c.balls[i]
		again.flt.pass = append(again.flt.pass, j.flt.pass[i])
		if j.flt.Live != nil && alive(j.flt.Filter, int(j.c.ids[i])) {
			again.flt.Live[k/64] |= 1 << (k % 64)
		}
	}
	if err := m.tree.Tick(); err != nil {
		return nil, err
	}
	again.v, again.c = m.tree.View(), m.census()
	return again, nil
}
