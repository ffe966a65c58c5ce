// Package testkit provides test helpers for all packages. It has reference implementations (Reference…)
// and exact definitions of query results, generators of boxes and scenes, and helpers that run a
// test on every tier or compare IDs. The scenes themselves are in internal/scene, which programs
// may import too.
//
// # Environment variables
//
// All tests read these:
//
//	ZOCTREE_TIER             tier that runs: go, neon, avx2 or avx512 (internal/cpu); the machine must have it
//	ZOCTREE_TIERS            active: EachTier uses only the active tier; else all tiers of the machine
//	ZOCTREE_SEED             seed of random tests, decimal or 0x…; default 1; the tests log it
//	ZOCTREE_LONG             1: the long forms of tests
//	ZOCTREE_COUNT            number of random cases in long forms
//	ZOCTREE_DATA             absolute path of the folder of real data sets; unset: their tests are skipped
//	ZOCTREE_ARTIFACTS        folder for the files that failing tests leave (Save); unset: none
//	ZOCTREE_AGAIN            1: few random cases, on a further platform or build (Again)
//
// These set the length of single tests:
//
//	ZOCTREE_MODEL_OPS        linear: operations of TestModelLong; unset: the test is skipped
//	ZOCTREE_FRAMES           linear: frames of TestBouncingWork
//	ZOCTREE_SHARED_SECONDS   linear: duration of TestSharedReaders, in seconds
//	ZOCTREE_MATRIX           query: queries of TestMatrix, over all tiers
//	ZOCTREE_WORLD            query: numbers of the only worlds that TestMatrix runs, with commas
//	ZOCTREE_OBJECTS          query: objects of TestOrderOfMany
//	ZOCTREE_SNAP_CASES       query, query/scene: files of TestSnapshotHostile and TestSceneHostile
//	ZOCTREE_SCENE_CASES      query/scene: least number of objects checked against definitions
//	ZOCTREE_INTEREST_FRAMES  query/interest: random frames, over all tiers
//	ZOCTREE_OCCLUDE_SAMPLES  query/occlude: sample rays through depth buffers
package testkit

import (
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"runtime"
	"strconv"
	"testing"

	"github.com/zoctree/zoctree/internal/cpu"
	"github.com/zoctree/zoctree/internal/scene"
)

// Environment variables of the tests.
const (
	EnvSeed = "ZOCTREE_SEED" // seed of random tests, decimal or 0x…
	EnvData = "ZOCTREE_DATA" // absolute path of the folder of real data sets

	EnvTiers = "ZOCTREE_TIERS" // "active": EachTier uses only the active tier

	EnvArtifacts = "ZOCTREE_ARTIFACTS" // folder for artifacts of failing tests: see Save
)

// Scenes returns every scene.
func Scenes() []scene.Scene { return scene.All() }

// SceneByName returns the scene with the given name, and fails the test if there is none.
func SceneByName(t testing.TB, name string) scene.Scene {
	t.Helper()
	s, ok := scene.ByName(name)
	if !ok {
		t.Fatalf("no scene is named %q", name)
	}
	return s
}

// Tiers returns the tiers for [EachTier]: all tiers of the machine, slowest first, or with
// ZOCTREE_TIERS=active the active one.
func Tiers() []cpu.Tier {
	if os.Getenv(EnvTiers) == "active" {
		return []cpu.Tier{cpu.Active}
	}
	return cpu.Available()
}

// EachTier runs body as a subtest on every tier of [Tiers] and restores the active tier after each.
// Neither body nor the test that calls EachTier may be parallel, because the tier is global.
func EachTier(t *testing.T, body func(t *testing.T)) {
	t.Helper()
	for _, tier := range Tiers() {
		t.Run("tier="+tier.String(), func(t *testing.T) {
			former, err := cpu.Force(tier)
			if err != nil {
				t.Fatal(err)
			}
			// Deferred, not a Cleanup, so that it runs before the next tier starts, after Fatal and
			// panics too.
			defer cpu.Force(former)
			body(t)
		})
	}
}

