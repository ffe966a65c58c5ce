package linear

import "github.com/zoctree/zoctree/soa"

// PlacesOf returns the table of the locations of a tree's objects.
func PlacesOf(t *Tree) *soa.IDs { return &t.octree.IDs }
