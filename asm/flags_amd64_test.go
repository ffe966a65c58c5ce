//go:build !purego

package asm_test

import (
	"maps"
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/zoctree/zoctree/internal/cpu"
	"github.com/zoctree/zoctree/internal/testkit"
)

// scalar is the flag that instructions without vector registers need, and those
// on masks; "" is the base architecture.
var scalar = mnemonics(map[string]string{
	"": `ADCL ADDL ADDQ ANDL ANDQ BTL BTSL CMOVLCC CMOVLCS CMOVLHI CMOVLLT CMOVLNE CMOVQCC CMOVQCS CMOVQEQ CMOVQHI CMOVQLT CMOVQMI CMPB CMPL CMPQ CPUID DECL DECQ IMULL IMULQ
		CALL INCL INCQ JB JBE JCC JCS JEQ JGE JGT JHI JLE JLS JLT JMI JMP JNE JNZ JS JZ LEAL LEAQ MOVB MOVBLZX MOVL MOVQ
		MOVW MOVWLZX NEGL NOTL ORL ORQ PCALIGN PREFETCHT0 PREFETCHT1 RET SBBL SBBQ SETCC SETCS SETEQ SETNE SHLL SHLQ SHRL SHRQ
		SUBL SUBQ TESTL TESTQ XCHGL XCHGQ XORL XORQ`,
	"AVX":      `VZEROUPPER`,
	"BMI1":     `ANDNL BLSRL BLSRQ TZCNTL TZCNTQ`,
	"BMI2":     `BZHIL PDEPQ SHLXL SHLXQ SHRXL`,
	"POPCNT":   `POPCNTL`,
	"AVX512F":  `KANDNW KANDW KMOVW KNOTW KORTESTW KORW KSHIFTRW KUNPCKBW KXNORW KXORW`,
	"AVX512DQ": `KANDB KANDNB KMOVB KORB KORTESTB KTESTB KTESTW KXNORB`,
})

// encoding is the flags of a vector instruction: encoded as VEX on 128 bits and
// on 256, and as EVEX on 512. As EVEX on less it needs AVX512VL, too, unless it
// takes one element alone. "" means that there is no such instruction.
type encoding struct {
	vex128, vex256, evex string
	one                  bool
}

// A broadcast is of memory, unless its name ends in "X" here, for a vector
// register, or in "R", for a general one.
var vector = mnemonics(map[encoding]string{
	{"AVX", "AVX", "AVX512F", false}: `VADDPS VCMPPS VCVTDQ2PS VCVTTPS2DQ VDIVPS VMAXPS VMINPS VMOVAPS VMOVUPS VMULPS VPERMILPS VSHUFPS VSUBPS
		VADDPD VCMPPD VCVTPD2PS VCVTPD2PSY VCVTPS2PD VDIVPD VMAXPD VMINPD VMOVAPD VMOVUPD VMULPD VPERMILPD VSQRTPD VSUBPD
		VUNPCKHPD VUNPCKHPS VUNPCKLPD VUNPCKLPS VBROADCASTSS`,
	{"AVX", "AVX", "AVX512DQ", false}: `VANDNPD VANDNPS VANDPD VANDPS VORPD VORPS VXORPD VXORPS`,
	{"AVX", "AVX", "", false}:         `VBLENDPD VBLENDVPD VBLENDVPS VHADDPD VMOVDQA VMOVDQU VMOVMSKPD VMOVMSKPS VPTEST VROUNDPS VTESTPS`,
	{"", "AVX", "AVX512F", false}:     `VBROADCASTSD`,
	{"", "AVX", "", false}:            `VEXTRACTF128 VINSERTF128 VPERM2F128`,
	{"AVX", "", "AVX512F", true}:      `VADDSD VADDSS VCMPSD VCVTSD2SS VCVTSS2SD VCVTTSD2SIQ VEXTRACTPS VINSERTPS VMAXSD VMINSD VMINSS VMOVD VMOVLPS VMOVQ VMOVSD VMOVSS VMULSD VSUBSD VUCOMISS`,

	{"AVX", "AVX2", "AVX512F", false}: `VPADDD VPADDQ VPMAXSD VPMAXUD VPMINSD VPMINUD VPMULLD VPMOVSXDQ VPMOVZXBQ VPSHUFD VPSLLD VPSLLQ VPSRAD VPSRLD VPSRLQ VPSUBD VPSUBQ
		VPUNPCKHDQ VPUNPCKHQDQ VPUNPCKLDQ VPUNPCKLQDQ`,
	{"AVX", "AVX2", "", false}:         `VPAND VPANDN VPCMPEQD VPCMPEQQ VPCMPGTD VPMOVMSKB VPOR VPSIGND VPXOR`,
	{"AVX", "AVX2", "AVX512BW", false}: `VPACKSSDW VPACKSSWB`,
	{"AVX2", "AVX2", "AVX512F", false}: `VBROADCASTSSX VPBROADCASTD VPBROADCASTDX VPBROADCASTQ VPBROADCASTQX VPSLLVD VPSRLVD
		VPGATHERDD VGATHERDPS`,
	{"AVX2", "AVX2", "", false}:    `VPBLENDD VPMASKMOVD`,
	{"", "AVX2", "", false}:        `VEXTRACTI128 VPERM2I128`,
	{"", "AVX2", "AVX512F", false}: `VBROADCASTSDX VPERMD VPERMPD VPERMPS VPERMQ`,

	{"", "", "AVX512F", false}: `VALIGND VBLENDMPD VBLENDMPS VCOMPRESSPD VCOMPRESSPS VEXTRACTF32X4 VEXTRACTF64X4 VEXTRACTI32X4 VEXTRACTI64X4 VINSERTF32X4
		VINSERTF64X4 VINSERTI64X4 VMOVDQA32 VMOVDQA64 VMOVDQU32 VMOVDQU64 VPANDD VPANDQ VPBROADCASTDR VPBROADCASTQR VPCMPD VPCMPUD VPCMPUQ
		VPCOMPRESSD VPCOMPRESSQ VPERMT2D VPERMT2PS VPMOVQD VPORD VPORQ VPTERNLOGD VPTERNLOGQ VPTESTMD VPTESTMQ VPTESTNMD VPXORD VPXORQ
		VRNDSCALEPD VRNDSCALEPS VSHUFF64X2 VSHUFI64X2`,
	{"", "", "AVX512DQ", false}: `VEXTRACTF64X2 VPMOVD2M VPMOVQ2M`,
})

