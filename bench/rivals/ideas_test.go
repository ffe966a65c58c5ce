package main

import (
	"go/parser"
	"go/token"
	"maps"
	"math"
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/zoctree/zoctree/bench/internal/must"
	"github.com/zoctree/zoctree/linear"
	"github.com/zoctree/zoctree/query"
	"github.com/zoctree/zoctree/query/collide"
	"github.com/zoctree/zoctree/query/occlude"
)

// cubeAt returns a box about a point on the x axis.
func cubeAt(x, half float32) linear.AABB {
	return linear.BoxAround([3]float32{x, 0, 0}, [3]float32{half, half, half})
}

// rowOf returns n objects in a row, which begin at x = 0, two units apart, with edges of 1 and the mask 1.
func rowOf(n int) (objects []linear.Object) {
	for i := range n {
		objects = append(objects, linear.Object{Box: cubeAt(float32(2*i), 0.5), Mask: 1})
	}
	return objects
}

// treeOf returns a tree of objects.
func treeOf(cfg linear.Config, objects []linear.Object) (*linear.Tree, []uint32) {
	tree := must.Get(linear.New(cfg))
	return tree, must.Get(tree.InsertBatch(nil, objects))
}

func length[T any](seq func(func(T) bool)) (n int) {
	for range seq {
		n++
	}
	return n
}

// eye is a camera at the origin that looks along x.
var eye = query.Camera{Forward: [3]float64{1, 0, 0}, Up: [3]float64{0, 0, 1}, FovY: 1, Aspect: 1, Near: 0.1, Far: query.Unlimited}

func is[T comparable](t *testing.T, got, want T) {
	t.Helper()
	if got != want {
		t.Errorf("%v, want %v", got, want)
	}
}