// OfTier reports whether the case of that number, of a test for [EachTier], runs on the active tier. In the long form
// every case runs on every tier. In the normal form each runs on one, since the cases are the same calls on all tiers.
func OfTier(t testing.TB, number int) bool {
	t.Helper()
	tiers := Tiers()
	return Long(t) || tiers[number%len(tiers)] == cpu.Active
}

// TiersAgree is [EachTier] for answers that must be equal on all tiers. The body passes every answer to known, in an
// order that is a function of the seed. On the first tier known records the answer and returns false: the body
// compares it with its definition. On the other tiers known returns whether the answer equals the recorded one; if
// not, it fails the test. So a definition, which is slow and independent of tiers, is computed once.
func TiersAgree(t *testing.T, body func(t *testing.T, known func(answer ...any) bool)) {
	t.Helper()
	var first []string
	tiers := 0
	EachTier(t, func(t *testing.T) {
		tiers++
		n := 0
		body(t, func(answer ...any) bool {
			t.Helper()
			text := fmt.Sprint(answer...)
			n++
			switch {
			case tiers == 1:
				first = append(first, text)
				return false
			case n > len(first):
				t.Fatalf("answer %d: the first tier has %d answers", n, len(first))
			case text != first[n-1]:
				t.Errorf("answer %d is\n%.2000s\nand on the first tier\n%.2000s", n, text, first[n-1])
				return false
			}
			return true
		})
		if n != len(first) {
			t.Errorf("%d answers, the first tier has %d", n, len(first))
		}
	})
}

// Seed returns the seed of a random test: the value of ZOCTREE_SEED, or 1. It is logged, so that a
// failure shows it.
func Seed(t testing.TB) uint64 {
	t.Helper()
	seed := uint64(1)
	if s := os.Getenv(EnvSeed); s != "" {
		var err error
		if seed, err = strconv.ParseUint(s, 0, 64); err != nil {
			t.Fatalf("%s: %v", EnvSeed, err)
		}
	}
	t.Logf("%s=%d", EnvSeed, seed)
	return seed
}

// Rand returns a generator with the given seed.
func Rand(seed uint64) *rand.Rand { return rand.New(rand.NewPCG(seed, 0)) }

// Data returns the absolute path of a file in the folder in ZOCTREE_DATA. If the variable is not
// set, the test is skipped. If it is set, a relative path or a missing file fails the test.
func Data(t testing.TB, file string) string {
	t.Helper()
	folder := os.Getenv(EnvData)
	if folder == "" {
		t.Skipf("%s is not set: no %s", EnvData, file)
	}
	if !filepath.IsAbs(folder) {
		t.Fatalf("%s=%q is not an absolute path", EnvData, folder)
	}
	path := filepath.Join(folder, file)
	info, err := os.Stat(path)
	if err != nil {
		t.Fatalf("%s: %v", EnvData, err)
	}
	if !info.Mode().IsRegular() {
		t.Fatalf("%s: %s is not a file", EnvData, path)
	}
	return path
}

// Allocs fails the test if n calls of f, after a first one, allocate. Under the race detector,
// which allocates by itself, it only calls f.
func Allocs(t testing.TB, n int, f func()) {
	t.Helper()
	if RaceEnabled {
		f()
		return
	}
	// As in testing.AllocsPerRun, but without a further n calls before the first run. All n calls count as one run, so
	// that one allocation among many calls is not averaged away. Allocations of the runtime itself do not occur in four
	// runs in a row.
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(1))
	f()
	var stats runtime.MemStats
	allocs := uint64(0)
	for range 4 {
		runtime.ReadMemStats(&stats)
		before := stats.Mallocs
		for range n {
			f()
		}
		runtime.ReadMemStats(&stats)
		if allocs = stats.Mallocs - before; allocs == 0 {
			return
		}
	}
	t.Errorf("%v allocations in %d calls, want none", allocs, n)
}