var (
	register  = regexp.MustCompile(`\b([XYZK])([12]?[0-9]|3[01])\b`)
	broadcast = regexp.MustCompile(`^V(P?)BROADCAST`)
	shift     = regexp.MustCompile(`^VPS[LR][LA][DQW]$`)
)

// needs returns the flags that an instruction needs; ok is false when the tables lack it.
func needs(instruction string) (flags []string, ok bool) {
	name, rest, _ := strings.Cut(instruction, " ")
	name, suffix, _ := strings.Cut(name, ".")
	if flag, ok := scalar[name]; ok {
		if flag == "" {
			return nil, true
		}
		return []string{flag}, true
	}
	width, mask, high := "", false, false
	for _, r := range register.FindAllStringSubmatch(rest, -1) {
		if r[1] == "K" {
			mask = true
			continue
		}
		width = max(width, r[1])
		high = high || len(r[2]) == 2 && r[2] >= "16"
	}
	operands := arguments(rest)
	if broadcast.MatchString(name) && !strings.Contains(operands[0], "(") {
		if register.MatchString(operands[0]) {
			name += "X"
		} else {
			name += "R"
		}
	}
	e, ok := vector[name]
	// A shift of memory by a number is an instruction of AVX-512.
	shifted := shift.MatchString(name) && strings.HasPrefix(operands[0], "$") && strings.Contains(operands[1], "(")
	evex := width == "Z" || mask || high || shifted || suffix != "" || e.vex128 == "" && e.vex256 == ""
	switch {
	case evex && width != "Z" && !e.one:
		flags = []string{e.evex, "AVX512VL"}
	case evex:
		flags = []string{e.evex}
	case width == "Y":
		flags = []string{e.vex256}
	default:
		flags = []string{e.vex128}
	}
	return flags, ok && width != "" && flags[0] != ""
}

// tierOf returns the tier of a function of amd64, by its name.
func tierOf(name string) cpu.Tier {
	switch {
	case strings.HasSuffix(name, "AVX512"), strings.HasSuffix(name, "YMM"):
		return cpu.AVX512
	case strings.HasSuffix(name, "AVX2"), strings.HasSuffix(name, "PDEP"):
		return cpu.AVX2
	}
	return cpu.Go
}

// The flags of its tier allow every instruction of a kernel, and every flag of a tier is there for an instruction.
// The instructions named beside a flag need it.
func TestFlags(t *testing.T) {
	if testkit.RaceEnabled {
		t.Skip("reads sources, which is told without the race detector, too")
	}
	needed := map[cpu.Tier]map[string]map[string]bool{} // tier, flag, mnemonic
	for _, tier := range []cpu.Tier{cpu.Go, cpu.AVX2, cpu.AVX512} {
		needed[tier] = map[string]map[string]bool{}
		for _, flag := range cpu.Demands(tier) {
			needed[tier][flag] = map[string]bool{}
		}
	}
	functions := amd64Functions(t)
	if len(functions) == 0 {
		t.Fatal("no functions found")
	}
	for _, f := range functions {
		tier := tierOf(f.name)
		for _, i := range f.instructions {
			flags, ok := needs(i)
			if !ok {
				t.Errorf("%s: %s: the tables of this test do not know what flag this needs: %s", f.file, f.name, i)
				continue
			}
			for _, flag := range flags {
				if users := needed[tier][flag]; users != nil {
					users[word.FindString(i)] = true
				} else {
					t.Errorf("%s: %s: tier %s does not demand %s for %s", f.file, f.name, tier, flag, i)
				}
			}
		}
	}

	users := map[string]map[string]bool{}
	below := []string(nil) // the flags of the tier below
	for _, tier := range []cpu.Tier{cpu.Go, cpu.AVX2, cpu.AVX512} {
		flags := cpu.Demands(tier)
		for _, flag := range flags {
			if len(needed[tier][flag]) == 0 && !slices.Contains(below, flag) {
				t.Errorf("tier %s demands %s, which no instruction needs", tier, flag)
			}
			if users[flag] == nil {
				users[flag] = map[string]bool{}
			}
			maps.Copy(users[flag], needed[tier][flag])
		}
		below = flags
	}
	compareReasons(t, users)
}

