package asm_test

import (
	"os"
	"regexp"
	"strings"
	"testing"
)

// base are the instructions of arm64 that kernels use. All are in Armv8.0-A, whose advanced SIMD is on every CPU that
// runs Go. Float instructions are limited to the forms of 32 bits, for the forms of 16 are an extension.
var base = mnemonics(map[string]string{
	"general": `ADD ADDS ADDW AND B BEQ BFI BGE BGT BHI BHS BIC BLE BLO BLT BNE CBNZ CBZ CBZW CLZ CMN CMNW CMP CMPW CSEL CSET EOR LDPW
		LSL LSLW LSR MADD MOVB MOVBU MOVD MOVH MOVHU MOVW MOVWU NEGW ORN ORR PRFM RBIT RET SUB SUBS TBNZ UBFIZ UBFX`,
	"integer": `VADD VADDP VADDV VAND VBIF VBIT VBSL VCMEQ VCMTST VCNT VDUP VEOR VEXT VLD1 VLD1R VLD4 VMOV VMOVI VMOVQ VORR VSHL VSLI
		VSRI VST1 VST2 VST3 VSUB VTBL VTRN1 VTRN2 VUMAX VUMIN VUSHR VUZP1 VZIP1 VZIP2`,
	"float":   `FCMPS FLDPQ FMOVD FMOVQ FMOVS FSTPQ SCVTFS`,
	"encoded": `CMHI CMLT FABD FABS FADD FCMGE FCMGT FCVTZU FDIV FMAX FMAXNM FMAXP FMIN FMINNM FMINP FMUL FRINTM FRINTP FSUB UMAXP UMINP`, // as words
})

var (
	encodedWord = regexp.MustCompile(`^WORD \$0x[0-9A-F]{8} /[/*] (\w+) (.+)$`)
	arrangement = regexp.MustCompile(`\bV\d+\.(\w+)`)
)

// Kernels for arm64 use only the base architecture, which is all that their tier demands. The tests of the generator
// check that the words agree with their comments.
func TestNEONIsBase(t *testing.T) {
	instructions := 0
	for _, file := range asmFiles(t, "_arm64.s") {
		text, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		macros := map[string]bool{}
		for line := range strings.Lines(string(text)) {
			if m := macroName.FindStringSubmatch(line); m != nil {
				macros[m[1]] = true
			}
			if !strings.HasPrefix(line, "\t") {
				continue
			}
			line = strings.TrimSpace(line)
			name := word.FindString(line)
			if strings.HasPrefix(line, "/") || macros[name] {
				continue
			}
			instructions++
			if name == "WORD" {
				m := encodedWord.FindStringSubmatch(line)
				if m == nil || base[m[1]] != "encoded" {
					t.Errorf("%s: not in the base architecture, as far as this test knows: %s", file, line)
					continue
				}
				for _, a := range arrangement.FindAllStringSubmatch(m[2], -1) {
					if a[1] != "4S" && a[1] != "S" {
						t.Errorf("%s: elements that are not of 32 bits: %s", file, line)
					}
				}
			} else if kind := base[name]; kind == "" || kind == "encoded" {
				t.Errorf("%s: not in the base architecture, as far as this test knows: %s", file, line)
			}
		}
	}
	if instructions < 1000 {
		t.Errorf("%d instructions found", instructions)
	}
}
