package linear_test

import (
	"bytes"
	"context"
	_ "embed"
	"errors"
	"fmt"
	"os"
	"path/filepath"

	"github.com/zoctree/zoctree/linear"
	"github.com/zoctree/zoctree/query"
)

// A tree is saved, mapped, and queried in place.
func ExampleTree_Save() {
	folder, _ := os.MkdirTemp("", "zoctree")
	defer os.RemoveAll(folder)
	path := filepath.Join(folder, "town.zoc")

	t, _ := linear.New(linear.Config{Frozen: true})
	t.InsertBatch(nil, grid(10))
	fmt.Println(t.Save(context.Background(), path, linear.SnapshotOptions{}))

	s, err := linear.OpenMapped(path, linear.CheckSafe)
	if err != nil {
		fmt.Println(err)
		return
	}
	defer s.Close()
	box, _ := query.NewBox([3]float32{0, 0, 0}, [3]float32{1, 1, 0})
	fmt.Println(s.Len(), box.Append(nil, s.View(), query.Filter{}))
	// Output:
	// <nil>
	// 1000 [0 1 10 11]
}

// A trusted file is mapped in constant time: only its header is checked.
func ExampleOpenMapped() {
	_, err := linear.OpenMapped("no-such-file.zoc", linear.CheckNone)
	fmt.Println(errors.Is(err, os.ErrNotExist))
	// Output: true
}

// A loaded tree continues exactly as the saved tree does.
func ExampleSnapshot_Load() {
	t, _ := linear.New(linear.Config{})
	t.InsertBatch(nil, grid(4))
	var file bytes.Buffer
	n, err := t.WriteTo(&file)
	fmt.Println(n == int64(file.Len()), err)

	s, err := linear.Read(&file, linear.CheckFull)
	if err != nil {
		fmt.Println(err)
		return
	}
	loaded, err := s.Load()
	s.Close()
	fmt.Println(loaded.LayoutDigest() == t.LayoutDigest(), err)
	a, _ := t.Insert(linear.Object{})
	b, _ := loaded.Insert(linear.Object{})
	fmt.Println(a, b)
	_, err = s.Load()
	fmt.Println(errors.Is(err, linear.ErrClosed))
	// Output:
	// true <nil>
	// true <nil>
	// 64 64
	// true
}

//go:embed testdata/snapshot.zoc
var embedded []byte

// An embedded snapshot is queried in place. Data that is not a snapshot is rejected.
func ExampleFromBytes() {
	s, err := linear.FromBytes(embedded, linear.CheckSafe)
	if err != nil {
		fmt.Println(err)
		return
	}
	defer s.Close()
	st := s.Stats()
	fmt.Println(st.Objects, st.Pending, s.Config().SplitAbove, s.World().Exp())
	info := s.Info()
	fmt.Println(info.Level, info.Mapped, info.Bytes == int64(len(embedded)), info.Sections[0].Name)

	_, err = linear.FromBytes([]byte("P6 640 480"), linear.CheckSafe)
	fmt.Println(errors.Is(err, linear.ErrSnapshot), errors.Is(err, linear.ErrSnapshotVersion))
	// Output:
	// 60 3 6 -14
	// safe false true State
	// true false
}

// A file that other processes can write to is read, not mapped. Data that queries do not need is read when a
// tree is made of it.
func ExampleOpen() {
	r := bytes.NewReader(embedded)
	s, err := linear.Open(r, r.Size(), linear.CheckSafe)
	if err != nil {
		fmt.Println(err)
		return
	}
	defer s.Close()
	t, err := s.Load()
	fmt.Println(t.Len(), err)
	// Output: 60 <nil>
}

