//go:build amd64 && !purego

#include "textflag.h"
#include "go_asm.h"
#include "walk_amd64.h"
#include "planes_amd64.h"

// The frustum kernels: the six planes one after the other.

#define COEF(i, k) (Planes_Coef+16*i+4*k)(DX)
#define OFFSET(i, k) (Planes_Off+16*i+4*k)(DX)
#define WIDE(i) (Planes_Wide+4*i)(DX)
#define NUMBER(i)

// Z8 to Z25 hold the six normals during a whole call, Z7 is zero.
#define SIX512(PLANE) \
	PLANE(0, Z8, Z9, Z10)   \
	PLANE(1, Z11, Z12, Z13) \
	PLANE(2, Z14, Z15, Z16) \
	PLANE(3, Z17, Z18, Z19) \
	PLANE(4, Z20, Z21, Z22) \
	PLANE(5, Z23, Z24, Z25)

#define LOAD512 \
	SIX512(NORMAL512) \
	VPXORD Z7, Z7, Z7

// K1 &= p-vertex inside, K2 &= n-vertex inside.
#define CROSS512(i, NX, NY, NZ) PLANE512(i, NX, NY, NZ, PVERTEX, K1)
#define HOLDS512(i, NX, NY, NZ) PLANE512(i, NX, NY, NZ, NVERTEX, K2)

// The 16 boxes at BX: K1 are hit.
#define PACKET512 \
	KXNORW K0, K0, K1 \
	SIX512(CROSS512)

#define PACKETFAR512 \
	KXNORW K0, K0, K1    \
	NEAR512(Planes_Near) \
	KORTESTW K3, K3      \
	CLASS(SIX512(PLANEFAR512), SIX512(CROSS512))

// K2 are contained.
#define INSIDE512 \
	KXNORW K0, K0, K2 \
	SIX512(HOLDS512)

#define NODE512 \
	PACKET512 \
	INSIDE512

#define NODEFAR512 \
	PACKETFAR512 \
	INSIDE512

// func volumeNodesFrustumAVX512(w *VolumeWalk, nodes *Node, p *Planes, filter *NodeFilter, budget int)
TEXT ·volumeNodesFrustumAVX512(SB), NOSPLIT, $0-40
	NODES512(LOAD512, NODE512)

// func volumePacketsFrustumAVX512(out *Range, packets *Packet, slots *uint32, n int, p *Planes) (written int)
TEXT ·volumePacketsFrustumAVX512(SB), NOSPLIT, $0-48
	PACKETS(LOAD512, PACKET512, LANES512)

// func volumeWholeFrustumAVX512(w *VolumeWalk, nodes *Node, p *Planes, filter *NodeFilter, budget int, packets *Packet, ids, out *uint32, room, most int) (done, wrote int)
TEXT ·volumeWholeFrustumAVX512(SB), NOSPLIT, $8-96
	WHOLE512(LOAD512, NODE512, PACKET512)

// func volumeIDsFrustumAVX512(out *uint32, room int, packets *Packet, ids, slots *uint32, n int, p *Planes) (done, wrote int)
TEXT ·volumeIDsFrustumAVX512(SB), NOSPLIT, $8-72
	PACKETIDS(LOAD512, PACKET512, PUT512)

// func volumeScanFrustumAVX512(out *Range, packets *Packet, first, n int, p *Planes) (written int)
TEXT ·volumeScanFrustumAVX512(SB), NOSPLIT, $0-48
	SCAN(LOAD512, PACKET512, LANES512)

// func volumeNodesFrustumFarAVX512(w *VolumeWalk, nodes *Node, p *Planes, filter *NodeFilter, budget int)
TEXT ·volumeNodesFrustumFarAVX512(SB), NOSPLIT, $0-40
	NODES512(LOAD512, NODEFAR512)

// func volumePacketsFrustumFarAVX512(out *Range, packets *Packet, slots *uint32, n int, p *Planes) (written int)
TEXT ·volumePacketsFrustumFarAVX512(SB), NOSPLIT, $0-48
	PACKETS(LOAD512, PACKETFAR512, LANES512)

// func volumeIDsFrustumFarAVX512(out *uint32, room int, packets *Packet, ids, slots *uint32, n int, p *Planes) (done, wrote int)
TEXT ·volumeIDsFrustumFarAVX512(SB), NOSPLIT, $8-72
	PACKETIDS(LOAD512, PACKETFAR512, PUT512)

