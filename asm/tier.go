package asm

import "github.com/zoctree/zoctree/internal/cpu"

// Tier is a set of CPU features (an instruction set level). Every kernel runs on each tier: in code
// of the tier, of a lower tier, or in Go, as listed in the package comment.
type Tier = cpu.Tier

// The tiers, slowest first.
const (
	TierGo     = cpu.Go
	TierNEON   = cpu.NEON
	TierAVX2   = cpu.AVX2
	TierAVX512 = cpu.AVX512
)

// Details is the active CPU features and kernels.
type Details struct {
	Tier      Tier     // the active tier
	Available []Tier   // the tiers of this machine and build, slowest first
	Kernels   []Family // code that runs on the active tier, in the order of the package comment
}

// Info returns the active tier, the available tiers and the kernels that run. It allocates.
func Info() Details { return Details{cpu.Active, cpu.Available(), kernels(cpu.Active)} }

// SetTier makes t the active tier and returns the former one. If the machine or the build lacks the
// tier, it returns an error and changes nothing. It is meant for tests and benchmarks: call it only
// while no query or build runs.
func SetTier(t Tier) (former Tier, err error) { return cpu.Force(t) }

// ParseTier returns the tier of that name: go, neon, avx2 or avx512.
func ParseTier(name string) (Tier, error) { return cpu.Parse(name) }
