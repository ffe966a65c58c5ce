package asm

import "github.com/zoctree/zoctree/internal/cpu"

// families is the families of kernels in assembly. For each tier it has the tier whose code runs,
// as in the table of the package comment. A family is all kernels whose names begin with its name,
// except kernels of a family with a longer matching name.
var families = []struct {
	name               string
	avx2, avx512, neon Tier
}{
	{"volume", TierAVX2, TierAVX512, TierNEON},
	{"volumeIDs", TierAVX2, TierAVX512, TierNEON},
	{"multiBox", TierAVX2, TierAVX512, TierNEON},
	{"near", TierAVX2, TierAVX512, TierNEON},
	{"nearFirst", TierAVX2, TierAVX512, TierNEON},
	{"ray", TierAVX2, TierAVX512, TierNEON},
	{"rayFirst", TierAVX2, TierAVX512, TierNEON},
	{"pair", TierAVX2, TierAVX512, TierNEON},
	{"seen", TierAVX2, TierAVX512, TierNEON},
	{"cone", TierAVX2, TierAVX512, TierNEON},
	{"boxCone", TierGo, TierAVX512, TierGo},
	{"pyramid", TierAVX2, TierAVX512, TierNEON},
	{"tile", TierAVX2, TierAVX2, TierGo},
	{"emit", TierAVX2, TierAVX512, TierNEON},
	{"select", TierAVX2, TierAVX512, TierNEON},
	{"survey", TierAVX2, TierAVX512, TierNEON},
	{"encode", TierAVX2, TierAVX512, TierNEON},
	{"cut", TierAVX2, TierAVX512, TierNEON},
	{"fillRecords", TierAVX2, TierAVX512, TierNEON},
	{"fillPackets", TierAVX2, TierAVX512, TierNEON},
	{"reduceNodes", TierAVX2, TierAVX2, TierNEON},
	{"reducePackets", TierAVX2, TierAVX2, TierNEON},
	{"writeBoxes", TierAVX2, TierAVX512, TierNEON},
	{"moveBoxes", TierAVX2, TierAVX2, TierNEON},
	{"ballBoxes", TierAVX2, TierAVX2, TierNEON},
	{"writeBalls", TierAVX2, TierAVX512, TierNEON},
	{"chooseSubtree", TierAVX2, TierAVX512, TierNEON},
	{"sizeSmall", TierAVX2, TierAVX512, TierNEON},
	{"prefetch", TierAVX2, TierAVX2, TierNEON},
	{"readSum", TierAVX2, TierAVX512, TierNEON},
}

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
