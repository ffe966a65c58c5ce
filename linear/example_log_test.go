package linear_test

import (
	"bufio"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"os"

	"github.com/zoctree/zoctree/linear"
)

// Crash recovery from a checkpoint and a log of batches. A program appends each applied batch to a file, after
// its length. Replaying the later batches on a copy of the tree restores the present tree.
func ExampleBatch_AppendBinary() {
	file, _ := os.CreateTemp("", "calls")
	defer os.Remove(file.Name())
	t, _ := linear.New(linear.Config{})
	var b linear.Batch
	var record []byte
	apply := func() { // apply, then log; a server syncs the log before it acknowledges
		t.Apply(&b)
		record, _ = b.AppendBinary(append(record[:0], 0, 0, 0, 0))
		binary.LittleEndian.PutUint32(record, uint32(len(record)-4))
		file.Write(record)
		b.Reset()
	}
	b.InsertBatch(grid(10))
	apply()
	checkpoint := t.Clone()
	at, _ := file.Seek(0, io.SeekCurrent)
	for frame := range uint32(20) {
		b.Move(frame, cube(float32(frame), 1, 2, 3))
		b.Remove(100 + frame)
		b.Insert(linear.Object{Box: cube(5, 5, 5, 1)})
		b.Tick()
		apply()
	}

	// After a restart.
	file.Seek(at, io.SeekStart)
	in := bufio.NewReader(file)
	var length [4]byte
	for {
		if _, err := io.ReadFull(in, length[:]); err != nil {
			break // the end; a program would truncate a torn record
		}
		record = make([]byte, binary.LittleEndian.Uint32(length[:]))
		if _, err := io.ReadFull(in, record); err != nil {
			break
		}
		if err := b.UnmarshalBinary(record); err != nil {
			fmt.Println(err)
			return
		}
		checkpoint.Apply(&b)
	}
	fmt.Println(checkpoint.Len(), t.Len(), checkpoint.Digest() == t.Digest())
	fmt.Println(checkpoint.World() == t.World(), checkpoint.Work() == t.Work())
	// Output:
	// 1000 1000 true
	// true true
}

// Bytes that are not a batch are an error, and leave the batch unchanged.
func ExampleBatch_UnmarshalBinary() {
	var b, c linear.Batch
	b.Move(7, cube(1, 2, 3, 1))
	data, _ := b.MarshalBinary()
	fmt.Println(c.UnmarshalBinary(data), c.Len(), len(data))

	data[20] ^= 1
	b.Remove(8)
	err := b.UnmarshalBinary(data)
	fmt.Println(errors.Is(err, linear.ErrBatch), b.Len())
	// Output:
	// <nil> 1 38
	// true 2
}

// The encoding of a batch is compact when calls of one kind follow each other.
func ExampleBatch_MarshalBinary() {
	var b linear.Batch
	for id := range uint32(1000) {
		b.SetMask(id, 3)
	}
	b.Tick()
	data, err := b.MarshalBinary()
	fmt.Println(b.Len(), len(data), err)
	// Output: 1001 8012 <nil>
}

// Trees with equal contents have equal digests, however they were built.
func ExampleTree_Digest() {
	t, _ := linear.New(linear.Config{})
	t.InsertBatch(nil, grid(5))
	other, _ := linear.New(linear.Config{Frozen: true})
	for _, o := range grid(5) {
		other.Insert(o)
	}
	fmt.Println(t.Digest() == other.Digest())
	t.SetMask(3, 77)
	fmt.Println(t.Digest() == other.Digest())
	// Output:
	// true
	// false
}

// The end of a frame is recorded in a batch like any other change, so that the log consists of batches only.
func ExampleBatch_Tick() {
	t, _ := linear.New(linear.Config{})
	var b linear.Batch
	b.InsertBatch(grid(3))
	b.Insert(linear.Object{Box: cube(9, 9, 9, 1)})
	b.Flush()
	b.Move(1, cube(1, 1, 1, 1)) // rejected: the ID is of an object that this batch inserts
	_, err := t.Apply(&b)
	fmt.Println(t.Len(), err)

	b.Reset()
	b.InsertBatch(grid(3))
	b.Insert(linear.Object{Box: cube(9, 9, 9, 1)})
	b.Refit()
	b.Tick()
	ids, err := t.Apply(&b)
	fmt.Println(t.Len(), t.Stats().Pending, len(ids), err)
	// Output:
	// 0 linear: change 3 of the batch, Move: no live object has this ID: 1
	// 28 0 28 <nil>
}

// A batch can record changes of many objects in bulk, with the effect of MoveBatch.
func ExampleBatch_MoveBatch() {
	t, _ := linear.New(linear.Config{})
	ids, _ := t.InsertBatch(nil, grid(4))
	var b linear.Batch
	b.MoveBatch(ids[:2], []linear.AABB{cube(0, 0, 0, 1), cube(9, 9, 9, 1)})
	b.MoveBodies(ids[2:4], linear.Bodies{Spheres: [][4]float32{{1, 1, 1, 1}, {2, 2, 2, 1}}})
	b.MoveBodies(ids[4:5], linear.Bodies{Oriented: []linear.OrientedBox{{Center: [3]float32{3, 3, 3}}}})
	b.RemoveBatch(ids[5:60])
	_, err := t.Apply(&b)
	sphere, _ := t.Sphere(ids[3])
	fmt.Println(b.Len(), t.Len(), sphere, err)
	// Output: 4 9 [2 2 2 1] <nil>
}

// SetSphere checks the sphere against the box that the object has at that point of the batch.
func ExampleBatch_SetSphere() {
	t, _ := linear.New(linear.Config{})
	ids, _ := t.InsertBatch(nil, grid(2))
	var b linear.Batch
	b.Move(ids[0], cube(9, 9, 9, 1))
	b.SetSphere(ids[0], [4]float32{9, 9, 9, 1})
	b.SetOriented(ids[0], linear.OrientedBox{Center: [3]float32{9, 9, 9}, Axes: [3][3]float32{{0.5, 0, 0}, {0, 0.5, 0}, {0, 0, 0.5}}})
	_, err := t.Apply(&b)
	fmt.Println(err)

	b.Reset()
	b.SetBounds(ids[:1], linear.Bodies{Spheres: [][4]float32{{9, 9, 9, 0.5}}})
	b.SetBounds(ids[:1], linear.Bodies{Oriented: []linear.OrientedBox{{Center: [3]float32{}}}})
	_, err = t.Apply(&b)
	sphere, _ := t.Sphere(ids[0])
	fmt.Println(err != nil, sphere)
	// Output:
	// <nil>
	// true [9 9 9 1]
}

// A log can start again after a RemoveAll: the records that follow it describe the whole tree.
func ExampleBatch_RemoveAll() {
	t, _ := linear.New(linear.Config{})
	t.InsertBatch(nil, grid(4))
	var b linear.Batch
	b.RemoveAll()
	b.InsertBallBatch([]linear.Ball{{Sphere: [4]float32{0, 0, 0, 1}}, {Sphere: [4]float32{5, 0, 0, 2}}})
	b.Rebuild(linear.RebuildOptions{Frozen: true})
	b.Trim()
	ids, err := t.Apply(&b)
	fmt.Println(ids, t.Len(), t.Stats().Frozen, err)
	// Output: [0 1] 2 true <nil>
}
