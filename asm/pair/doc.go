// Package pair has the kernels of overlapping pairs (broad phase): two trees, or one tree and itself,
// are descended together.
//
//	Nodes       tests the children of pairs of nodes
//	Packets     tests the boxes of pairs of packets
//	Objects     tests one box against a packet
//	EmitPairs   turns hits into pairs of IDs
package pair