// compareReasons compares the flags and the mnemonics beside them in the source with the instructions that need them.
func compareReasons(t *testing.T, users map[string]map[string]bool) {
	t.Helper()
	const file = "../internal/cpu/cpu_amd64.go"
	source, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	line := regexp.MustCompile(`\{"(\w+)", &cpu\.X86\.Has(\w+)\}, *(?:// for (.*))?`)
	mnemonic := regexp.MustCompile(`\b[A-Z][A-Z0-9]{3,}\b`)
	lines := line.FindAllStringSubmatch(string(source), -1)
	for _, m := range lines {
		flag, has, reason := m[1], m[2], m[3]
		if has != flag {
			t.Errorf("%s: %s is read from Has%s", file, flag, has)
		}
		if users[flag] == nil {
			t.Errorf("%s: no tier demands %s", file, flag)
		}
		names := mnemonic.FindAllString(reason, -1)
		if len(names) == 0 {
			t.Errorf("%s: %s names no mnemonic that needs it", file, flag)
		}
		for _, name := range names {
			if !users[flag][name] {
				t.Errorf("%s: %s is not needed by %s", file, flag, name)
			}
		}
	}
	if len(lines) != len(users) {
		t.Errorf("%s: %d flags read, tiers demand %d", file, len(lines), len(users))
	}
}

// The test above distinguishes the flags of instructions.
func TestFlagsOfInstructions(t *testing.T) {
	for _, c := range []struct{ instruction, want string }{
		{"ADDQ $1, AX", ""},
		{"TZCNTL AX, BX", "BMI1"},
		{"SHLXQ DX, AX, AX", "BMI2"},
		{"VZEROUPPER", "AVX"},
		{"VADDPS Y1, Y2, Y3", "AVX"},
		{"VADDPS Y1, Y2, Y16", "AVX512F AVX512VL"},
		{"VADDPS (BX), Z1, Z2", "AVX512F"},
		{"VADDPS.BCST 4(DX), Y1, Y2", "AVX512F AVX512VL"},
		{"VADDSS X1, X2, X30", "AVX512F"},
		{"VCMPPS $1, Y1, Y2, Y3", "AVX"},
		{"VCMPPS $1, Y1, Y2, K3", "AVX512F AVX512VL"},
		{"VCMPPS $1, Z1, Z2, K3, K3", "AVX512F"},
		{"VPADDD X1, X2, X3", "AVX"},
		{"VPADDD Y1, Y2, Y3", "AVX2"},
		{"VPADDD Y1, Y2, K1, Y3", "AVX512F AVX512VL"},
		{"VPXORD X16, X16, X16", "AVX512F AVX512VL"},
		{"VPXORD Y0, Y0, Y0", "AVX512F AVX512VL"},
		{"VXORPS Y1, Y1, Y1", "AVX"},
		{"VXORPS Z1, Z1, Z1", "AVX512DQ"},
		{"VXORPS Y20, Y1, Y1", "AVX512DQ AVX512VL"},
		{"VBROADCASTSS 4(DI), Y1", "AVX"},
		{"VBROADCASTSS X0, Y1", "AVX2"},
		{"VPBROADCASTD X0, Y1", "AVX2"},
		{"VPBROADCASTD AX, Y1", "AVX512F AVX512VL"},
		{"VPBROADCASTQ AX, Z1", "AVX512F"},
		{"VPBROADCASTD (AX), Y1", "AVX2"},
		{"VPSLLD $4, Y1, Y2", "AVX2"},
		{"VPSLLD $4, (AX), Y2", "AVX512F AVX512VL"},
		{"VPMOVD2M Y1, K1", "AVX512DQ AVX512VL"},
		{"VPACKSSDW Z1, Z2, Z3", "AVX512BW"},
		{"VPCOMPRESSD.Z Z1, K1, Z2", "AVX512F"},
		{"VPMOVQD Z1, Y2", "AVX512F"},
		{"KMOVB K1, AX", "AVX512DQ"},
		{"KMOVW K1, AX", "AVX512F"},
		{"VFMADD231PS Y1, Y2, Y3", "unknown"},
		{"VPAND Z1, Z2, Z3", "unknown"},
		{"VPERMD X1, X2, X3", "unknown"},
		{"VPERMI2B Z1, Z2, Z3", "unknown"},
		{"BYTE $0x90", "unknown"},
	} {
		flags, ok := needs(c.instruction)
		got := strings.Join(flags, " ")
		if !ok {
			got = "unknown"
		}
		if got != c.want {
			t.Errorf("%s: needs %q, want %q", c.instruction, got, c.want)
		}
	}
}