// ideas run the calls of the rows of the table in the package comment.
var ideas = map[string]func(t *testing.T){
	"cubes, divided into eight": func(t *testing.T) {
		var objects []linear.Object
		for i := range 40_000 {
			c := [3]float32{float32(i % 34), float32(i / 34 % 34), float32(i / 34 / 34)}
			objects = append(objects, linear.Object{Box: linear.BoxAround(c, [3]float32{0.25, 0.25, 0.25})})
		}
		tree, _ := treeOf(linear.Config{}, nil)
		ids := must.Get(tree.InsertBatch(nil, objects))
		n := 0
		for cell := range tree.Cells() {
			n += cell.Count
			x, z := cell.Box.Max[0]-cell.Box.Min[0], cell.Box.Max[2]-cell.Box.Min[2]
			is(t, x == z || x == 2*z || z == 2*x, true) // a cube, halved on one axis after the other
		}
		is(t, n, len(ids))
	},
	"cubes have a minimum size": func(t *testing.T) {
		tree, _ := treeOf(linear.Config{MinCell: 64}, rowOf(200))
		for cell := range tree.Cells() {
			is(t, cell.Box.Max[0]-cell.Box.Min[0] >= 64, true)
		}
	},
	"new objects are queued and placed together": func(t *testing.T) {
		tree, _ := treeOf(linear.Config{PendingMin: 1000}, rowOf(50))
		tree.View()
		for _, o := range rowOf(100) {
			must.Get(tree.Insert(o))
		}
		is(t, tree.Stats().Pending, 100)
		must.Do(tree.Flush())
		is(t, tree.Stats().Pending, 0)
	},
	"the first objects build the tree at once": func(t *testing.T) {
		tree, _ := treeOf(linear.Config{}, nil)
		must.Do(tree.Build(nil, rowOf(500), linear.RebuildOptions{}))
		is(t, tree.Stats().Objects, 500)
		is(t, tree.Stats().Pending, 0)
	},
	"the world grows until it holds all objects": func(t *testing.T) {
		tree, _ := treeOf(linear.Config{World: cubeAt(0, 10), GrowShare: 2}, rowOf(4))
		for i := range 100 {
			must.Get(tree.Insert(linear.Object{Box: cubeAt(float32(1000+i), 1)}))
		}
		must.Do(tree.Tick())
		is(t, tree.World().Side() > 1000, true)
	},
	"a moved object starts from its former node": func(t *testing.T) {
		tree, ids := treeOf(linear.Config{}, rowOf(100))
		must.Do(tree.Move(ids[3], cubeAt(6.01, 0.5)))
		must.Do(tree.MoveBatch(ids[4:6], []linear.AABB{cubeAt(8.01, 0.5), cubeAt(10.01, 0.5)}))
		o, ok := tree.Object(ids[5])
		is(t, ok, true)
		is(t, o.Box, cubeAt(10.01, 0.5))
	},
	"dead objects leave at the end of the frame": func(t *testing.T) {
		tree, ids := treeOf(linear.Config{}, rowOf(100))
		dead := make([]uint64, 2)
		dead[0] |= 1 << ids[7]
		must.Do(tree.RemoveDirty(dead))
		must.Do(tree.Tick())
		is(t, tree.Len(), 99)
	},
	"empty leaves stay, longer if they are reused": func(t *testing.T) {
		nodes := func(lifespan int) int {
			tree, ids := treeOf(linear.Config{Lifespan: lifespan}, rowOf(2000))
			must.Do(tree.RemoveBatch(ids[:1000]))
			must.Do(tree.Tick())
			must.Do(tree.Tick())
			return tree.Stats().Nodes
		}
		is(t, nodes(8) > nodes(linear.Off), true)
	},
	"bounding boxes and bounding spheres": func(t *testing.T) {
		tree, _ := treeOf(linear.Config{}, rowOf(1))
		id := must.Get(tree.InsertBall(linear.Ball{Sphere: [4]float32{20, 0, 0, 1}}))
		corner := must.Get(query.NewPoint([3]float32{20.9, 0.9, 0.9}))
		is(t, corner.Count(tree.View(), query.Filter{}), 1)
		is(t, corner.Count(tree.View(), query.Filter{Exact: true}), 0)
		_, ok := tree.Sphere(id)
		is(t, ok, true)
	},
	"all collisions in one pass": func(t *testing.T) {
		objects := rowOf(100)
		for i := range objects {
			objects[i].Box.Max[0] += 1.25 // it overlaps the next
		}
		tree, _ := treeOf(linear.Config{}, objects)
		is(t, len(collide.Append(nil, collide.Within(tree.View()), collide.Filter{})), 99)
	},
	"only what has moved is tested again": func(t *testing.T) {
		tree, ids := treeOf(linear.Config{Log: true}, rowOf(100))
		var tracker collide.Tracker
		must.Do(tracker.Update(tree.View()))
		must.Do(tree.Move(ids[1], cubeAt(0.5, 0.5)))
		must.Do(tracker.Update(tree.View()))
		is(t, len(tracker.Began()), 1)
	},
	"static objects do not collide with each other": func(t *testing.T) {
		objects := []linear.Object{{Box: cubeAt(0, 1), Static: true}, {Box: cubeAt(1, 1), Static: true}, {Box: cubeAt(2, 1)}}
		tree, _ := treeOf(linear.Config{}, objects)
		v := collide.Within(tree.View())
		is(t, len(collide.Append(nil, v, collide.Filter{})), 2)
		is(t, len(collide.Append(nil, v, collide.Filter{StaticPairs: true})), 3)
	},
	"types of objects, for queries and collisions": func(t *testing.T) {
		tree, _ := treeOf(linear.Config{}, []linear.Object{{Box: cubeAt(0, 1), Mask: 1}, {Box: cubeAt(1, 1), Mask: 2}})
		all := must.Get(query.NewBox([3]float32{-9, -9, -9}, [3]float32{9, 9, 9}))
		is(t, all.Count(tree.View(), query.Filter{Mask: 2}), 1)
		var none collide.Layers
		is(t, len(collide.Append(nil, collide.Within(tree.View()), collide.Filter{Layers: &none})), 0)
	},
	"records of collisions, with point and normal": func(t *testing.T) {
		tree, _ := treeOf(linear.Config{}, []linear.Object{{Box: cubeAt(0, 1)}, {Box: cubeAt(1.5, 1)}})
		v := collide.Within(tree.View())
		contacts := collide.AppendContacts(nil, v, collide.Append(nil, v, collide.Filter{}))
		is(t, len(contacts), 1)
		is(t, contacts[0].Normal, [3]float32{1, 0, 0})
		is(t, contacts[0].Depth, 0.5)
	},
	"fast balls meet between two frames": func(t *testing.T) {
		var steps linear.Column[collide.Step]
		steps.Set(0, collide.Displace(cubeAt(0, 1), [3]float32{20, 0, 0}))
		tree, ids := treeOf(linear.Config{}, []linear.Object{{Box: steps.At(0).Swept()}, {Box: linear.BoxAround([3]float32{10, 1.8, 1.8}, [3]float32{1, 1, 1})}})
		must.Do(tree.SetSphere(ids[0], [4]float32{0, 0, 0, 1}))
		must.Do(tree.SetSphere(ids[1], [4]float32{10, 1.8, 1.8, 1}))
		v := collide.Within(tree.View())
		is(t, len(collide.AppendImpacts(nil, v, &steps, nil, collide.Filter{})), 1)
		is(t, len(collide.AppendImpacts(nil, v, &steps, nil, collide.Filter{Exact: true})), 0) // they pass at 2.55
	},
	"bullets in each frame, smoke when there is time": func(t *testing.T) {
		objects := rowOf(400)
		objects[399].Mask = 2 // the bullet
		objects[399].Box = objects[398].Box
		tree, _ := treeOf(linear.Config{Log: true}, objects)
		tracker := collide.BudgetTracker{Budget: 8, Classes: []collide.Class{{Mask: 2, Period: 1, Share: 4}, {Mask: 1, Period: 1, Share: 4}}}
		for range 2 {
			must.Do(tracker.Update(tree.View()))
		}
		is(t, slices.Contains(tracker.Found(), collide.Pair{A: 398, B: 399}), true)
	},
	"frustum culling": func(t *testing.T) {
		tree, _ := treeOf(linear.Config{}, rowOf(10))
		behind := eye
		behind.Eye[0] = 9
		is(t, len(must.Get(behind.Frustum()).Append(nil, tree.View(), query.Filter{})), 5)
	},
	"the first hit of a ray, and all hits": func(t *testing.T) {
		tree, _ := treeOf(linear.Config{}, rowOf(10))
		ray := must.Get(query.NewRay([3]float32{-10, 0, 0}, [3]float32{1, 0, 0}, 15))
		h, ok := ray.First(tree.View(), query.Filter{})
		is(t, ok, true)
		is(t, h.Dist, 9.5)
		is(t, len(ray.Append(nil, tree.View(), query.Filter{})), 3)
	},
	"objects in a region": func(t *testing.T) {
		tree, _ := treeOf(linear.Config{}, rowOf(10))
		box := must.Get(query.NewBox([3]float32{0, 0, 0}, [3]float32{4, 1, 1}))
		is(t, len(box.Append(nil, tree.View(), query.Filter{})), 3)
		sphere := must.Get(query.NewSphere([3]float32{}, 1.75))
		is(t, len(sphere.Append(nil, tree.View(), query.Filter{})), 2)
	},
	"selection with the mouse": func(t *testing.T) {
		tree, _ := treeOf(linear.Config{}, rowOf(10)[5:])
		v := must.Get(eye.Viewport(100, 100))
		ray := must.Get(v.PickRay(50, 50))
		h, ok := ray.First(tree.View(), query.Filter{})
		is(t, ok, true)
		is(t, h.ID, 0)
		is(t, must.Get(v.PickFrustum(45, 45, 55, 55)).Count(tree.View(), query.Filter{}), 5)
	},
	"a level of detail for each visible object": func(t *testing.T) {
		tree, _ := treeOf(linear.Config{}, rowOf(10)[1:])
		f := must.Get(eye.Frustum())
		levels := must.Get(f.Levels(0.125, 0.5, 0.1))
		var last linear.Column[uint8]
		ids := f.Append(nil, tree.View(), query.Filter{})
		lods := levels.Append(nil, tree.View(), ids, &last)
		is(t, len(lods), 9)
		is(t, last.Get(0) < last.Get(8), true)
	},
	"nodes are split where their objects are": func(t *testing.T) {
		for _, cut := range []linear.Cut{linear.CutSpace, linear.CutCurve} {
			tree, _ := treeOf(linear.Config{Cut: cut}, rowOf(1000))
			most := 0
			for packet := range tree.Packets() {
				most = max(most, packet.Count)
			}
			is(t, most <= 16, true)
			must.Do(tree.Validate())
		}
	},
	"a split that separates nothing is left out": func(t *testing.T) {
		objects := slices.Repeat(rowOf(1), 100) // all at one place
		tree, _ := treeOf(linear.Config{}, objects)
		packets := length(tree.Packets())
		is(t, packets < 10, true)
		for cell := range tree.Cells() {
			is(t, cell.Packets, packets)
		}
	},
	"splits wait for the first query": func(t *testing.T) {
		tree, _ := treeOf(linear.Config{}, rowOf(100))
		tree.View()
		must.Get(tree.InsertBatch(nil, rowOf(5000)))
		is(t, tree.View().Len(), 5100)
		is(t, tree.Stats().Pending < 5000, true)
	},
	"splits ahead, in the time left of a frame": func(t *testing.T) {
		tree, _ := treeOf(linear.Config{TickBudget: 100}, rowOf(10_000))
		must.Get(tree.InsertBatch(nil, rowOf(1000)))
		left := func() int { st := tree.Stats(); return st.Pending + st.Grafted + st.Uncut }
		before := left()
		must.Do(tree.Tick())
		after := left()
		is(t, after > 0 && after < before, true)
		for range 500 {
			must.Do(tree.Tick())
		}
		is(t, left(), 0)
	},
	"tight bounds grow at once": func(t *testing.T) {
		tree, ids := treeOf(linear.Config{}, rowOf(100))
		must.Do(tree.Move(ids[0], cubeAt(-50, 0.5)))
		is(t, tree.Bounds().Min[0], -50.5)
	},
	"and shrink when they are needed": func(t *testing.T) {
		tree, ids := treeOf(linear.Config{Policy: linear.PolicyRefit}, rowOf(100))
		must.Do(tree.Move(ids[0], cubeAt(-50, 0.5)))
		must.Do(tree.Move(ids[0], cubeAt(0, 0.5)))
		tree.Refit()
		is(t, tree.Bounds().Min[0], -0.5)
	},
	"empty branches are freed": func(t *testing.T) {
		tree, ids := treeOf(linear.Config{Lifespan: linear.Off}, rowOf(2000))
		nodes, slots := tree.Stats().Nodes, tree.View().Slots()
		must.Do(tree.RemoveBatch(ids[10:]))
		must.Do(tree.Tick())
		tree.Trim()
		is(t, tree.Stats().Nodes < nodes && tree.View().Slots() < slots, true)
	},
	"a world without bounds": func(t *testing.T) {
		tree, _ := treeOf(linear.Config{Outside: linear.OutsideKeep}, rowOf(10))
		must.Get(tree.Insert(linear.Object{Box: cubeAt(1e12, 1)}))
		is(t, must.Get(query.NewPoint([3]float32{1e12, 0, 0})).Count(tree.View(), query.Filter{}), 1)
	},
	"bounds are a sphere and an oriented box": func(t *testing.T) {
		pole := linear.OrientedBox{Axes: [3][3]float32{{3, 3, 0}, {-0.1, 0.1, 0}, {0, 0, 0.1}}}
		tree, ids := treeOf(linear.Config{}, []linear.Object{{Box: cubeAt(0, 4)}})
		must.Do(tree.SetOriented(ids[0], pole))
		must.Do(tree.SetSphere(ids[0], [4]float32{0, 0, 0, 2}))
		for x, want := range map[[3]float32]int{{1, 1, 0}: 1, {1, -1, 0}: 0, {2.5, 2.5, 0}: 0} {
			is(t, must.Get(query.NewSphere(x, 0.2)).Count(tree.View(), query.Filter{Exact: true}), want)
		}
	},
	"and so for visibility": func(t *testing.T) {
		// A diagonal pole behind a wall: its box extends beyond the wall, the pole does not.
		pole := linear.OrientedBox{Center: [3]float32{30, 0, 0}, Axes: [3][3]float32{{8, 8, 0}, {-0.1, 0.1, 0}, {0, 0, 0.1}}}
		tree, ids := treeOf(linear.Config{}, []linear.Object{{Box: cubeAt(30, 1)}})
		must.Do(tree.MoveOriented(ids[0], pole))
		culler := must.Get(occlude.New(occlude.Config{}))
		must.Do(culler.SetCamera(eye))
		culler.DrawBoxes(linear.AABB{Min: [3]float32{10, -4.5, -2}, Max: [3]float32{10.1, 2.7, 2}})
		v := tree.View()
		is(t, len(culler.Append(nil, v, query.Filter{})), 1)
		is(t, len(culler.Append(nil, v, query.Filter{Exact: true})), 0)
	},
	"objects as the volumes that they sweep": func(t *testing.T) {
		var steps linear.Column[collide.Step]
		steps.Set(0, collide.Displace(cubeAt(0, 1), [3]float32{10, 0, 0}))
		tree, _ := treeOf(linear.Config{}, []linear.Object{{Box: steps.At(0).Swept()}, {Box: cubeAt(8, 1)}})
		impacts := collide.AppendImpacts(nil, collide.Within(tree.View()), &steps, nil, collide.Filter{})
		is(t, len(impacts), 1)
		is(t, math.Abs(float64(impacts[0].Time)-0.6) < 1e-6, true)
	},
	"the visible objects of the last frame occlude": func(t *testing.T) {
		wall := linear.AABB{Min: [3]float32{10, -50, -50}, Max: [3]float32{11, 50, 50}}
		objects := append([]linear.Object{{Box: wall, Mask: 2}}, rowOf(100)[10:]...)
		tree, ids := treeOf(linear.Config{}, objects)
		hull := must.Get(occlude.NewPrism([][2]float32{{10, -50}, {11, -50}, {11, 50}, {10, 50}}, -50, 50))
		var shapes linear.Column[occlude.Shape]
		shapes.Set(ids[0], occlude.Shape{Hull: &hull})
		culler := must.Get(occlude.New(occlude.Config{OccluderMask: 2}))
		culler.SetShapes(&shapes)
		var visible []uint32
		for range 3 {
			must.Do(culler.SetCamera(eye))
			visible = culler.Append(visible[:0], tree.View(), query.Filter{})
		}
		is(t, slices.Equal(visible, ids[:1]), true)
	},
	"occlusion of what is in the frustum": func(t *testing.T) {
		culler := must.Get(occlude.New(occlude.Config{}))
		must.Do(culler.SetCamera(eye))
		culler.DrawBoxes(linear.AABB{Min: [3]float32{10, -50, -50}, Max: [3]float32{11, 50, 50}})
		is(t, culler.Occluded(cubeAt(20, 1)), true)
		is(t, culler.Occluded(cubeAt(5, 1)), false)
	},
	"a full leaf splits, a thin subtree merges": func(t *testing.T) {
		tree, ids := treeOf(linear.Config{SplitAbove: 8, MergeBelow: 4, Policy: linear.PolicyIncremental}, rowOf(200))
		slots := length(tree.Packets())
		must.Do(tree.RemoveBatch(ids[20:]))
		for range 20 {
			must.Do(tree.Tick())
		}
		is(t, length(tree.Packets()) < slots, true)
	},
	"enlarged cells: a small move changes no cell": func(t *testing.T) {
		tree, ids := treeOf(linear.Config{Slack: 50}, rowOf(200))
		must.Do(tree.Tick())
		must.Do(tree.Move(ids[50], cubeAt(100.1, 0.5)))
		must.Do(tree.Tick())
		is(t, tree.Work().Moved, 1)
		is(t, tree.Work().Placed, 0)
	},
	"cells over the borders of others (27 children)": func(t *testing.T) {
		objects := rowOf(200)
		objects[0].Box = cubeAt(200, 150) // it straddles every border, and costs no walk from the root
		tree, _ := treeOf(linear.Config{}, objects)
		n := 0
		for cell := range tree.Cells() {
			for packet := range tree.PacketsOf(cell) {
				n += packet.Count
			}
		}
		is(t, n, 200)
	},
	"objects outside, until there are too many": func(t *testing.T) {
		tree, _ := treeOf(linear.Config{World: cubeAt(0, 100), GrowShare: 50}, rowOf(40))
		must.Get(tree.Insert(linear.Object{Box: cubeAt(500, 1)}))
		must.Do(tree.Tick())
		is(t, tree.World().Side() < 300, true)
	},
	"the root shrinks to the octant of all objects": func(t *testing.T) {
		tree, ids := treeOf(linear.Config{ShrinkShare: 2}, rowOf(1000))
		side := tree.World().Side()
		must.Do(tree.RemoveBatch(ids[50:]))
		for range 50 {
			must.Do(tree.Tick())
		}
		is(t, tree.World().Side() < side, true)
	},
	"updates are local": func(t *testing.T) {
		tree, ids := treeOf(linear.Config{}, rowOf(10_000))
		must.Do(tree.Tick())
		must.Do(tree.Move(ids[0], cubeAt(0.01, 0.5)))
		must.Do(tree.Tick())
		is(t, tree.Work().Rebuilt, 0)
	},
	"a query takes any volume": func(t *testing.T) {
		tree, _ := treeOf(linear.Config{}, rowOf(10))
		stripes := must.Get(query.NewFunc(cubeAt(0, 100), func(box linear.AABB) query.Relation {
			if box.Max[0] < 4 || box.Min[0] > 8 {
				return query.Outside
			}
			return query.Partly
		}))
		is(t, len(stripes.Append(nil, tree.View(), query.Filter{})), 3)
	},
	"cones of light, beams, capsules of characters": func(t *testing.T) {
		tree, _ := treeOf(linear.Config{}, rowOf(10))
		a, b := [3]float32{-1, 0, 0}, [3]float32{7, 0, 0}
		is(t, must.Get(query.NewCone(a, [3]float32{1, 0, 0}, 8, 0.5)).Count(tree.View(), query.Filter{}), 4)
		is(t, must.Get(query.NewCylinder(a, b, 0.25)).Count(tree.View(), query.Filter{}), 4)
		is(t, must.Get(query.NewCapsule(a, b, 0.75)).Count(tree.View(), query.Filter{}), 5)
	},
	"the volumes of a camera and of physics": func(t *testing.T) {
		tree, _ := treeOf(linear.Config{}, rowOf(10))
		box := must.Get(query.NewOrientedBox(linear.OrientedBox{Axes: [3][3]float32{{3, 3, 0}, {-1, 1, 0}, {0, 0, 1}}}))
		is(t, len(box.Append(nil, tree.View(), query.Filter{})), 2)
		half := must.Get(query.ConvexPlanes([][4]float32{{1, 0, 0, -10}}))
		is(t, len(half.Append(nil, tree.View(), query.Filter{})), 5)
	},
}

