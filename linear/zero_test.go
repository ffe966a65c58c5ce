package linear_test

import (
	"bytes"
	"math"
	"testing"
	"unsafe"

	"github.com/zoctree/zoctree/internal/testkit"
	"github.com/zoctree/zoctree/linear"
	"github.com/zoctree/zoctree/soa"
)

// bitsOf returns a copy of the bytes of a column.
func bitsOf[T any](column []T) []byte {
	var x T
	return bytes.Clone(unsafe.Slice((*byte)(unsafe.Pointer(unsafe.SliceData(column))), len(column)*int(unsafe.Sizeof(x))))
}

// storeBits are the columns of a store, bit by bit.
func storeBits(s *soa.Store) map[string][]byte {
	n, p := &s.Nodes, &s.Packets
	return map[string][]byte{
		"nodes": bitsOf(n.Hot), "ups": bitsOf(n.Parents), "node keys": bitsOf(n.Keys), "cells": bitsOf(n.Cells), "lanes": bitsOf(n.Used),
		"bounds": bitsOf(p.Bounds), "IDs": bitsOf(p.IDs), "masks": bitsOf(p.Masks), "moving": bitsOf(p.Moving),
		"counts": bitsOf(p.Counts), "owners": bitsOf(p.Parents), "homes": bitsOf(p.PlacementBoxes), "extent": bitsOf(s.Extent[:]),
	}
}

// plusZeros fails at a bound of a node that is -0.
func plusZeros(t *testing.T, s *soa.Store) (zeros int) {
	t.Helper()
	for i := range s.Nodes.Hot {
		for c, column := range s.Nodes.Hot[i].Bounds {
			for l, x := range column {
				if x == 0 && math.Signbit(float64(x)) {
					t.Fatalf("node %d, column %d, lane %d is -0", i, c, l)
				}
				if x == 0 && s.Nodes.Hot[i].Child[l] != 0 {
					zeros++
				}
			}
		}
	}
	return zeros
}

// Objects at zeros of both signs give the same tree, bit by bit, on every tier, after builds, growth of boxes,
// refits and rebuilds.
func TestZerosEverywhere(t *testing.T) {
	minus0 := float32(math.Copysign(0, -1))
	zero := [...]float32{0, minus0}
	var objects []soa.Object
	for i := range 300 {
		var o soa.Object
		for a := range 3 {
			lo, hi := zero[i>>a&1], zero[i>>(a+1)&1]
			switch (i + 7*a) % 5 {
			case 0:
				lo, hi = float32(i%60)-30, float32(i%60)-30
			case 1:
				hi = float32(i % 7)
			case 2:
				lo = -float32(i % 3)
			}
			o.Box.Min[a], o.Box.Max[a] = min(lo, hi), max(lo, hi)
			if lo == hi {
				o.Box.Min[a], o.Box.Max[a] = lo, hi // unchanged
			}
		}
		o.Mask = 1
		objects = append(objects, o)
	}
	for _, cfg := range []linear.Config{{}, {Frozen: true}, {Workers: 2}} {
		var want []map[string][]byte
		testkit.EachTier(t, func(t *testing.T) {
			step, zeros := 0, 0
			tree := newTree(t, cfg)
			same := func(what string) {
				t.Helper()
				s := tree.View().Store()
				zeros += plusZeros(t, s)
				got := storeBits(s)
				if step == len(want) {
					want = append(want, got)
				}
				for name := range got {
					if !bytes.Equal(got[name], want[step][name]) {
						t.Errorf("%s: %s differ from those of another tier", what, name)
					}
				}
				step++
				if err := tree.Validate(); err != nil {
					t.Fatalf("%s: %v", what, err)
				}
			}
			insert(t, tree, objects[:20])
			same("a few points")
			ids := insert(t, tree, objects[20:])
			same("pending objects")
			must(t, tree.Flush())
			same("a flush")
			for i, id := range ids[:40] {
				box := objects[(7*i)%len(objects)].Box
				must(t, tree.Move(id, box))
			}
			same("moves")
			var boxes []soa.AABB
			for i := range ids {
				boxes = append(boxes, objects[(i*11)%len(objects)].Box)
			}
			must(t, tree.MoveBatch(ids, boxes))
			same("a batch of moves")
			tree.Refit()
			same("a refit")
			rebuild(t, tree, false)
			same("a rebuild")
			rebuild(t, tree, true)
			same("a frozen rebuild")
			if zeros < 100 {
				t.Errorf("%d bounds of nodes are zero", zeros)
			}
		})
	}
}
