package asm

import "github.com/zoctree/zoctree/internal/cpu"

// Family is a family of kernels, named as in the table of the package comment.
type Family struct {
	Name string
	Tier Tier // tier whose code runs: TierGo if the active tier has no code
}

// kernels lists the families as they run on a tier.
func kernels(on Tier) []Family {
	list := make([]Family, len(families))
	for i, f := range families {
		list[i] = Family{f.name, [...]Tier{cpu.AVX2: f.avx2, cpu.AVX512: f.avx512, cpu.NEON: f.neon}[on]}
	}
	return list
}
