//go:build amd64 && !purego

package cpu

import "golang.org/x/sys/cpu"

// The flags are independent of each other in x/sys/cpu, so each one that a
// kernel uses is written out.
func supported() (t []Tier) {
	x := &cpu.X86
	avx2 := x.HasAVX && x.HasAVX2 && x.HasBMI1 && x.HasBMI2 && x.HasPOPCNT
	if avx2 {
		t = append(t, AVX2)
	}
	if avx2 && x.HasAVX512F && x.HasAVX512VL && x.HasAVX512BW && x.HasAVX512DQ {
		t = append(t, AVX512)
	}
	return t
}
