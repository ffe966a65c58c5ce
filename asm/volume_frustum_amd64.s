//go:build amd64 && !purego

#include "textflag.h"
#include "go_asm.h"
#include "walk_amd64.h"
#include "planes_amd64.h"

// The frustum kernels: the six planes one after the other.

#define COEF(i, k) (Planes_Coef+16*i+4*k)(DX)
#define OFFSET(i, k) (Planes_Off+16*i+4*k)(DX)

// Coefficients of plane i into four registers.
#define LOADPLANE(i, NX, NY, NZ, D) \
	VBROADCASTSS COEF(i, 0), NX \
	VBROADCASTSS COEF(i, 1), NY \
	VBROADCASTSS COEF(i, 2), NZ \
	VBROADCASTSS COEF(i, 3), D

// Z8 to Z31 hold the 24 coefficients during a whole call, Z7 is zero.
#define SIX512(PLANE) \
	PLANE(0, Z8, Z9, Z10, Z11)   \
	PLANE(1, Z12, Z13, Z14, Z15) \
	PLANE(2, Z16, Z17, Z18, Z19) \
	PLANE(3, Z20, Z21, Z22, Z23) \
	PLANE(4, Z24, Z25, Z26, Z27) \
	PLANE(5, Z28, Z29, Z30, Z31)

// Their lower halves.
#define SIXHALF512(PLANE) \
	PLANE(0, Y8, Y9, Y10, Y11)   \
	PLANE(1, Y12, Y13, Y14, Y15) \
	PLANE(2, Y16, Y17, Y18, Y19) \
	PLANE(3, Y20, Y21, Y22, Y23) \
	PLANE(4, Y24, Y25, Y26, Y27) \
	PLANE(5, Y28, Y29, Y30, Y31)

#define LOAD512 \
	SIX512(LOADPLANE) \
	VPXORD Y7, Y7, Y7

// K1 &= p-vertex inside, K2 &= n-vertex inside.
#define NODEPLANE512(i, NX, NY, NZ, D) \
	NODESUM512(i, NX, NY, NZ)     \
	VADDPS  D, Y1, Y1             \
	VADDPS  D, Y0, Y0             \
	VCMPPS  $0x1D, Y7, Y0, K1, K1 \
	VCMPPS  $0x1D, Y7, Y1, K2, K2

// The same with the wide d at the p-vertices of children not in K3.
#define NODEPLANEFAR512(i, NX, NY, NZ, D) \
	NODESUM512(i, NX, NY, NZ)     \
	VADDPS  D, Y1, Y1             \
	VADDPS.BCST (Planes_Wide+4*i)(DX), Y0, Y2 \
	VADDPS  D, Y0, K3, Y2         \
	VCMPPS  $0x1D, Y7, Y2, K1, K1 \
	VCMPPS  $0x1D, Y7, Y1, K2, K2

#define NODE512 \
	KXNORB K1, K1, K1         \
	KXNORB K2, K2, K2         \
	SIXHALF512(NODEPLANE512)

#define NODEFAR512 \
	KXNORB K1, K1, K1            \
	KXNORB K2, K2, K2            \
	NEAR512(Planes_Near, 32, Y0) \
	KORTESTB K3, K3              \
	JCS    near                  \
	SIXHALF512(NODEPLANEFAR512)  \
	JMP    tested                \
near:                           \
	SIXHALF512(NODEPLANE512)     \
tested:

// K1 &= p-vertex inside.
#define PACKETPLANE512(i, NX, NY, NZ, D) \
	PACKETSUM512(i, NX, NY, NZ)        \
	VADDPS D, Z0, Z0                   \
	VCMPPS $0x1D, Z7, Z0, K1, K1

// The same with the wide d for boxes not in K3.
#define PACKETPLANEFAR512(i, NX, NY, NZ, D) \
	PACKETSUM512(i, NX, NY, NZ)        \
	VADDPS.BCST (Planes_Wide+4*i)(DX), Z0, Z1 \
	VADDPS D, Z0, K3, Z1               \
	VCMPPS $0x1D, Z7, Z1, K1, K1

#define PACKET512 \
	KXNORW K1, K1, K1       \
	SIX512(PACKETPLANE512)  \
	KMOVW  K1, AX

#define PACKETFAR512 \
	KXNORW K1, K1, K1             \
	NEAR512(Planes_Near, 64, Z0)  \
	KORTESTW K3, K3               \
	JCS    near                   \
	SIX512(PACKETPLANEFAR512)     \
	JMP    tested                 \
near:                            \
	SIX512(PACKETPLANE512)        \
tested:                          \
	KMOVW  K1, AX

// func volumeNodesFrustumAVX512(w *VolumeWalk, nodes *Node, p *Planes, filter *NodeFilter, budget int)
TEXT ·volumeNodesFrustumAVX512(SB), NOSPLIT, $0-40
	NODES512(LOAD512, NODE512)

