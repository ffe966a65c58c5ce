package testkit

import (
	"math/rand/v2"
	"os"
	"runtime/debug"
	"slices"
	"strconv"
	"strings"
	"testing"
)

// In normal forms the heap may grow to five times the live data between collections. Tests allocate much and keep
// little, so with the default of Go they would collect thousands of times. Benchmarks and long forms keep the default.
func init() {
	bench := func(arg string) bool { return strings.HasPrefix(arg, "-test.bench=") }
	if testing.Testing() && os.Getenv(EnvLong) == "" && os.Getenv("GOGC") == "" && !slices.ContainsFunc(os.Args, bench) {
		debug.SetGCPercent(400)
	}
}

// EnvLong is the environment variable that selects the long forms of tests: 1, or any other true
// value of [strconv.ParseBool].
const EnvLong = "ZOCTREE_LONG"

// Budget returns the size of a test, such as a number of rounds or a list of sizes: long if
// ZOCTREE_LONG is set, else normal. With normal all tests of a package take less than 20 seconds of
// two cores, with long less than four minutes. To search further, run long forms with other seeds
// (ZOCTREE_SEED): a larger budget would draw from the same families.
func Budget[T any](t testing.TB, normal, long T) T {
	t.Helper()
	if Long(t) {
		return long
	}
	return normal
}

// Raced returns part under the race detector, else full. Under the detector a test looks for races: it needs all of its
// goroutines and calls, and few of its cases, whose results other runs compare.
func Raced[T any](full, part T) T {
	if RaceEnabled {
		return part
	}
	return full
}

// EnvAgain is the environment variable that, if set, says that the tests have passed on another platform before.
const EnvAgain = "ZOCTREE_AGAIN"

// Again returns part if ZOCTREE_AGAIN is set, else full. Tests that run once more on a further platform look for the
// effects of byte order, fused arithmetic, the size of an int and other kernels, which few random cases show.
func Again[T any](full, part T) T {
	if os.Getenv(EnvAgain) != "" {
		return part
	}
	return full
}

// AgainOne returns all elements, or one that it draws if ZOCTREE_AGAIN is set.
func AgainOne[T any](rng *rand.Rand, all []T) []T {
	if os.Getenv(EnvAgain) != "" {
		i := rng.IntN(len(all))
		return all[i : i+1]
	}
	return all
}

// Long reports whether tests run in their long form.
func Long(t testing.TB) bool {
	t.Helper()
	long, err := parseLong(os.Getenv(EnvLong))
	if err != nil {
		t.Fatalf("%s: %v", EnvLong, err)
	}
	return long
}

// Turn returns all elements in the long form, else every third, starting at index number modulo 3.
// If the calls of a test are numbered, three consecutive calls cover all elements.
func Turn[T any](t testing.TB, number int, all []T) []T {
	t.Helper()
	every := Budget(t, 3, 1)
	var some []T
	for i := number % every; i < len(all); i += every {
		some = append(some, all[i])
	}
	return some
}

func parseLong(text string) (bool, error) {
	if text == "" {
		return false, nil
	}
	return strconv.ParseBool(text)
}

// EnvCount is the environment variable that sets the number of cases of the long form of tests that
// draw cases one by one. It takes effect with ZOCTREE_LONG.
const EnvCount = "ZOCTREE_COUNT"

// Count is [Budget] for a number of random cases; ZOCTREE_COUNT, if set, replaces long.
func Count(t testing.TB, normal, long int) int {
	t.Helper()
	if s := os.Getenv(EnvCount); s != "" {
		n, err := strconv.Atoi(s)
		if err != nil || n < 1 {
			t.Fatalf("%s: %q is not a number of cases", EnvCount, s)
		}
		long = n
	}
	return Budget(t, normal, long)
}
