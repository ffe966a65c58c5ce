package asm_test

import (
	"testing"

	"github.com/zoctree/zoctree/asm"
	"github.com/zoctree/zoctree/soa"
)

func TestMaskLanes(t *testing.T) {
	masks := [soa.Lanes]uint32{0: 1, 3: 6, 7: 1 << 31, 8: ^uint32(0), 15: 1}
	for want, lanes := range map[uint32]uint32{0: 0, 1: 1<<0 | 1<<8 | 1<<15, 2: 1<<3 | 1<<8, 1 << 31: 1<<7 | 1<<8, 16: 1 << 8} {
		if got := asm.MaskLanes(&masks, want); got != lanes {
			t.Errorf("MaskLanes(%#x) = %#x, want %#x", want, got, lanes)
		}
	}
}
