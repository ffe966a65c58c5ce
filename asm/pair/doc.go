// Package pair has the kernels of overlapping pairs (broad phase): two trees, or one tree and itself,
// are descended together.
//
//	PairNodes     tests the children of pairs of nodes
//	PairPackets   tests the boxes of pairs of packets
//	PairObjects   tests one box against a packet
//	EmitPairs     turns hits into pairs of IDs
package pair
