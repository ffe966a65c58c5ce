package linear_test

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/zoctree/zoctree/internal/testkit"
	"github.com/zoctree/zoctree/linear"
	"github.com/zoctree/zoctree/query"
	"github.com/zoctree/zoctree/soa"
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
	const digest = uint64(0x2d21fbee3ee81d50)
	if got := tree.LayoutDigest(); got != digest {
		t.Errorf("the digest is %#x on this machine", got)
	}
}

// A file of the form in which free slots were listed in blocks is read, at every level, and its tree continues. Two
// blocks of the file are free: the IDs of their first slots link them.
func TestSnapshotOfBlocks(t *testing.T) {
	former, err := os.ReadFile("testdata/blocks.zoc")
	must(t, err)
	want := goldenSnapshot(t)
	for k := range 10 {
		insert(t, want, layoutObjects(100+40*k, 40))
		tick(t, want)
	}
	for id := range uint32(600) {
		if o, ok := want.Object(id); ok && o.Box.Min[0] < 12 {
			must(t, want.Remove(id))
		}
	}
	for range 20 {
		tick(t, want)
	}
	for level := range linear.CheckLevel(4) {
		s := opened(t, former, level)
		if got, n := (query.Frustum{}).Count(s.View(), query.Filter{}), want.Len(); got != n {
			t.Errorf("level %d: the file answers %d objects of %d", level, got, n)
		}
		tree, err := s.Load()
		must(t, err)
		valid(t, tree)
		if tree.Digest() != want.Digest() {
			t.Errorf("level %d: the tree of the file is another one", level)
		}
		again, err := opened(t, written(t, tree), level).Load()
		must(t, err)
		if again.LayoutDigest() != tree.LayoutDigest() {
			t.Errorf("level %d: it is saved as another tree", level)
		}
		if n := linear.LinksIn(tree); n > 0 {
			t.Errorf("level %d: the loaded tree has %d links of free slots", level, n)
		}
		for k := range 20 {
			insert(t, tree, layoutObjects(100+20*k, 20))
			tick(t, tree)
			valid(t, tree)
		}
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
	type named struct {
		ID   uint32
		Name [2]struct{ Text string }
	}
	type inner struct {
		A [2]struct {
			B uint16
			C uint8
		}
	}
	type deep struct {
		A uint8
		B struct {
			C uint8
			D [3]uint8
			E uint32
		}
	}
	for want, save := range map[string]func() linear.Section{
		"3 bytes of padding before field B, on some machines: put larger fields first, or add": func() linear.Section { return linear.SaveColumn("x", []deep{}) },
		"int cannot be in a snapshot: it is no type of fixed size: use int64 or int32":         func() linear.Section { return linear.SaveColumn("x", []int{}) },
		"use uint64 or uint32": func() linear.Section { return linear.SaveColumn("x", []uint{}) },
		"field Name.Text is of type string: use an array, or save the elements in a column of their own": func() linear.Section { return linear.SaveColumn("x", []named{}) },
		"save an index or an ID": func() linear.Section { return linear.SaveColumn("x", []map[int]int{}) },
		"3 bytes of padding before field B, on some machines: put larger fields first, or add a field of type [3]uint8 before it": func() linear.Section { return linear.SaveColumn("x", []gap{}) },
		"4 bytes of padding before field C, on some machines: put larger fields first, or add a field of type [4]uint8 before it": func() linear.Section { return linear.SaveColumn("x", []half{}) },
		"end ends with 4 bytes of padding, on some machines: add a field of type [4]uint8 at its end":                             func() linear.Section { return linear.SaveColumn("x", []end{}) },
		"C uint8 } ends with 1 bytes of padding, on some machines: add a field of type [1]uint8 at its end":                       func() linear.Section { return linear.SaveColumn("x", []inner{}) },
	} {
		if said := fmt.Sprint(try("", save)); !strings.Contains(said, want) {
			t.Errorf("%q, want %q", said, want)
		}
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
	file = written(t, tree, linear.SaveColumn("nested", values), linear.SaveColumn("none", []float64{}), linear.SaveColumn("array", [][3]uint16{}))
	s = opened(t, file, linear.CheckSafe)
	for want, load := range map[string]func() error{
		`no section "other", it has ["nested" "none" "array"]`: func() error { _, err := linear.LoadColumn[nested](s, "other"); return err },
		"another type than uint64: load it as float64":         func() error { _, err := linear.LoadColumn[uint64](s, "none"); return err },
		"another type than float32: load it as float64":        func() error { _, err := linear.LoadColumn[float32](s, "none"); return err },
		"another type than int16: load it as [3]uint16":        func() error { _, err := linear.LoadColumn[int16](s, "array"); return err },
		"load it with the type that was saved":                 func() error { _, err := linear.LoadColumn[uint64](s, "nested"); return err },
		`no section "State"`:                                   func() error { _, err := linear.LoadColumn[uint64](s, "State"); return err },
	} {
		if err := load(); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%v, want %q", err, want)
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

// saved is a tree that changes in numbered steps, with its present step.
type saved struct {
	tree *linear.Tree
	step uint64
}

func newSaved(t testing.TB) *saved {
	t.Helper()
	tree, err := linear.New(linear.Config{})
	must(t, err)
	_, err = tree.InsertBatch(nil, testkit.SceneByName(t, "uniform").Make(10_000, 1))
	must(t, err)
	must(t, tree.Tick())
	return &saved{tree: tree}
}

// advance applies the steps up to one.
func (s *saved) advance(t testing.TB, to uint64) {
	t.Helper()
	for ; s.step < to; s.step++ {
		var b linear.Batch
		for i := range uint64(20) {
			x, y := float32((s.step*31+i*7)%97), float32((s.step*17+i*11)%89)
			b.Move(uint32((s.step*13+i*101)%10_000), soa.AABB{Min: [3]float32{x, y, x}, Max: [3]float32{x + 1, y + 1, x + 1}})
		}
		_, err := s.tree.Apply(&b)
		must(t, err)
		must(t, s.tree.Tick())
	}
}

// readSaved reads the file of an earlier process.
func readSaved(path string) (*saved, error) {
	s, err := linear.OpenMapped(path, linear.CheckFull)
	if err != nil {
		return nil, err
	}
	step, err := linear.LoadColumn[uint64](s, "step")
	if err == nil && len(step) != 1 {
		err = fmt.Errorf("%d steps", len(step))
	}
	var tree *linear.Tree
	if err == nil {
		tree, err = s.Load()
	}
	if err = errors.Join(err, s.Close()); err != nil {
		return nil, err
	}
	return &saved{tree, step[0]}, nil
}

// save saves repeatedly, starts at the step of the file, and reports each step that it has saved.
func save(t *testing.T, path string) {
	s, err := readSaved(path)
	if errors.Is(err, fs.ErrNotExist) {
		s, err = newSaved(t), nil
	}
	must(t, err)
	for {
		s.advance(t, s.step+1)
		must(t, s.tree.Save(context.Background(), path, linear.SnapshotOptions{
			Sections: []linear.Section{linear.SaveColumn("step", []uint64{s.step})},
		}))
		tell(s.step)
	}
}

// A process that is killed during saves leaves the last reported file, or the next one, complete. The next
// process continues from it and removes leftover files.
func TestSaveKilled(t *testing.T) {
	if path := os.Getenv(killedEnv); path != "" {
		save(t, path)
	}
	canKill(t)
	folder := t.TempDir()
	path := filepath.Join(folder, "tree")
	rng := testkit.Rand(testkit.Seed(t))
	model := newSaved(t)
	amid, next, told := 0, 0, uint64(0)
	kills := testkit.Budget(t, 7, 200)
	for kill := range kills {
		said := killed(t, "TestSaveKilled", path, time.Duration(rng.IntN(12_000))*time.Microsecond)
		told = max(told, said)
		s, err := readSaved(path)
		if err != nil {
			t.Fatalf("kill %d, after step %d: %v", kill, told, err)
		}
		if s.step != told && s.step != told+1 {
			t.Fatalf("kill %d: the file has step %d, after %d", kill, s.step, told)
		}
		if s.step > told {
			next++
		}
		if model.advance(t, s.step); s.tree.LayoutDigest() != model.tree.LayoutDigest() {
			t.Fatalf("kill %d: step %d is another tree", kill, s.step)
		}
		told = s.step
		files, err := os.ReadDir(folder)
		must(t, err)
		switch {
		case len(files) > 2: // the next process has not removed the leftover file
			t.Fatalf("kill %d: %v", kill, files)
		case len(files) == 2:
			amid++
		}
	}
	must(t, model.tree.Save(context.Background(), path, linear.SnapshotOptions{}))
	if files, err := os.ReadDir(folder); err != nil || len(files) != 1 {
		t.Errorf("%v, %v", files, err)
	}
	t.Logf("%d kills: %d while the new file was written, %d between its rename and the end, step %d", kills, amid, next, told)
	if amid+next == 0 {
		t.Error("no kill came amid a save")
	}
}

// killedEnv has the path to which a process writes until it is killed.
const killedEnv = "ZOCTREE_KILLED"

const toldPrefix = "told"

// canKill skips a test where no process can be killed while it replaces a file.
func canKill(t *testing.T) {
	t.Helper()
	switch runtime.GOOS {
	case "js", "wasip1", "plan9", "windows":
		t.Skip("no process can be killed here while it replaces a file")
	}
}

// tell reports the step of this process to the process that will kill it.
func tell(step uint64) { fmt.Println(toldPrefix, step) }

// killed runs a test in a process of its own, kills the process that long after its first report, and returns
// its last reported step.
func killed(t *testing.T, test, path string, after time.Duration) (told uint64) {
	t.Helper()
	cmd := exec.Command(os.Args[0], "-test.run=^"+test+"$")
	cmd.Env = append(os.Environ(), killedEnv+"="+path)
	cmd.Stderr = os.Stderr
	out, err := cmd.StdoutPipe()
	must(t, err)
	if err := cmd.Start(); errors.Is(err, syscall.ENOEXEC) {
		t.Skip("an emulator that runs no other process")
	} else if err != nil {
		t.Fatal(err)
	}
	var text strings.Builder
	lines := bufio.NewScanner(out)
	for lines.Scan() {
		if text.Len() == 0 {
			time.AfterFunc(after, func() { _ = cmd.Process.Kill() })
		}
		fmt.Fprintln(&text, lines.Text())
		if n, ok := strings.CutPrefix(lines.Text(), toldPrefix+" "); ok {
			told, err = strconv.ParseUint(n, 10, 64)
			must(t, err)
		}
	}
	if err := cmd.Wait(); told == 0 || cmd.ProcessState.Exited() {
		t.Fatalf("it ended, not killed: %v\n%s", err, text.String())
	}
	return told
}
