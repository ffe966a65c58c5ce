package main

import (
	"fmt"
	"regexp"
	"strconv"
)

// opcodes are the instructions that the assembler of Go lacks, by mnemonic and form of the operands: V is
// Vn.4S, E is Vn.S[i], and #0 is itself. The bits of registers and of the element are 0.
//
//	31      21 20  16 15      10 9   5 4   0
//	| opcode  |  Vm  | opcode   | Vn  | Vd  |    E: bit 21 and bit 11 are the element
var opcodes = map[string]uint32{
	"FADD V,V,V":   0x4E20D400,
	"FSUB V,V,V":   0x4EA0D400,
	"FMUL V,V,V":   0x6E20DC00,
	"FMUL V,V,E":   0x4F809000,
	"FMIN V,V,V":   0x4EA0F400,
	"FMAX V,V,V":   0x4E20F400,
	"FMINP V,V,V":  0x6EA0F400,
	"FMAXP V,V,V":  0x6E20F400,
	"FMINNM V,V,V": 0x4EA0C400,
	"FMAXNM V,V,V": 0x4E20C400,
	"FCMGE V,V,V":  0x6E20E400,
	"FCMGT V,V,V":  0x6EA0E400,
	"FCMGE V,V,#0": 0x6EA0C800,
	"FABD V,V,V":   0x6EA0D400,
	"FABS V,V":     0x4EA0F800,
	"FDIV V,V,V":   0x6E20FC00,
	"FRINTM V,V":   0x4E219800,
	"FRINTP V,V":   0x4EA18800,
	"FCVTZU V,V":   0x6EA1B800,
	"UMINP V,V,V":  0x6EA0AC00,
	"UMAXP V,V,V":  0x6EA0A400,
	"CMHI V,V,V":   0x6EA03400,
	"CMLT V,V,#0":  0x4EA0A800,
}

var (
	mnemonic = regexp.MustCompile(`^([A-Z]+) +(V\d+\..*)$`)
	operand  = regexp.MustCompile(`(?:V(\d+)\.(?:(4S)|S\[(\d)\])|#0)`)
)

// encode returns the bits of an instruction in the notation of the ARM manual, destination first: FMUL V1.4S,
// V2.4S, V3.S[0]. ok is false if the instruction is not in the table.
func encode(line string) (bits uint32, ok bool) {
	m := mnemonic.FindStringSubmatch(line)
	if m == nil {
		return 0, false
	}
	var fields uint32
	form, shifts := m[1], [...]int{0, 5, 16}
	for i, op := range operand.FindAllStringSubmatch(m[2], 3) {
		kind := "#0"
		if op[1] != "" {
			fields |= number(op[1], 32) << shifts[i]
			kind = "V"
		}
		if op[3] != "" {
			e := number(op[3], 4)
			fields |= e&1<<21 | e>>1<<11
			kind = "E"
		}
		form += [...]string{" ", ",", ","}[i] + kind
	}
	bits, ok = opcodes[form]
	return bits | fields, ok
}

// number parses a register or an element.
func number(s string, limit uint64) uint32 {
	n, err := strconv.ParseUint(s, 10, 32)
	if err != nil || n >= limit {
		panic(fmt.Sprintf("asmgen: %s is not below %d", s, limit))
	}
	return uint32(n)
}
