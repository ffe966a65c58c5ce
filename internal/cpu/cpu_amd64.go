//go:build amd64 && !purego

package cpu

import "golang.org/x/sys/cpu"

// flag is a CPU feature that a tier requires: the CPU supports it, and the operating system saves
// its registers.
type flag struct {
	name string
	has  *bool
}

// A flag implies no other one in x/sys/cpu, so each feature that a kernel uses is listed, with
// mnemonics that need it. A test of package asm compares both with the assembly.
var (
	flagsAVX2 = []flag{
		{"AVX", &cpu.X86.HasAVX},       // for VADDPS, VCMPPS and all floats, integers in X, VZEROUPPER
		{"AVX2", &cpu.X86.HasAVX2},     // for VPADDD, VPERMD and all integers in Y, VPGATHERDD
		{"BMI1", &cpu.X86.HasBMI1},     // for ANDNL, BLSRL, TZCNTL
		{"BMI2", &cpu.X86.HasBMI2},     // for BZHIL, PDEPQ, SHLXL
		{"POPCNT", &cpu.X86.HasPOPCNT}, // for POPCNTL
	}
	flagsAVX512 = []flag{
		{"AVX512F", &cpu.X86.HasAVX512F},   // for Z and K: VCMPPS, VPCOMPRESSD, VPERMT2D, VPTERNLOGD, KMOVW
		{"AVX512VL", &cpu.X86.HasAVX512VL}, // for K, VPXORD, X16 to X31 and Y16 to Y31 on 128 and 256 bits
		{"AVX512DQ", &cpu.X86.HasAVX512DQ}, // for KTESTW, VPMOVD2M, VXORPS in Z
	}
)

// Demands returns the names of the flags that a tier needs beyond the base architecture.
func Demands(t Tier) (names []string) {
	add := func(flags []flag) {
		for _, f := range flags {
			names = append(names, f.name)
		}
	}
	if t >= AVX2 {
		add(flagsAVX2)
	}
	if t >= AVX512 {
		add(flagsAVX512)
	}
	return names
}

// narrow reads the performance optimization identifiers of AMD: FP256, the datapath is 256 bits
// wide, and FP512. Zen 4 has the first alone. Other vendors do not have the leaf.
func narrow() bool {
	const leaf, fp256, fp512 = 0x8000001A, 1 << 2, 1 << 3
	_, b, c, _ := ID(0)
	if last, _, _, _ := ID(0x80000000); b != AMD[0] || c != AMD[1] || last < leaf {
		return false
	}
	widths, _, _, _ := ID(leaf)
	return widths&(fp256|fp512) == fp256
}

// AMD is the first and the last third of the name of a vendor, as [ID] returns them in ebx and ecx.
var AMD = [2]uint32{0x68747541, 0x444D4163} // "Auth" "cAMD"

// ID returns the registers that the instruction CPUID writes.
func ID(leaf uint32) (eax, ebx, ecx, edx uint32)

func supported() (t []Tier) {
	if all(flagsAVX2) {
		t = append(t, AVX2)
		if all(flagsAVX512) {
			t = append(t, AVX512)
		}
	}
	return t
}

func all(flags []flag) bool {
	for _, f := range flags {
		if !*f.has {
			return false
		}
	}
	return true
}
