package linear_test

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"path/filepath"

	"github.com/zoctree/zoctree/linear"
)

// A scene is written to a stream, such as a network connection, and read back with equal digests.
func ExampleScene_WriteTo() {
	house, _ := linear.New(linear.Config{})
	house.InsertBatch(nil, grid(4))
	street, _ := linear.NewScene(linear.Config{})
	street.AddInstances(nil, house, []linear.Transform{transformedAt(0, 0, 0), transformedAt(20, 0, 0)}, linear.InstanceOptions{})
	street.Tick()

	var stream bytes.Buffer
	n, err := street.WriteTo(&stream)
	fmt.Println(n == int64(stream.Len()), err)
	file := bytes.Clone(stream.Bytes())

	s, err := linear.ReadScene(&stream, linear.CheckFull)
	if err != nil {
		fmt.Println(err)
		return
	}
	defer s.Close()
	fmt.Println(s.Info().Bytes == n, s.Objects().Len(), "objects of its own")
	again, _ := s.Load()
	fmt.Println(again.LayoutDigest() == street.LayoutDigest(), again.Validate(), again.Radius() == street.Radius())

	r := bytes.NewReader(file) // other processes can write to the file: read it, do not map it
	opened, err := linear.OpenScene(r, r.Size(), linear.CheckSafe)
	if err != nil {
		fmt.Println(err)
		return
	}
	defer opened.Close()
	fmt.Println(opened.View().Total())
	// Output:
	// true <nil>
	// true 0 objects of its own
	// true <nil> true
	// 128
}

// Sections hold a program's own values in a snapshot, and a context cancels a long write.
func ExampleScene_WriteSnapshot() {
	street, _ := linear.NewScene(linear.Config{})
	var file bytes.Buffer
	opt := linear.SnapshotOptions{Sections: []linear.Section{linear.SaveColumn("frame", []uint64{1234})}}
	_, err := street.WriteSnapshot(context.Background(), &file, opt)
	fmt.Println(err)
	s, _ := linear.ReadScene(&file, linear.CheckSafe)
	defer s.Close()
	fmt.Println(linear.LoadColumn[uint64](s.Objects(), "frame"))

	done, stop := context.WithCancel(context.Background())
	stop()
	_, err = street.WriteSnapshot(done, &file, linear.SnapshotOptions{})
	fmt.Println(err)
	// Output:
	// <nil>
	// [1234] <nil>
	// linear: after 0 bytes of a snapshot: context canceled
}

// A checkpoint holds the tree at the time of its creation, while the writer continues to change the tree.
func ExampleCheckpoint() {
	t, _ := linear.New(linear.Config{})
	p := linear.NewPublisher(t)
	t.InsertBatch(nil, grid(4))
	p.Publish()
	digest := t.LayoutDigest()

	c := p.Checkpoint()
	t.Remove(7)
	fmt.Println(c.LayoutDigest() == digest)
	var a, b bytes.Buffer
	c.WriteTo(&a)
	c.WriteSnapshot(context.Background(), &b, linear.SnapshotOptions{})
	fmt.Println(bytes.Equal(a.Bytes(), b.Bytes()))
	c.Release()

	s, _ := linear.Read(&a, linear.CheckSafe)
	defer s.Close()
	fmt.Println(s.Len(), s.Bounds(), s.Radius() > 5)
	fmt.Println(t.Len())
	// Output:
	// true
	// true
	// 64 [0 0 0] to [3.5 3.5 3.5] true
	// 63
}

// A checkpoint of a scene and its parts.
func ExampleSceneCheckpoint() {
	folder, _ := os.MkdirTemp("", "zoctree")
	defer os.RemoveAll(folder)
	house, _ := linear.New(linear.Config{})
	house.InsertBatch(nil, grid(4))
	street, _ := linear.NewScene(linear.Config{})
	p := linear.NewScenePublisher(street)
	street.AddInstances(nil, house, []linear.Transform{transformedAt(0, 0, 0), transformedAt(20, 0, 0)}, linear.InstanceOptions{})
	p.Publish()
	digest := street.LayoutDigest()

	c := p.Checkpoint()
	defer c.Release()
	street.Remove(0)
	fmt.Println(c.LayoutDigest() == digest)
	var stream bytes.Buffer
	_, err := c.WriteSnapshot(context.Background(), &stream, linear.SnapshotOptions{})
	fmt.Println(err, c.Save(context.Background(), filepath.Join(folder, "street.zoc"), linear.SnapshotOptions{}))
	s, _ := linear.ReadScene(&stream, linear.CheckSafe)
	defer s.Close()
	fmt.Println(s.View().Total(), street.View().Total())
	// Output:
	// true
	// <nil> <nil>
	// 128 64
}

// A published version keeps the cube of its keys, even after the tree has grown.
func ExampleVersion_World() {
	t, _ := linear.New(linear.Config{})
	p := linear.NewPublisher(t)
	t.InsertBatch(nil, grid(4))
	p.Publish()
	held := p.Acquire()
	defer held.Release()
	key := held.World().Key([3]float32{1, 1, 1})
	slots, ok := held.View().CellOf(key)
	fmt.Println(slots.End > slots.First, ok)
	// Output:
	// true true
}
