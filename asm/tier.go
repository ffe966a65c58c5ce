package asm

import "github.com/zoctree/zoctree/internal/cpu"

// Tier is a set of CPU features with one implementation of every kernel.
type Tier = cpu.Tier

// The tiers, slowest first.
const (
	TierGo     = cpu.Go
	TierNEON   = cpu.NEON
	TierAVX2   = cpu.AVX2
	TierAVX512 = cpu.AVX512
)

// Details tells which kernels run.
type Details struct {
	Tier      Tier   // the active tier
	Available []Tier // the tiers of this machine and build, slowest first
}

// Info returns the active tier and the available ones. It allocates.
func Info() Details { return Details{cpu.Active, cpu.Available()} }

// SetTier makes t the active tier and returns the former one. A tier that the
// machine or the build lacks is an error and changes nothing. It is meant for
// tests and benchmarks: call it only while no query or build runs.
func SetTier(t Tier) (former Tier, err error) { return cpu.Force(t) }

// ParseTier returns the tier of that name: go, neon, avx2 or avx512.
func ParseTier(name string) (Tier, error) { return cpu.Parse(name) }
