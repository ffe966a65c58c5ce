package linear_test

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"math"
	"path/filepath"
	"reflect"
	"runtime"
	"sync"
	"testing"
	"unsafe"

	"github.com/zoctree/zoctree/internal/testkit"
	"github.com/zoctree/zoctree/linear"
	"github.com/zoctree/zoctree/query"
	"github.com/zoctree/zoctree/query/collide"
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

// zeroArg returns an argument of a method of a tree, which inserts objects if possible, and may be passed
// twice.
func zeroArg(t *testing.T, method string, of reflect.Type) reflect.Value {
	t.Helper()
	box := cube(1, 2, 3, 1)
	var b linear.Batch
	b.InsertBatch(grid(3))
	for _, arg := range []any{
		soa.Object{Box: box}, grid(3), soa.Ball{Sphere: [4]float32{1, 2, 3, 4}}, []soa.Ball{{}, {Sphere: [4]float32{3: 1}}},
		[][3]float32{{1, 2, 3}, {4, 5, 6}}, []float32{1, 2, 3}, linear.Labels{Mask: 1}, box, []soa.AABB{box}, [4]float32{1, 2, 3, 0.5},
		[][4]float32{{1, 2, 3, 0.5}}, soa.OrientedBox{}, []soa.OrientedBox{{}}, []uint32{0}, []uint64{1}, &b, linear.RebuildOptions{Frozen: true},
	} {
		if reflect.TypeOf(arg) == of {
			return reflect.ValueOf(arg)
		}
	}
	switch of {
	case reflect.TypeFor[io.Writer]():
		return reflect.ValueOf(io.Discard)
	case reflect.TypeFor[context.Context]():
		return reflect.ValueOf(t.Context())
	case reflect.TypeFor[string]():
		return reflect.ValueOf(filepath.Join(t.TempDir(), "tree"))
	}
	return reflect.Zero(of)
}

// saidBy returns the results of a call as text, or its panic.
func saidBy(method reflect.Value, args []reflect.Value) (said string) {
	defer func() {
		p := recover()
		if _, bug := p.(runtime.Error); bug {
			panic(p)
		}
		if p != nil {
			said = fmt.Sprint("panic: ", p)
		}
	}()
	for _, out := range method.Call(args) {
		switch x := out.Interface().(type) {
		case linear.View:
			said += fmt.Sprint(x.Len(), x.Stats(), "; ")
		case *linear.Tree:
			said += linear.StateOf(x) + "; "
		default:
			if out.Kind() == reflect.Func { // an iterator
				n := 0
				out.Call([]reflect.Value{reflect.MakeFunc(out.Type().In(0), func([]reflect.Value) []reflect.Value {
					n++
					return []reflect.Value{reflect.ValueOf(true)}
				})})
				said += fmt.Sprint(n, " yielded; ")
				break
			}
			said += fmt.Sprintf("%+v; ", x)
		}
	}
	return said
}

// A zero tree behaves like an empty tree of the zero configuration, for any first method call.
func TestZeroTree(t *testing.T) {
	on := reflect.TypeFor[*linear.Tree]()
	ours := methodsOfTree(t)
	for i := range on.NumMethod() {
		name := on.Method(i).Name
		if !ours[name] {
			continue
		}
		var zero linear.Tree
		made := newTree(t, linear.Config{})
		for round := range 2 {
			var said [2]string
			for k, tree := range []*linear.Tree{&zero, made} {
				method := reflect.ValueOf(tree).MethodByName(name)
				var args []reflect.Value
				for a := range method.Type().NumIn() {
					args = append(args, zeroArg(t, name, method.Type().In(a)))
				}
				said[k] = saidBy(method, args)
			}
			if said[0] != said[1] {
				t.Errorf("%s, call %d: the zero tree says %s, an empty one %s", name, round, said[0], said[1])
			}
			if err := zero.Validate(); err != nil {
				t.Errorf("after %s: %v", name, err)
			}
			made.View()
			if linear.StateOf(&zero) != linear.StateOf(made) {
				t.Errorf("%s, call %d: the zero tree is\n%s\nan empty one\n%s", name, round, linear.StateOf(&zero), linear.StateOf(made))
			}
		}
		objects := grid(5)
		zero.Clear()
		ids := insert(t, &zero, objects)
		check(t, &zero, ids, objects)
	}
}

// asked returns the results of queries of every kind.
func asked(t *testing.T, v linear.View) string {
	t.Helper()
	box, err := query.NewBox([3]float32{-1, -1, -1}, [3]float32{2, 2, 2})
	must(t, err)
	ball, err := query.NewSphere([3]float32{0, 0, 0}, 2)
	must(t, err)
	ray, err := query.NewRay([3]float32{-9, 0, 0}, [3]float32{1, 0, 0}, 99)
	must(t, err)
	hit, ok := ray.First(v, query.Filter{})
	near, err := query.AppendNearest(nil, v, [3]float32{0, 0, 0}, 3, 99, query.Filter{})
	must(t, err)
	pairs := collide.Count(collide.Between(v, v), collide.Filter{})
	o, has := v.Object(0)
	return fmt.Sprint(box.Count(v, query.Filter{}), ball.Count(v, query.Filter{Exact: true}), hit, ok, near, pairs, o, has, v.Len(), v.Slots(), v.Bounds())
}

// Views of a zero tree are valid, also when several goroutines take the first one, and become stale with the
// first insertion.
func TestZeroTreeQueried(t *testing.T) {
	want := asked(t, newTree(t, linear.Config{}).View())
	var tree linear.Tree
	var all sync.WaitGroup
	for range 8 {
		all.Go(func() {
			if got := asked(t, tree.View()); got != want {
				t.Errorf("a zero tree answers %s, an empty one %s", got, want)
			}
			if s := tree.Stats(); tree.Clone().Len() != 0 || s.Objects != 0 || s.Workers == 0 {
				t.Errorf("a zero tree has %d objects and %d workers", s.Objects, s.Workers)
			}
		})
	}
	all.Wait()
	v := tree.View()
	id, err := tree.Insert(soa.Object{Box: cube(0, 0, 0, 1)})
	must(t, err)
	if testkit.Panic(func() { v.Len() }) == nil {
		t.Error("a view from before the first object is good")
	}
	if got := asked(t, tree.View()); got == want || id != 0 {
		t.Errorf("with the object %d the answer is still %s", id, got)
	}
}

// A zero tree can be a part of a scene.
func TestZeroTreeInstance(t *testing.T) {
	s, err := linear.NewScene(linear.Config{})
	must(t, err)
	var tree linear.Tree
	_, err = s.AddInstance(&tree, transformedAt(1, 2, 3), linear.InstanceOptions{})
	must(t, err)
	validScene(t, s)
	_, err = tree.Insert(soa.Object{Box: cube(0, 0, 0, 1)})
	must(t, err)
	must(t, s.Tick())
	validScene(t, s)
	if b := s.Bounds(); b != cube(1, 2, 3, 1) {
		t.Errorf("the bounds of the scene are %v", b)
	}
}

// A zero tree can be shared.
func TestZeroTreeShared(t *testing.T) {
	var tree linear.Tree
	s := linear.NewPublisher(&tree)
	h := s.Acquire()
	if n := h.View().Len(); n != 0 {
		t.Errorf("%d objects", n)
	}
	h.Release()
	insert(t, &tree, grid(3))
	s.Publish()
	if h = s.Acquire(); h.View().Len() != 27 {
		t.Errorf("%d objects published", h.View().Len())
	}
	h.Release()
	valid(t, &tree)
}