// func volumePacketsFrustumAVX512(out *Range, packets *Packet, slots *uint32, n int, p *Planes) (written int)
TEXT ·volumePacketsFrustumAVX512(SB), NOSPLIT, $0-48
	PACKETS(LOAD512, PACKET512)

// func volumeScanFrustumAVX512(out *Range, packets *Packet, first, n int, p *Planes) (written int)
TEXT ·volumeScanFrustumAVX512(SB), NOSPLIT, $0-48
	SCAN(LOAD512, PACKET512)

// func volumeNodesFrustumFarAVX512(w *VolumeWalk, nodes *Node, p *Planes, filter *NodeFilter, budget int)
TEXT ·volumeNodesFrustumFarAVX512(SB), NOSPLIT, $0-40
	NODES512(LOAD512, NODEFAR512)

// func volumePacketsFrustumFarAVX512(out *Range, packets *Packet, slots *uint32, n int, p *Planes) (written int)
TEXT ·volumePacketsFrustumFarAVX512(SB), NOSPLIT, $0-48
	PACKETS(LOAD512, PACKETFAR512)

// func volumeScanFrustumFarAVX512(out *Range, packets *Packet, first, n int, p *Planes) (written int)
TEXT ·volumeScanFrustumFarAVX512(SB), NOSPLIT, $0-48
	SCAN(LOAD512, PACKETFAR512)

// AVX2. Coefficients are broadcast from memory: 16 registers do not hold them.

#define SIX256(PLANE) PLANE(0) PLANE(1) PLANE(2) PLANE(3) PLANE(4) PLANE(5)

#define LOAD256 VPXOR Y12, Y12, Y12

#define BOTH256 SIGNS256(Y8, Y9)

#define WIDE256(i) VBROADCASTSS (Planes_Wide+4*i)(DX), Y4

#define NODE256 \
	VPCMPEQD Y8, Y8, Y8  \
	VPCMPEQD Y9, Y9, Y9  \
	SIX256(NODEPLANE256)

#define NODEFAR256 \
	VPCMPEQD Y8, Y8, Y8     \
	VPCMPEQD Y9, Y9, Y9     \
	NEAR256(Planes_Near, 32, 0, Y7) \
	VMOVMSKPS Y7, AX        \
	CMPL AX, $0xff          \
	JEQ  near               \
	SIX256(NODEPLANEFAR256) \
	JMP  tested             \
near:                      \
	SIX256(NODEPLANE256)    \
tested:

#define PACKET256 \
	VPCMPEQD  Y8, Y8, Y8   \
	VPCMPEQD  Y9, Y9, Y9   \
	SIX256(PACKETPLANE256) \
	LANES256

#define PACKETFAR256 \
	VPCMPEQD  Y8, Y8, Y8      \
	VPCMPEQD  Y9, Y9, Y9      \
	NEAR256(Planes_Near, 64, 0, Y7)  \
	NEAR256(Planes_Near, 64, 32, Y13) \
	VANDPS    Y7, Y13, Y0      \
	VMOVMSKPS Y0, AX          \
	CMPL AX, $0xff            \
	JEQ  near                 \
	SIX256(PACKETPLANEFAR256) \
	JMP  tested               \
near:                        \
	SIX256(PACKETPLANE256)    \
tested:                      \
	LANES256

// func volumeNodesFrustumAVX2(w *VolumeWalk, nodes *Node, p *Planes, filter *NodeFilter, budget int)
TEXT ·volumeNodesFrustumAVX2(SB), NOSPLIT, $0-40
	NODES256(LOAD256, NODE256)

// func volumePacketsFrustumAVX2(out *Range, packets *Packet, slots *uint32, n int, p *Planes) (written int)
TEXT ·volumePacketsFrustumAVX2(SB), NOSPLIT, $0-48
	PACKETS(LOAD256, PACKET256)

// func volumeScanFrustumAVX2(out *Range, packets *Packet, first, n int, p *Planes) (written int)
TEXT ·volumeScanFrustumAVX2(SB), NOSPLIT, $0-48
	SCAN(LOAD256, PACKET256)

// func volumeNodesFrustumFarAVX2(w *VolumeWalk, nodes *Node, p *Planes, filter *NodeFilter, budget int)
TEXT ·volumeNodesFrustumFarAVX2(SB), NOSPLIT, $0-40
	NODES256(LOAD256, NODEFAR256)

// func volumePacketsFrustumFarAVX2(out *Range, packets *Packet, slots *uint32, n int, p *Planes) (written int)
TEXT ·volumePacketsFrustumFarAVX2(SB), NOSPLIT, $0-48
	PACKETS(LOAD256, PACKETFAR256)

// func volumeScanFrustumFarAVX2(out *Range, packets *Packet, first, n int, p *Planes) (written int)
TEXT ·volumeScanFrustumFarAVX2(SB), NOSPLIT, $0-48
	SCAN(LOAD256, PACKETFAR256)