// Every row of the table in the package comment has a test that runs its calls, and every test has a row.
func TestIdeas(t *testing.T) {
	file := must.Get(parser.ParseFile(token.NewFileSet(), "doc.go", nil, parser.ParseComments|parser.PackageClauseOnly))
	source := string(must.Get(os.ReadFile("ideas_test.go")))
	row := regexp.MustCompile(`(?m)^\t  (\S.*?) {2,}(\S.*)$`)
	rows := map[string]bool{}
	var text strings.Builder
	for _, c := range file.Doc.List {
		text.WriteString(strings.TrimPrefix(c.Text, "//") + "\n")
	}
	for _, m := range row.FindAllStringSubmatch(text.String(), -1) {
		idea, calls := m[1], strings.Split(m[2], ", ")
		rows[idea] = true
		begin := strings.Index(source, "\t\""+idea+"\": func")
		if begin < 0 {
			t.Errorf("%s: no test", idea)
			continue
		}
		body, _, _ := strings.Cut(source[begin:], "\n\t},\n")
		for _, call := range calls {
			name := call[strings.LastIndex(call, ".")+1:]
			if !regexp.MustCompile(`\b` + name + `\b`).MatchString(body) {
				t.Errorf("%s: the test does not run %s", idea, call)
			}
		}
	}
	if len(rows) < 40 {
		t.Fatalf("%d rows", len(rows))
	}
	for _, idea := range slices.Sorted(maps.Keys(ideas)) {
		if !rows[idea] {
			t.Errorf("%s: no row", idea)
		}
		t.Run(idea, ideas[idea])
	}
}
