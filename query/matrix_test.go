package query_test

import (
	"maps"
	"os"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/zoctree/zoctree/internal/scene"
	"github.com/zoctree/zoctree/internal/testkit"
)

const (
	// envMatrix is the number of queries of TestMatrix, of all tiers.
	envMatrix = "ZOCTREE_MATRIX"

	// envWorld runs only the worlds of these numbers, with commas between them; a failure names one.
	envWorld = "ZOCTREE_WORLD"
)

// matrix is the state of TestMatrix on one tier. A world is a scene, a configuration, a history, and its queries: a
// function of the seed and its number, the same on every tier.
type matrix struct {
	t       testing.TB
	ledger  matrixLedger
	seed    uint64
	answers digest // digest of all results of a world, in their order
	bits    digest // of its trees
	asked   int    // queries
	changed int    // queries of trees of more than 2,000 objects changed since their build
	faults  map[string]int
	effort  matrixEffort
	muted   bool
	refuses bool // invalid filters have been passed
	batches matrixBatches
	source  map[string]bool // the forms in the source, without those of tests
}

// madeByMethod matches the forms of kinds of queries that are made by a method of another query.
var madeByMethod = regexp.MustCompile(`^(Precise|MinSize|EnteringBox)\.`)

// matrixEffort is the number of queries of each world.
type matrixEffort struct {
	questions int // of all tiers, at least
	epochs    int // times that a tree is queried, with changes in between
	queries   int // of each kind of volume
	filters   int // besides the empty one
	large     int // of ten worlds, the ones of more than 2,000 objects
	pairs     int // filters of few pairs; of many at most 8
	flags     string
}

// effortOf returns the effort set by the environment and the flags: some seconds by default.
func effortOf(t testing.TB) matrixEffort {
	if s := os.Getenv(envMatrix); s != "" {
		n, err := strconv.Atoi(s)
		if err != nil {
			t.Fatalf("%s: %v", envMatrix, err)
		}
		return matrixEffort{n, 3, 3, 5, 8, len(pairFilterNames), envMatrix + "=" + s + " go test"}
	}
	if !testkit.Long(t) {
		return matrixEffort{0, 1, 1, 2, 1, 24, "go test"}
	}
	return matrixEffort{0, 2, 1, 2, 3, 48, testkit.EnvLong + "=1 go test"}
}

func newMatrix(t testing.TB, seed uint64) *matrix {
	x := &matrix{t: t, ledger: matrixLedger{}, seed: seed, effort: effortOf(t), faults: map[string]int{}, source: map[string]bool{}}
	for _, folder := range asking {
		for _, form := range formsOf(t, folder) {
			x.source[form] = true
		}
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
		l.expect("form of pairs", "collide.Batch.Append, "+kind)
		l.expect("form of pairs", "collide.Batch.Nearest, "+kind)
		for form := range pairFuncs {
			l.expect("form of pairs", form+", "+kind)
		}
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

// question counts queries of a kind with a filter.
func (x *matrix) question(kind, filter string, n, objects int) {
	x.ledger.count("filter", kind+", "+filter, n, objects)
	x.asked += n
}

// mix adds a number of a result to the digest of the world.
func (x *matrix) mix(n uint64) { x.answers.mix(n) }

// digest is a hash of numbers in their order.
type digest uint64

func (d *digest) mix(n uint64) {
	x := (uint64(*d) ^ n) * 0x9E3779B97F4A7C15
	*d = digest(x ^ x>>29)
}

// worldSizes are the ranges of the numbers of objects. The effort gives the likelihood of the last, the others share
// the rest.
var worldSizes = []struct {
	name     string
	lo, hi   int
	validate bool // after each operation
}{
	{"0 to 17", 0, 17, true},
	{"18 to 130", 18, 130, true},
	{"131 to 1,200", 131, 1200, false},
	{"more than 2,000", 2100, 2800, false},
}

// Every kind of query in every form, with every combination of filters, on trees of every configuration and history,
// of every scene, on every tier, against loops over all objects. ZOCTREE_MATRIX is the number of queries; a failure
// names the command that repeats it.
func TestMatrix(t *testing.T) {
	seed := testkit.Seed(t)
	least := testkit.Raced(max(len(matrixScenes()), len(allSettings()), len(matrixHistories)), 4) // worlds
	tiers := len(testkit.Tiers())
	total := newMatrix(t, seed)
	total.expect()
	first := map[int][2]digest{} // of each world
	turn := -1
	testkit.EachTier(t, func(t *testing.T) {
		x := newMatrix(t, seed)
		turn++
		if s := os.Getenv(envWorld); s != "" {
			for s := range strings.SplitSeq(s, ",") {
				w, err := strconv.Atoi(s)
				if err != nil {
					t.Fatalf("%s: %v", envWorld, err)
				}
				x.world(w)
			}
			total = nil
			return
		}
		for w := 0; x.asked < x.effort.questions/tiers || w < least; w++ {
			if x.effort.questions == 0 && turn < tiers-1 && w%3 != turn%3 {
				continue // the last tier runs all
			}
			x.answers, x.bits = 0, 0
			x.world(w)
			if had, ok := first[w]; !ok {
				first[w] = [2]digest{x.answers, x.bits}
			} else if trees := had[1] != x.bits; trees || had[0] != x.answers {
				t.Errorf("world %d: on the first tier it has other trees: %v, or other answers", w, trees)
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
				total.ledger[matrixCell{"tier", tier}].answers += n.answers
			}
		}
		total.asked += x.asked
		total.changed += x.changed
	})
	if total == nil {
		return
	}
	answers := 0
	for c, n := range total.ledger {
		if c.group == "tier" {
			answers += n.answers
		}
	}
	t.Logf("%d questions, %d judged answers, %d worlds on each of %d tiers; %d questions on trees of more than 2,000 objects changed since their build\n%s",
		total.asked, answers, len(first), tiers, total.changed, total.ledger.table())
	if cells := total.ledger.missing(); len(cells) > 0 && !testkit.RaceEnabled {
		t.Errorf("%d cells were not reached: %v", len(cells), cells)
	}
	if total.changed < total.asked/2 && len(first) > 2*least {
		t.Errorf("%d of %d questions were of large changed trees", total.changed, total.asked)
	}
	for c := range total.ledger {
		if c.group == "form" && !total.source[c.name] && !madeByMethod.MatchString(c.name) {
			t.Errorf("%s was judged and is not in the source", c.name)
		}
	}
}
