package linear_test

import (
	"runtime"
	"runtime/metrics"
	"testing"

	"github.com/zoctree/zoctree/linear"
)

// toScan returns the number of bytes that a mark phase may scan.
func toScan() int64 {
	runtime.GC()
	s := []metrics.Sample{{Name: "/gc/scan/heap:bytes"}}
	metrics.Read(s)
	return int64(s[0].Value.Uint64())
}

// The columns of a tree have no pointers: the garbage collector scans only some fixed buffers. A pointer for
// each packet would add half a byte per object, a pointer for each object eight bytes.
func TestNothingToScan(t *testing.T) {
	const n, fixed = 400_000, 128 << 10
	objects := sceneOf(t, "uniform", n)
	before := toScan()
	tree := newTree(t, linear.Config{})
	insert(t, tree, objects)
	rebuild(t, tree, false)
	tick(t, tree)
	if extra := toScan() - before; extra > fixed {
		t.Errorf("a tree of %d objects adds %d bytes to scan", tree.Len(), extra)
	}
	runtime.KeepAlive(tree)
	runtime.KeepAlive(objects)
}
