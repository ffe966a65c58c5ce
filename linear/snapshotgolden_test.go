package linear_test

import (
	"bytes"
	"os"
	"slices"
	"testing"

	"github.com/zoctree/zoctree/linear"
	"github.com/zoctree/zoctree/query"
)

// goldenSnapshot is a small tree of whole numbers with pending objects, a sphere, an oriented box and a log.
func goldenSnapshot(t testing.TB) *linear.Tree {
	tree := newTree(t, linear.Config{
		Policy: linear.PolicyIncremental, SplitAbove: 6, MergeBelow: 3, Log: true, Workers: 1, World: cube(0, 0, 0, 40),
	})
	insert(t, tree, layoutObjects(0, 57))
	o, _ := tree.Object(3)
	must(t, tree.SetSphere(3, [4]float32{o.Box.Center()[0], o.Box.Center()[1], o.Box.Center()[2], 0.25}))
	must(t, tree.SetOriented(5, linear.OrientedBox{Center: boxCentre(tree, 5), Axes: [3][3]float32{{0.25, 0, 0}, {0, 0.25, 0}, {0, 0, 0.25}}}))
	must(t, tree.Tick())
	must(t, tree.Remove(11))
	insert(t, tree, layoutObjects(57, 4))
	valid(t, tree)
	return tree
}

func boxCentre(tree *linear.Tree, id uint32) [3]float32 {
	o, _ := tree.Object(id)
	return o.Box.Center()
}

// The format is stable: this machine writes the file of testdata, byte for byte, for any word size and byte
// order, and reads it. To change the format on purpose, run with -update, and raise the version.
func TestSnapshotGolden(t *testing.T) {
	const path = "testdata/snapshot.zoc"
	tree := goldenSnapshot(t)
	now := written(t, tree, linear.SaveColumn("numbers", []struct {
		Long  uint64
		Short [2]uint16
		Real  float32
	}{{1 << 40, [2]uint16{2, 3}, 0.5}, {4, [2]uint16{5, 6}, -7}}))
	if *update {
		must(t, os.WriteFile(path, now, 0o644))
	}
	file, err := os.ReadFile(path)
	must(t, err)
	if !bytes.Equal(now, file) {
		at := 0
		for at < min(len(now), len(file)) && now[at] == file[at] {
			at++
		}
		t.Errorf("%d bytes, in the file %d; byte %d is the first that differs", len(now), len(file), at)
	}
	s := opened(t, file, linear.CheckFull)
	want := query.Frustum{}.Append(nil, tree.View(), query.Filter{})
	if got := (query.Frustum{}).Append(nil, s.View(), query.Filter{}); !slices.Equal(got, want) {
		t.Errorf("the file answers %d, the tree %d", got, want)
	}
	old, err := s.Load()
	must(t, err)
	valid(t, old)
	if old.LayoutDigest() != tree.LayoutDigest() {
		t.Error("the tree of the file is another one")
	}
	numbers, err := linear.LoadColumn[struct {
		Long  uint64
		Short [2]uint16
		Real  float32
	}](s, "numbers")
	if err != nil || len(numbers) != 2 || numbers[0].Long != 1<<40 || numbers[1].Short[1] != 6 || numbers[1].Real != -7 {
		t.Errorf("numbers %v, %v", numbers, err)
	}
	const digest = uint64(0x43619d8866f48677)
	if got := tree.LayoutDigest(); got != digest {
		t.Errorf("the digest is %#x on this machine", got)
	}
}

// Types of fixed size can be saved and loaded; others are rejected.
func TestSaveColumnTypes(t *testing.T) {
	tree := newTree(t, linear.Config{})
	try := func(name string, save func() linear.Section) (said any) {
		defer func() { said = recover() }()
		save()
		return nil
	}
	type gap struct {
		A uint8
		B uint32
	}
	type end struct {
		A uint64
		B uint32
	}
	type half struct { // no padding where words of 8 bytes are aligned to 4
		A uint32
		B [2]uint32
		C uint64
	}
	type nested struct {
		A [2]struct{ B [3]int16 }
		C complex64
		D bool
		E [3]bool
	}
	for name, save := range map[string]func() linear.Section{
		"pointer": func() linear.Section { return linear.SaveColumn("x", []*int32{}) },
		"int":     func() linear.Section { return linear.SaveColumn("x", []int{}) },
		"uintptr": func() linear.Section { return linear.SaveColumn("x", []uintptr{}) },
		"string":  func() linear.Section { return linear.SaveColumn("x", []string{}) },
		"slice":   func() linear.Section { return linear.SaveColumn("x", [][]byte{}) },
		"nothing": func() linear.Section { return linear.SaveColumn("x", []struct{}{}) },
		"gap":     func() linear.Section { return linear.SaveColumn("x", []gap{}) },
		"end":     func() linear.Section { return linear.SaveColumn("x", []end{}) },
		"half":    func() linear.Section { return linear.SaveColumn("x", []half{}) },
		"no name": func() linear.Section { return linear.SaveColumn("", []int8{}) },
		"zero":    func() linear.Section { return linear.SaveColumn("a\x00", []int8{}) },
		"long":    func() linear.Section { return linear.SaveColumn("12345678901234567890123456789012", []int8{}) },
	} {
		if try(name, save) == nil {
			t.Errorf("%s: taken", name)
		}
	}
	values := []nested{{C: complex(1, 2), D: true}, {E: [3]bool{true, false, true}}}
	values[1].A[1].B[2] = -5
	file := written(t, tree, linear.SaveColumn("nested", values), linear.SaveColumn("none", []float64{}))
	s := opened(t, file, linear.CheckSafe)
	if got, err := linear.LoadColumn[nested](s, "nested"); err != nil || !slices.Equal(got, values) {
		t.Errorf("%v, %v", got, err)
	}
	if got, err := linear.LoadColumn[float64](s, "none"); err != nil || len(got) != 0 {
		t.Errorf("%v, %v", got, err)
	}
	for name, load := range map[string]func() error{
		"another name": func() error { _, err := linear.LoadColumn[nested](s, "other"); return err },
		"ints":         func() error { _, err := linear.LoadColumn[uint64](s, "none"); return err },
		"smaller":      func() error { _, err := linear.LoadColumn[float32](s, "none"); return err },
		"of the tree":  func() error { _, err := linear.LoadColumn[uint64](s, "State"); return err },
	} {
		if load() == nil {
			t.Errorf("%s: loaded", name)
		}
	}
	// A bool that is neither.
	i := bytes.LastIndexByte(file, 1)
	file[i] = 2
	if s, err := linear.FromBytes(file, linear.CheckNone); err != nil {
		t.Error(err)
	} else if _, err := linear.LoadColumn[nested](s, "nested"); err == nil {
		t.Error("a bool of 2 is loaded")
	}
}