// func volumeScanFrustumFarAVX512(out *Range, packets *Packet, first, n int, p *Planes) (written int)
TEXT ·volumeScanFrustumFarAVX512(SB), NOSPLIT, $0-48
	SCAN(LOAD512, PACKETFAR512, LANES512)

// AVX2. Coefficients are broadcast from memory: 16 registers do not hold them.

#define SIX256(PLANE) PLANE(0) PLANE(1) PLANE(2) PLANE(3) PLANE(4) PLANE(5)

#define LOAD256 VPXOR Y12, Y12, Y12

#define BOTH256 SIGNS256(Y8, Y9)

#define NODE256 \
	VPCMPEQD Y8, Y8, Y8  \
	VPCMPEQD Y9, Y9, Y9  \
	SIX256(NODEPLANE256)

#define NODEFAR256 \
	VPCMPEQD Y8, Y8, Y8      \
	VPCMPEQD Y9, Y9, Y9      \
	NODENEAR256(Planes_Near) \
	VTESTPS  Y8, Y7          \
	CLASS(SIX256(NODEPLANEFAR256), SIX256(NODEPLANE256))

#define PACKET256 \
	VPCMPEQD Y8, Y8, Y8    \
	VPCMPEQD Y9, Y9, Y9    \
	SIX256(PACKETPLANE256)

#define PACKETFAR256 \
	VPCMPEQD Y8, Y8, Y8        \
	VPCMPEQD Y9, Y9, Y9        \
	PACKETNEAR256(Planes_Near) \
	VTESTPS  Y8, Y0            \
	CLASS(SIX256(PACKETPLANEFAR256), SIX256(PACKETPLANE256))

// func volumeNodesFrustumAVX2(w *VolumeWalk, nodes *Node, p *Planes, filter *NodeFilter, budget int)
TEXT ·volumeNodesFrustumAVX2(SB), NOSPLIT, $0-40
	NODES256(LOAD256, NODE256)

// func volumePacketsFrustumAVX2(out *Range, packets *Packet, slots *uint32, n int, p *Planes) (written int)
TEXT ·volumePacketsFrustumAVX2(SB), NOSPLIT, $0-48
	PACKETS(LOAD256, PACKET256, LANES256)

// func volumeWholeFrustumAVX2(w *VolumeWalk, nodes *Node, p *Planes, filter *NodeFilter, budget int, packets *Packet, ids, out *uint32, room, most int) (done, wrote int)
TEXT ·volumeWholeFrustumAVX2(SB), NOSPLIT, $8-96
	WHOLE256(LOAD256, NODE256, PACKET256)

// func volumeIDsFrustumAVX2(out *uint32, room int, packets *Packet, ids, slots *uint32, n int, p *Planes) (done, wrote int)
TEXT ·volumeIDsFrustumAVX2(SB), NOSPLIT, $8-72
	PACKETIDS(LOAD256, PACKET256, PUT256)

// func volumeScanFrustumAVX2(out *Range, packets *Packet, first, n int, p *Planes) (written int)
TEXT ·volumeScanFrustumAVX2(SB), NOSPLIT, $0-48
	SCAN(LOAD256, PACKET256, LANES256)

// func volumeNodesFrustumFarAVX2(w *VolumeWalk, nodes *Node, p *Planes, filter *NodeFilter, budget int)
TEXT ·volumeNodesFrustumFarAVX2(SB), NOSPLIT, $0-40
	NODES256(LOAD256, NODEFAR256)

// func volumePacketsFrustumFarAVX2(out *Range, packets *Packet, slots *uint32, n int, p *Planes) (written int)
TEXT ·volumePacketsFrustumFarAVX2(SB), NOSPLIT, $0-48
	PACKETS(LOAD256, PACKETFAR256, LANES256)

// func volumeIDsFrustumFarAVX2(out *uint32, room int, packets *Packet, ids, slots *uint32, n int, p *Planes) (done, wrote int)
TEXT ·volumeIDsFrustumFarAVX2(SB), NOSPLIT, $8-72
	PACKETIDS(LOAD256, PACKETFAR256, PUT256)

// func volumeScanFrustumFarAVX2(out *Range, packets *Packet, first, n int, p *Planes) (written int)
TEXT ·volumeScanFrustumFarAVX2(SB), NOSPLIT, $0-48
	SCAN(LOAD256, PACKETFAR256, LANES256)
