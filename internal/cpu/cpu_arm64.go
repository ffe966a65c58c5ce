//go:build arm64 && !purego

package cpu

// Advanced SIMD is part of the base architecture.
func supported() []Tier { return []Tier{NEON} }

func narrow() bool { return false }
