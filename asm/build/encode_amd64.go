//go:build amd64 && !purego

package build

import "github.com/zoctree/zoctree/internal/cpu"

// encodeWithPDEP makes the AVX2 tier build keys with PDEP instead of shifts and masks. The
// instruction is part of BMI2, which the tier requires, but AMD runs it in microcode up to family
// 23, and so does Hygon (family 24).
var encodeWithPDEP = func() bool {
	_, b, c, _ := cpu.ID(0)
	vendor := [2]uint32{b, c} // the first and the last third of the name
	eax, _, _, _ := cpu.ID(1)
	family := eax >> 8 & 15
	if family == 15 {
		family += eax >> 20 & 255
	}
	switch vendor {
	case cpu.AMD:
		return family > 23
	case [2]uint32{0x6F677948, 0x656E6975}: // "Hygo" "uine"
		return false
	}
	return true
}()
