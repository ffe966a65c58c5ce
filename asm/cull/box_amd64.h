// The tests of a box: two ordered comparisons an axis, exact. 0x12 is <=, 0x1D is >=, comparing the
// register with memory. Empty lanes (minima +Inf, maxima -Inf) fail every test, as the query is
// finite.

// The six numbers of the query.
#define LOADBOX(MINX, MAXX, MINY, MAXY, MINZ, MAXZ) \
	VBROADCASTSS 0(DX), MINX   \
	VBROADCASTSS 4(DX), MAXX   \
	VBROADCASTSS 8(DX), MINY   \
	VBROADCASTSS 12(DX), MAXY  \
	VBROADCASTSS 16(DX), MINZ  \
	VBROADCASTSS 20(DX), MAXZ

#define LOAD512 LOADBOX(Z8, Z9, Z10, Z11, Z12, Z13)

// Tests the 16 boxes at BX: K1 are hit. Four chains of comparisons run in parallel for a node: the
// latency from a node to its child dominates small queries.
#define PACKET512 \
	VCMPPS $0x1D, (BX), Z9, K1          \
	VCMPPS $0x12, 64(BX), Z8, K2        \
	VCMPPS $0x1D, 128(BX), Z11, K1, K1  \
	VCMPPS $0x12, 192(BX), Z10, K2, K2  \
	VCMPPS $0x1D, 256(BX), Z13, K1, K1  \
	VCMPPS $0x12, 320(BX), Z12, K2, K2  \
	KANDW  K1, K2, K1

// K2 are contained.
#define NODE512 \
	PACKET512                           \
	VCMPPS $0x12, (BX), Z8, K2          \
	VCMPPS $0x1D, 64(BX), Z9, K3        \
	VCMPPS $0x12, 128(BX), Z10, K2, K2  \
	VCMPPS $0x1D, 192(BX), Z11, K3, K3  \
	VCMPPS $0x12, 256(BX), Z12, K2, K2  \
	VCMPPS $0x1D, 320(BX), Z13, K3, K3  \
	KANDW  K2, K3, K2

// AVX2.

#define LOAD256 LOADBOX(Y2, Y3, Y4, Y5, Y6, Y7)

// One axis of the eight children at BX, minima at the offset: Y8 &= hit, Y9 &= contained.
#define NODEAXIS256(OFF, QMIN, QMAX) \
	VCMPPS $0x1D, (OFF)(BX), QMAX, Y0    \
	VCMPPS $0x12, (OFF)(BX), QMIN, Y1    \
	VANDPS Y0, Y8, Y8                    \
	VANDPS Y1, Y9, Y9                    \
	VCMPPS $0x12, (OFF+64)(BX), QMIN, Y0 \
	VCMPPS $0x1D, (OFF+64)(BX), QMAX, Y1 \
	VANDPS Y0, Y8, Y8                    \
	VANDPS Y1, Y9, Y9

#define NODE256 \
	VPCMPEQD Y8, Y8, Y8       \
	VPCMPEQD Y9, Y9, Y9       \
	NODEAXIS256(0, Y2, Y3)    \
	NODEAXIS256(128, Y4, Y5)  \
	NODEAXIS256(256, Y6, Y7)

// The hit lanes of the eight boxes at BX, first column at the offset, into M.
#define HALFPACKET256(OFF, M) \
	VCMPPS $0x1D, (OFF)(BX), Y3, M      \
	VCMPPS $0x12, (OFF+64)(BX), Y2, Y1  \
	VANDPS Y1, M, M                     \
	VCMPPS $0x1D, (OFF+128)(BX), Y5, Y1 \
	VANDPS Y1, M, M                     \
	VCMPPS $0x12, (OFF+192)(BX), Y4, Y1 \
	VANDPS Y1, M, M                     \
	VCMPPS $0x1D, (OFF+256)(BX), Y7, Y1 \
	VANDPS Y1, M, M                     \
	VCMPPS $0x12, (OFF+320)(BX), Y6, Y1 \
	VANDPS Y1, M, M

#define PACKET256 \
	HALFPACKET256(0, Y8) \
	HALFPACKET256(32, Y9)