// A section stores a program's own values by ID in the file of the tree.
func ExampleSaveColumn() {
	type paint struct {
		Color [4]uint8
		Gloss float32
	}
	t, _ := linear.New(linear.Config{})
	ids, _ := t.InsertBatch(nil, grid(2))
	var paints linear.Column[paint]
	paints.Set(ids[7], paint{[4]uint8{255, 0, 0, 255}, 0.5})

	var file bytes.Buffer
	t.WriteSnapshot(context.Background(), &file, linear.SnapshotOptions{
		Sections: []linear.Section{linear.SaveColumn("paint", paints.Values())},
		Progress: func(share float64) {
			if share == 1 {
				fmt.Println("done")
			}
		},
	})
	s, _ := linear.Read(&file, linear.CheckSafe)
	defer s.Close()
	values, err := linear.LoadColumn[paint](s, "paint")
	fmt.Println(values[7], err)
	_, err = linear.LoadColumn[float64](s, "paint")
	fmt.Println(err)
	// Output:
	// done
	// {[255 0 0 255] 0.5} <nil>
	// linear: section "paint" of the snapshot has rows of 8 bytes, of another type than float64: load it with the type that was saved, or one with the same kinds of numbers in the same order
}

// A server saves its tree without a pause, with the number of the last log record that the tree contains.
// Recovery loads the tree and replays the later records.
func ExamplePublisher_Checkpoint() {
	folder, _ := os.MkdirTemp("", "zoctree")
	defer os.RemoveAll(folder)
	path := filepath.Join(folder, "town.zoc")
	t, _ := linear.New(linear.Config{})
	p := linear.NewPublisher(t)
	var log [][]byte
	apply := func(b *linear.Batch) {
		t.Apply(b)
		record, _ := b.MarshalBinary()
		log = append(log, record)
		p.Publish()
	}
	var b linear.Batch
	b.InsertBatch(grid(10))
	apply(&b)

	c := p.Checkpoint()
	sequence := linear.SaveColumn("sequence", []uint64{uint64(len(log))})
	saved := make(chan error)
	go func() {
		defer c.Release()
		saved <- c.Save(context.Background(), path, linear.SnapshotOptions{Sections: []linear.Section{sequence}})
	}()
	b.Reset()
	b.Remove(7)
	b.Tick()
	apply(&b) // during the save
	fmt.Println(<-saved)

	s, _ := linear.OpenMapped(path, linear.CheckSafe)
	defer s.Close()
	after, _ := linear.LoadColumn[uint64](s, "sequence")
	again, _ := s.Load()
	fmt.Println(after[0], again.Len())
	for _, record := range log[after[0]:] {
		b.UnmarshalBinary(record)
		again.Apply(&b)
	}
	fmt.Println(again.Len(), again.LayoutDigest() == t.LayoutDigest())
	// Output:
	// <nil>
	// 1 1000
	// 999 true
}

// A street with two instances of a house is saved, with the house in the file once, and queried in place. The
// loaded scene can be changed.
func ExampleScene_Save() {
	folder, _ := os.MkdirTemp("", "zoctree")
	defer os.RemoveAll(folder)
	path := filepath.Join(folder, "street.zoc")

	house, _ := linear.New(linear.Config{})
	house.InsertBatch(nil, grid(4))
	street, _ := linear.NewScene(linear.Config{})
	street.AddInstances(nil, house, []linear.Transform{transformedAt(0, 0, 0), transformedAt(20, 0, 0)}, linear.InstanceOptions{})
	street.Tick()
	fmt.Println(street.Save(context.Background(), path, linear.SnapshotOptions{}))

	s, err := linear.OpenSceneMapped(path, linear.CheckSafe)
	if err != nil {
		fmt.Println(err)
		return
	}
	defer s.Close()
	fmt.Println(s.View().Total(), s.View().Bounds() == street.Bounds(), s.Stats().Instances, s.Stats().Parts)
	again, _ := s.Load()
	again.Remove(0)
	fmt.Println(again.View().Total(), s.View().Total())
	// Output:
	// <nil>
	// 128 true 2 1
	// 64 128
}

// A snapshot of a tree is not a snapshot of a scene.
func ExampleSceneFromBytes() {
	_, err := linear.SceneFromBytes(embedded, linear.CheckSafe)
	fmt.Println(errors.Is(err, linear.ErrSnapshotVersion)) // the file holds a tree
	// Output: true
}
