// Package trace has the kernels of ray casts, shape casts and searches for nearest neighbours.
//
// A [RayWalk] takes references from a stack, the nearest first, or lists all hits level by level. A
// [NearWalk] visits nodes and packets in the order of their squared distances.
package trace
