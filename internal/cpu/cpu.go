// Package cpu names the tiers: sets of CPU features that kernels are written
// for (package asm says which). A tier is chosen once, when the program starts, and
// can be forced downwards with the environment variable ZOCTREE_TIER or, in
// tests, with [Force].
//
//	tier     needs, every flag checked by itself
//	go       nothing: the pure-Go twin, and the only tier under -tags purego
//	neon     arm64 (advanced SIMD is part of the base architecture)
//	avx2     amd64 with AVX, AVX2, BMI1, BMI2, POPCNT
//	avx512   the avx2 set with AVX512 F, VL, DQ
package cpu

import (
	"fmt"
	"os"
	"slices"
	"strings"
)

// Tier is a set of CPU features. Larger values are faster on one machine.
type Tier uint8

// The tiers, slowest first.
const (
	Go Tier = iota
	NEON
	AVX2
	AVX512
)

// EnvTier is the environment variable that forces a tier.
const EnvTier = "ZOCTREE_TIER"

var names = [...]string{Go: "go", NEON: "neon", AVX2: "avx2", AVX512: "avx512"}

// String returns the name that ZOCTREE_TIER accepts.
func (t Tier) String() string {
	if int(t) < len(names) {
		return names[t]
	}
	return fmt.Sprintf("Tier(%d)", uint8(t))
}

// Parse returns the tier of that name.
func Parse(name string) (Tier, error) {
	i := slices.Index(names[:], strings.ToLower(name))
	if i < 0 {
		return 0, fmt.Errorf("cpu: unknown tier %q: want one of %s", name, strings.Join(names[:], ", "))
	}
	return Tier(i), nil
}

// Active is the tier that kernels use now. It is read by every kernel wrapper
// and written only before the program starts and by [Force].
var Active = initial(os.Getenv(EnvTier))

// Available returns the tiers of this machine and build, slowest first. The
// first is always [Go].
func Available() []Tier { return append([]Tier{Go}, supported()...) }

// Best returns the fastest tier of this machine and build.
func Best() Tier {
	a := Available()
	return a[len(a)-1]
}

// Force makes t the active tier and returns the former one. A tier that the
// machine or the build lacks is an error and changes nothing. Call it only
// while no kernel runs.
func Force(t Tier) (former Tier, err error) {
	if !slices.Contains(Available(), t) {
		return Active, fmt.Errorf("cpu: tier %s is not available here: have %v", t, Available())
	}
	former, Active = Active, t
	return former, nil
}

// initial chooses the tier at start: the best one, unless the environment
// names another that the machine has.
func initial(env string) Tier {
	if env == "" {
		return Best()
	}
	t, err := Parse(env)
	if err == nil && !slices.Contains(Available(), t) {
		err = fmt.Errorf("cpu: tier %s is not available here: have %v", t, Available())
	}
	if err != nil {
		fmt.Fprintf(os.Stderr, "zoctree: %s: %v; using %s\n", EnvTier, err, Best())
		return Best()
	}
	return t
}
