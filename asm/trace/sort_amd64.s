//go:build amd64 && !purego

#include "textflag.h"

// The tables of sort_amd64.h.

// The lane indices.
DATA ·sortLanes+0(SB)/8, $0x0000000100000000
DATA ·sortLanes+8(SB)/8, $0x0000000300000002
DATA ·sortLanes+16(SB)/8, $0x0000000500000004
DATA ·sortLanes+24(SB)/8, $0x0000000700000006
DATA ·sortLanes+32(SB)/8, $0x0000000900000008
DATA ·sortLanes+40(SB)/8, $0x0000000b0000000a
DATA ·sortLanes+48(SB)/8, $0x0000000d0000000c
DATA ·sortLanes+56(SB)/8, $0x0000000f0000000e
GLOBL ·sortLanes(SB), RODATA|NOPTR, $64

// The sign bit and the lane indices.
DATA ·sortWanted+0(SB)/8, $0x8000000180000000
DATA ·sortWanted+8(SB)/8, $0x8000000380000002
DATA ·sortWanted+16(SB)/8, $0x8000000580000004
DATA ·sortWanted+24(SB)/8, $0x8000000780000006
DATA ·sortWanted+32(SB)/8, $0x8000000980000008
DATA ·sortWanted+40(SB)/8, $0x8000000b8000000a
DATA ·sortWanted+48(SB)/8, $0x8000000d8000000c
DATA ·sortWanted+56(SB)/8, $0x8000000f8000000e
GLOBL ·sortWanted(SB), RODATA|NOPTR, $64

// All bits of a nonnegative number except the bits of the lane.
DATA ·sortBits+0(SB)/8, $0x7ffffff07ffffff0
DATA ·sortBits+8(SB)/8, $0x7ffffff07ffffff0
DATA ·sortBits+16(SB)/8, $0x7ffffff07ffffff0
DATA ·sortBits+24(SB)/8, $0x7ffffff07ffffff0
GLOBL ·sortBits(SB), RODATA|NOPTR, $32

// The permutations that reverse each half of 16 lanes, and all 16 lanes.
DATA ·sortReverse8+0(SB)/8, $0x0000000600000007
DATA ·sortReverse8+8(SB)/8, $0x0000000400000005
DATA ·sortReverse8+16(SB)/8, $0x0000000200000003
DATA ·sortReverse8+24(SB)/8, $0x0000000000000001
DATA ·sortReverse8+32(SB)/8, $0x0000000e0000000f
DATA ·sortReverse8+40(SB)/8, $0x0000000c0000000d
DATA ·sortReverse8+48(SB)/8, $0x0000000a0000000b
DATA ·sortReverse8+56(SB)/8, $0x0000000800000009
GLOBL ·sortReverse8(SB), RODATA|NOPTR, $64

DATA ·sortReverse16+0(SB)/8, $0x0000000e0000000f
DATA ·sortReverse16+8(SB)/8, $0x0000000c0000000d
DATA ·sortReverse16+16(SB)/8, $0x0000000a0000000b
DATA ·sortReverse16+24(SB)/8, $0x0000000800000009
DATA ·sortReverse16+32(SB)/8, $0x0000000600000007
DATA ·sortReverse16+40(SB)/8, $0x0000000400000005
DATA ·sortReverse16+48(SB)/8, $0x0000000200000003
DATA ·sortReverse16+56(SB)/8, $0x0000000000000001
GLOBL ·sortReverse16(SB), RODATA|NOPTR, $64
