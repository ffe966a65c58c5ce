// Package cpu detects CPU features and selects a tier: the set of features that kernels are written
// for (see package asm). The tier is selected once, when the program starts. The environment
// variable ZOCTREE_TIER or, in tests, [Force] selects a lower one.
//
//	tier     needs, every flag checked by itself
//	go       nothing: the pure-Go fallback, and the only tier under -tags purego
//	neon     arm64 (advanced SIMD is part of the base architecture)
//	avx2     amd64 with AVX, AVX2, BMI1, BMI2, POPCNT
//	avx512   the avx2 set with AVX512 F, VL, DQ
//
// [Narrow] chooses between two forms of a kernel in the tier avx512.
package cpu

import (
	"fmt"
	"os"
	"slices"
	"strings"
)

// Tier is a set of CPU features. On one machine, larger values are faster.
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

// String returns the name in the form that ZOCTREE_TIER accepts.
func (t Tier) String() string {
	if int(t) < len(names) {
		return names[t]
	}
	return fmt.Sprintf("Tier(%d)", uint8(t))
}

// Parse returns the tier with the given name.
func Parse(name string) (Tier, error) {
	i := slices.Index(names[:], strings.ToLower(name))
	if i < 0 {
		return 0, fmt.Errorf("cpu: unknown tier %q: want one of %s", name, strings.Join(names[:], ", "))
	}
	return Tier(i), nil
}

// Active is the tier of all kernels. Every kernel wrapper reads it; only initialization and [Force]
// write it.
var Active = initial(os.Getenv(EnvTier))

// Narrow reports that the datapaths for vectors are 256 bits wide: the CPU divides operations on 512 bits. Only
// initialization and tests write it.
var Narrow = narrow()

// Available returns the tiers of this machine and build, slowest first. The first is always [Go].
func Available() []Tier { return append([]Tier{Go}, supported()...) }

// Best returns the fastest tier of this machine and build.
func Best() Tier {
	a := Available()
	return a[len(a)-1]
}

// Force makes t the active tier and returns the former one. It returns an error and changes nothing
// if the machine or the build lacks t. Call it only while no kernel runs.
func Force(t Tier) (former Tier, err error) {
	if !slices.Contains(Available(), t) {
		return Active, fmt.Errorf("cpu: tier %s is not available here: have %v", t, Available())
	}
	former, Active = Active, t
	return former, nil
}

// initial returns the tier at program start: the best one, unless the environment variable names
// another available one.
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
