//go:build amd64 && !purego

#include "textflag.h"
#include "go_asm.h"
#include "walk_amd64.h"

// The sphere kernels. On each axis the distance of the centre c from a box is
// c - min(max(c, box.min), box.max), up to its sign; sums are (x + y) + z and
// never fused. The distance of an empty lane is infinite, the limit finite.

#define LOADSPHERE(X, Y, Z, SCALE, LIMIT) \
	VBROADCASTSS (Sphere_Center+0)(DX), X \
	VBROADCASTSS (Sphere_Center+4)(DX), Y \
	VBROADCASTSS (Sphere_Center+8)(DX), Z \
	VBROADCASTSS Sphere_Scale(DX), SCALE  \
	VBROADCASTSS Sphere_Limit(DX), LIMIT

// The square of the scaled distance on one axis; minima at LO, maxima at HI.
#define NEAREST(LO, HI, C, SCALE, D) \
	VMAXPS (LO)(BX), C, D \
	VMINPS (HI)(BX), D, D \
	VSUBPS D, C, D        \
	VMULPS SCALE, D, D    \
	VMULPS D, D, D

// The same for the further end of the interval.
#define FURTHEST(LO, HI, C, SCALE, D, T) \
	VMOVUPS (HI)(BX), D   \
	VSUBPS  C, D, D       \
	VSUBPS  (LO)(BX), C, T \
	VMAXPS  T, D, D       \
	VMULPS  SCALE, D, D   \
	VMULPS  D, D, D

#define LOAD512 LOADSPHERE(Z8, Z9, Z10, Z11, Z12)

// The 16 boxes at BX: K1 are hit.
#define PACKET512 \
	NEAREST(0, 64, Z8, Z11, Z0)     \
	NEAREST(128, 192, Z9, Z11, Z1)  \
	NEAREST(256, 320, Z10, Z11, Z2) \
	VADDPS Z1, Z0, Z0               \
	VADDPS Z2, Z0, Z0               \
	VCMPPS $0x12, Z12, Z0, K1

// K2 are contained.
#define NODE512 \
	PACKET512                             \
	FURTHEST(0, 64, Z8, Z11, Z0, Z13)     \
	FURTHEST(128, 192, Z9, Z11, Z1, Z14)  \
	FURTHEST(256, 320, Z10, Z11, Z2, Z15) \
	VADDPS Z1, Z0, Z0                     \
	VADDPS Z2, Z0, Z0                     \
	VCMPPS $0x12, Z12, Z0, K2

// func volumeNodesSphereAVX512(w *VolumeWalk, nodes *Node, p *Sphere, filter *NodeFilter, budget int)
TEXT ·volumeNodesSphereAVX512(SB), NOSPLIT, $0-40
	NODES512(LOAD512, NODE512)

// func volumePacketsSphereAVX512(out *Range, packets *Packet, slots *uint32, n int, p *Sphere) (written int)
TEXT ·volumePacketsSphereAVX512(SB), NOSPLIT, $0-48
	PACKETS(LOAD512, PACKET512, LANES512)

// func volumeWholeSphereAVX512(w *VolumeWalk, nodes *Node, p *Sphere, filter *NodeFilter, budget int, packets *Packet, ids, out *uint32, room, most int) (done, wrote int)
TEXT ·volumeWholeSphereAVX512(SB), NOSPLIT, $8-96
	WHOLE512(LOAD512, NODE512, PACKET512)

// func volumeIDsSphereAVX512(out *uint32, room int, packets *Packet, ids, slots *uint32, n int, p *Sphere) (done, wrote int)
TEXT ·volumeIDsSphereAVX512(SB), NOSPLIT, $8-72
	PACKETIDS(LOAD512, PACKET512, PUT512)

// func volumeScanSphereAVX512(out *Range, packets *Packet, first, n int, p *Sphere) (written int)
TEXT ·volumeScanSphereAVX512(SB), NOSPLIT, $0-48
	SCAN(LOAD512, PACKET512, LANES512)

// AVX2.

#define LOAD256 LOADSPHERE(Y3, Y4, Y5, Y6, Y7)

// The hit lanes of the eight boxes at BX, first column at the offset, into M.
#define HALF256(OFF, M) \
	NEAREST(OFF, OFF+64, Y3, Y6, Y0)      \
	NEAREST(OFF+128, OFF+192, Y4, Y6, Y1) \
	NEAREST(OFF+256, OFF+320, Y5, Y6, Y2) \
	VADDPS Y1, Y0, Y0                     \
	VADDPS Y2, Y0, Y0                     \
	VCMPPS $0x12, Y7, Y0, M

// The eight children at BX: Y8 are hit, Y9 contained.
#define NODE256 \
	HALF256(0, Y8)                        \
	FURTHEST(0, 64, Y3, Y6, Y0, Y11)      \
	FURTHEST(128, 192, Y4, Y6, Y1, Y11)   \
	FURTHEST(256, 320, Y5, Y6, Y2, Y11)   \
	VADDPS Y1, Y0, Y0                     \
	VADDPS Y2, Y0, Y0                     \
	VCMPPS $0x12, Y7, Y0, Y9

#define PACKET256 \
	HALF256(0, Y8) \
	HALF256(32, Y9)

// func volumeNodesSphereAVX2(w *VolumeWalk, nodes *Node, p *Sphere, filter *NodeFilter, budget int)
TEXT ·volumeNodesSphereAVX2(SB), NOSPLIT, $0-40
	NODES256(LOAD256, NODE256)

// func volumePacketsSphereAVX2(out *Range, packets *Packet, slots *uint32, n int, p *Sphere) (written int)
TEXT ·volumePacketsSphereAVX2(SB), NOSPLIT, $0-48
	PACKETS(LOAD256, PACKET256, LANES256)

// func volumeWholeSphereAVX2(w *VolumeWalk, nodes *Node, p *Sphere, filter *NodeFilter, budget int, packets *Packet, ids, out *uint32, room, most int) (done, wrote int)
TEXT ·volumeWholeSphereAVX2(SB), NOSPLIT, $8-96
	WHOLE256(LOAD256, NODE256, PACKET256)

// func volumeIDsSphereAVX2(out *uint32, room int, packets *Packet, ids, slots *uint32, n int, p *Sphere) (done, wrote int)
TEXT ·volumeIDsSphereAVX2(SB), NOSPLIT, $8-72
	PACKETIDS(LOAD256, PACKET256, PUT256)

// func volumeScanSphereAVX2(out *Range, packets *Packet, first, n int, p *Sphere) (written int)
TEXT ·volumeScanSphereAVX2(SB), NOSPLIT, $0-48
	SCAN(LOAD256, PACKET256, LANES256)
