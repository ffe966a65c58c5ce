// Package pair has the kernels of overlapping pairs (broad phase): two trees, or one tree and itself,
// are descended together.
//
//	Nodes       tests the children of pairs of nodes
//	Packets     tests the boxes of pairs of packets
//	Objects     tests one box against a packet
//	EmitPairs   turns hits into pairs of IDs
//
// For continuous collision detection, pairs of shapes in motion are tested in float64:
//
//	ReadMoving   reads shapes of objects: boxes, balls and oriented boxes, with their motions
//	KeepMeeting  tests the bounds of pairs of shapes during a step
//	Judge        decides by projections for most pairs whether they touch
package pair
