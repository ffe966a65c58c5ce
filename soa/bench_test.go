package soa_test

import (
	"fmt"
	"slices"
	"testing"

	"github.com/zoctree/zoctree/internal/micro"
	"github.com/zoctree/zoctree/internal/testkit"
	"github.com/zoctree/zoctree/soa"
)

// benchSink keeps results alive.
var benchSink uint64

// benchSizes are numbers of objects.
func benchSizes() []int { return micro.Sizes(1_000, 1_000_000) }

// order returns the IDs 0 to n-1 in random order.
func order(n int) []uint32 {
	ids := make([]uint32, n)
	for i, k := range testkit.Rand(1).Perm(n) {
		ids[i] = uint32(k)
	}
	return ids
}

// All IDs are taken back and given out again, in random order.
func BenchmarkIDs(b *testing.B) {
	for _, n := range benchSizes() {
		var d soa.IDs
		d.NewRun(n)
		for i := range n {
			d.Where[i] = soa.Location(i)
		}
		ids := order(n)
		handles := make([]soa.Handle, n)
		for i, id := range ids {
			handles[i], _ = d.Handle(id)
		}
		for _, x := range []struct {
			op  string
			run func()
		}{
			{"Alive", func() {
				for _, id := range ids {
					if d.Alive(id) {
						benchSink++
					}
				}
			}},
			{"Handle", func() {
				for _, id := range ids {
					h, _ := d.Handle(id)
					benchSink += uint64(h.ID)
				}
			}},
			{"Resolve", func() {
				for _, h := range handles {
					id, _ := d.Resolve(h)
					benchSink += uint64(id)
				}
			}},
			{"FreeNew", func() { // ends the handles
				for _, id := range ids {
					d.Free(id)
				}
				for i := range ids {
					benchSink += uint64(d.New(soa.Location(i)))
				}
			}},
		} {
			b.Run(fmt.Sprintf("op=%s/n=%d", x.op, n), func(b *testing.B) {
				micro.Measure(b, micro.Kernel{Items: n, Item: "id", Run: x.run})
			})
		}
	}
}

// Payloads by object ID.
func BenchmarkColumn(b *testing.B) {
	for _, n := range benchSizes() {
		var c soa.Column[uint64]
		c.Grow(n)
		ids, values := order(n), make([]uint64, n)
		for _, x := range []struct {
			op  string
			run func()
		}{
			{"Set", func() {
				for _, id := range ids {
					c.Set(id, uint64(id))
				}
			}},
			{"Get", func() {
				for _, id := range ids {
					benchSink += c.Get(id)
				}
			}},
			{"At", func() {
				for _, id := range ids {
					*c.At(id)++
				}
			}},
			{"SetBatch", func() { c.SetBatch(ids, values) }},
		} {
			b.Run(fmt.Sprintf("op=%s/n=%d", x.op, n), func(b *testing.B) {
				micro.Measure(b, micro.Kernel{Items: n, Item: "id", Bytes: 12 * n, Run: x.run})
			})
		}
	}
}

// Boxes as callers pass them.
func BenchmarkAABB(b *testing.B) {
	for _, n := range benchSizes() {
		boxes := testkit.RandomBoxes(testkit.Rand(1), n, testkit.BoxesSmall)
		wide := make([]soa.AABB64, n)
		for i, box := range boxes {
			for a := range 3 {
				wide[i].Min[a], wide[i].Max[a] = float64(box.Min[a])+1e6, float64(box.Max[a])+1e6
			}
		}
		for _, x := range []struct {
			op  string
			run func()
		}{
			{"Check", func() {
				for i := range boxes {
					if boxes[i].Check() != nil {
						benchSink++
					}
				}
			}},
			{"Union", func() {
				all := soa.Empty()
				for i := range boxes {
					all = all.Union(boxes[i])
				}
				benchSink += uint64(all.Max[0])
			}},
			{"Overlaps", func() {
				for i := range boxes {
					if boxes[i].Overlaps(boxes[0]) {
						benchSink++
					}
				}
			}},
			{"Center", func() {
				for i := range boxes {
					benchSink += uint64(boxes[i].Center()[0])
				}
			}},
			{"FromFloat64", func() {
				for i := range wide {
					benchSink += uint64(wide[i].Box([3]float64{1e6, 1e6, 1e6}).Min[0])
				}
			}},
		} {
			b.Run(fmt.Sprintf("op=%s/n=%d", x.op, n), func(b *testing.B) {
				micro.Measure(b, micro.Kernel{Items: n, Item: "box", Bytes: 24 * n, Run: x.run})
			})
		}
	}
}

// Objects put into packets one by one, moved within them and read back, in
// random order.
func BenchmarkPackets(b *testing.B) {
	const lanes = 16
	for _, n := range benchSizes() {
		slots := (n + lanes - 1) / lanes
		var c soa.PacketColumns
		c.Resize(slots)
		for s := range slots {
			c.Clear(uint32(s))
		}
		objects := make([]soa.Object, n)
		for i, box := range testkit.RandomBoxes(testkit.Rand(1), n, testkit.BoxesSmall) {
			objects[i] = soa.Object{Box: box, Mask: 1}
		}
		ids := order(n)
		put := func() {
			for _, id := range ids {
				c.Put(id/lanes, int(id%lanes), id, &objects[id])
			}
		}
		put()
		for _, x := range []struct {
			op  string
			run func()
		}{
			{"Put", put},
			{"SetBox", func() {
				for _, id := range ids {
					c.SetBox(id/lanes, int(id%lanes), &objects[id].Box)
				}
			}},
			{"Box", func() {
				for _, id := range ids {
					benchSink += uint64(c.Box(id/lanes, int(id%lanes)).Min[0])
				}
			}},
			{"Object", func() {
				for _, id := range ids {
					benchSink += uint64(c.Object(id/lanes, int(id%lanes)).Mask)
				}
			}},
		} {
			b.Run(fmt.Sprintf("op=%s/n=%d", x.op, n), func(b *testing.B) {
				micro.Measure(b, micro.Kernel{Items: n, Item: "object", Run: x.run})
			})
		}
	}
}

// Nodes given out and taken back, as splits and merges do.
func BenchmarkFreeLists(b *testing.B) {
	const n = 1000
	var nodes soa.NodeColumns
	var given []uint32
	for _, x := range []struct {
		op    string
		alloc func() uint32
		free  func(uint32)
	}{{"node", nodes.Alloc, nodes.Free}} {
		b.Run("of="+x.op, func(b *testing.B) {
			micro.Measure(b, micro.Kernel{Items: n, Item: x.op, Run: func() {
				for given = given[:0]; len(given) < n; {
					given = append(given, x.alloc())
				}
				for _, k := range slices.Backward(given) {
					x.free(k)
				}
			}})
		})
	}
}

// A copy of everything, of as many bytes.
func BenchmarkStoreClone(b *testing.B) {
	for _, n := range benchSizes() {
		s := new(soa.Store)
		s.Packets.Resize(n / 16)
		s.Nodes.Resize(n / 64)
		k := micro.Kernel{Items: n, Item: "object", Bytes: 2 * s.Bytes(), Run: func() { benchSink += uint64(s.Clone().Bytes()) }}
		b.Run(fmt.Sprintf("n=%d/impl=clone", n), func(b *testing.B) { micro.Measure(b, k) })
		micro.Copy(b, fmt.Sprintf("n=%d", n), k)
	}
}
