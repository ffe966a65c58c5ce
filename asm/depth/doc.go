// Package depth has the kernels of depth pictures: they rasterize occluders and build the levels by
// which package cull tests boxes.
//
//	DrawCones       rasterizes convex occluders into a depth [Picture]
//	BoxCone         makes a convex occluder of a box
//	DrawTile        rasterizes triangles into a [Tile] of depths; [RaiseTile] merges it
//	Pyramid         builds the levels of a picture
package depth
