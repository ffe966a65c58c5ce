// Package build has the kernels that build and change trees: Morton keys, the spatial partition of
// cells, packets and the boxes above them, the descent of inserted boxes, and replaced boxes.
//
//	Survey, EncodeBoxes, EncodePackets, DecodeKeys    bounds of input, Morton keys
//	Cut, CutRun                                       spatial partition
//	FillRecords, FillPackets                          packets
//	ReduceNodes, ReducePackets                        boxes above nodes and packets (refit)
//	ChooseSubtree                                          choice of a subtree for inserted boxes
//	WriteBoxes, WriteBalls, MoveBoxes, BallBoxes      replaced boxes and spheres
package build
