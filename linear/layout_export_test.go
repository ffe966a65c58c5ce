package linear

import "github.com/zoctree/zoctree/soa"

// PlacesOf returns where the objects of a tree live.
func PlacesOf(t *Tree) *soa.IDs { return &t.ids }
