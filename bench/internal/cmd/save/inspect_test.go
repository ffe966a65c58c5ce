package save

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/zoctree/zoctree/bench/internal/must"
	"github.com/zoctree/zoctree/internal/snap"
	"github.com/zoctree/zoctree/internal/testkit"
	"github.com/zoctree/zoctree/linear"
)

var sectionLine = regexp.MustCompile(`(?m)^(\w+)\t(tree|program)\t(\d+)\t(\d+)\t(\d+)\t(\d+)\t(right|wrong|-)$`)

// A line for each section, as in the snapshot itself, at each level; and the statistics, the word before
// the time of the check and the checksum.
func TestInspect(t *testing.T) {
	tree := must.Get(linear.New(linear.Config{}))
	must.Get(tree.InsertBatch(nil, testkit.SceneByName(t, "city").Make(700, 1)))
	file := filepath.Join(t.TempDir(), "city.zoc")
	own := linear.SaveColumn("prices", []uint16{1, 2, 3})
	must.Do(tree.Save(t.Context(), file, linear.SnapshotOptions{Sections: []linear.Section{own}}))
	s := must.Get(linear.OpenMapped(file, linear.CheckFull))
	defer s.Close()
	info := s.Info()
	for level, sums := range map[string]string{"": "right", "safe": "right", "full": "right", "sums": "right", "none": "-"} {
		args := []string{"save", "inspect", "-check", level, file}
		if level == "" {
			level, args = "safe", []string{"save", "inspect", file}
		}
		out := bench.Good(t, args...)
		for _, part := range []string{
			fmt.Sprintf("city.zoc, %d bytes in %d sections, format %d.%d\n", info.Bytes, len(info.Sections), snap.Major, info.Minor),
			"\ntree     700 objects (0 pending), ", "\nworld    [",
		} {
			if !strings.Contains(out, part) {
				t.Errorf("%v: no %q in\n%s", args, part, out)
			}
		}
		if !regexp.MustCompile(`(?m)^check    ` + level + `, [0-9.]+ ms$`).MatchString(out) {
			t.Errorf("%v: no check in\n%s", args, out)
		}
		want, sum := "", int64(0)
		for _, c := range info.Sections {
			of := "tree"
			if c.User {
				of = "program"
			}
			want += fmt.Sprintf("%s\t%s\t%d\t%d\t%d\t%d\t%s\n", c.Name, of, c.Offset, c.Bytes, c.Row, c.Bytes/int64(c.Row), sums)
			sum += c.Bytes
		}
		tsv := bench.Good(t, append(args, "-format", "tsv")...)
		if have := strings.Join(sectionLine.FindAllString(tsv, -1), "\n") + "\n"; have != want || !strings.Contains(tsv, fmt.Sprintf("\t%d\t", sum)) {
			t.Errorf("%v: sections\n%s\nwant\n%s", args, have, want)
		}
	}
	if !strings.Contains(bench.Good(t, "save", "inspect", file, "-check=full"), statsLine(s)) {
		t.Errorf("the statistics are not %q", statsLine(s))
	}
}

func statsLine(s *linear.Snapshot) string {
	line, _, _ := strings.Cut(s.Stats().String(), "\n")
	return line
}

// For any damage the error names its position, at all levels that check there.
func TestInspectDamaged(t *testing.T) {
	dir := t.TempDir()
	file := filepath.Join(dir, "good.zoc")
	bench.Good(t, "save", "-n", "2000", "-o", file)
	good := must.Get(os.ReadFile(file))
	s := must.Get(linear.FromBytes(good, linear.CheckNone))
	hurt := filepath.Join(dir, "hurt.zoc")
	for _, c := range s.Info().Sections {
		if c.Bytes == 0 {
			continue
		}
		b := bytes.Clone(good)
		b[c.Offset+c.Bytes/2] ^= 4
		must.Do(os.WriteFile(hurt, b, 0o666))
		for _, level := range []string{"safe", "full", "sums"} {
			o := bench.Do("save", "inspect", hurt, "-check", level, "-format", "tsv")
			if want := fmt.Sprintf("hurt.zoc: 1 sections are damaged, the first one at byte %d: ", c.Offset); o.Code != 1 ||
				!strings.Contains(o.Errs, want) || !strings.Contains(o.Errs, fmt.Sprintf("chunk 0 of section %q", c.Name)) {
				t.Errorf("%s, %s: exit code %d, errors %q", c.Name, level, o.Code, o.Errs)
			}
			wrong := 0
			for _, m := range sectionLine.FindAllStringSubmatch(o.Out, -1) {
				if (m[7] == "wrong") != (m[1] == c.Name) {
					t.Errorf("%s: %s", c.Name, m[0])
				}
				wrong++
			}
			if wrong != len(s.Info().Sections) {
				t.Errorf("%s: %d sections", c.Name, wrong)
			}
		}
	}
}

// Valid checksums do not make a valid tree: the error is that of the check.
func TestInspectUnsound(t *testing.T) {
	file := filepath.Join(t.TempDir(), "empty.zoc")
	var b bytes.Buffer
	must.Get(snap.Write(t.Context(), &b, 1, []snap.Section{{Name: "Hot", Row: 512, Words: []uint8{4}}}, nil))
	must.Do(os.WriteFile(file, b.Bytes(), 0o666))
	o := bench.Do("save", "inspect", file, "-format", "tsv")
	if lines := sectionLine.FindAllString(o.Out, -1); o.Code != 1 || len(lines) != 1 || !strings.HasSuffix(lines[0], "\tright") ||
		!strings.Contains(o.Errs, "linear: ") || !strings.Contains(o.Errs, "empty.zoc: ") || strings.Contains(o.Errs, "sections are damaged") {
		t.Errorf("exit code %d, output %q, errors %q", o.Code, o.Out, o.Errs)
	}
}

// A file with an invalid header is an error, and no table is printed.
func TestInspectStrange(t *testing.T) {
	dir := t.TempDir()
	file := filepath.Join(dir, "x.zoc")
	bench.Good(t, "save", "-n", "100", "-o", file)
	good := must.Get(os.ReadFile(file))
	for name, c := range map[string]struct {
		data []byte
		want string
	}{
		"empty.zoc": {nil, "it ends after 0 bytes"},
		"text.zoc":  {[]byte("x,y,z\n1,2,3\n"), "not a zoctree snapshot (bad magic)"},
		"cut.zoc":   {good[:len(good)-1], fmt.Sprintf("%d bytes of a file of %d", len(good)-1, len(good))},
		"head.zoc":  {append(append([]byte{}, good[:20]...), make([]byte, len(good)-20)...), "the header has the sum"},
		"later.zoc": {append(append([]byte{}, good[:8]...), append([]byte{9}, good[9:]...)...), "it was written by a later version of the library, in format 9"},
	} {
		path := filepath.Join(dir, name)
		must.Do(os.WriteFile(path, c.data, 0o666))
		if o := bench.Do("save", "inspect", "-check", "none", path); o.Code != 1 || o.Out != "" || !strings.Contains(o.Errs, name+": ") || !strings.Contains(o.Errs, c.want) {
			t.Errorf("%s: exit code %d, output %q, errors %q", name, o.Code, o.Out, o.Errs)
		}
	}
	for _, path := range []string{dir, filepath.Join(dir, "missing.zoc")} {
		if o := bench.Do("save", "inspect", path); o.Code != 1 || o.Out != "" || !strings.Contains(o.Errs, path) {
			t.Errorf("%s: exit code %d, errors %q", path, o.Code, o.Errs)
		}
	}
}

// The output for a scene has a line for each section of each part.
func TestInspectScene(t *testing.T) {
	s := must.Get(linear.NewScene(linear.Config{}))
	tree := must.Get(linear.New(linear.Config{}))
	must.Get(tree.InsertBatch(nil, testkit.SceneByName(t, "city").Make(30, 1)))
	must.Get(s.AddInstances(nil, tree, make([]linear.Transform, 4), linear.InstanceOptions{}))
	path := filepath.Join(t.TempDir(), "scene.zoc")
	must.Do(s.Save(t.Context(), path, linear.SnapshotOptions{}))
	for _, level := range []string{"safe", "full", "sums", "none"} {
		out := bench.Good(t, "save", "inspect", "-check", level, path)
		for _, part := range []string{
			"\nscene    0 objects and 4 instances (0 turning) of 1 parts, depth 1, 120 objects through all instances\n", "\nbounds   [", "\ncheck    " + level,
			"\nParts             scene ", "\nHot               part 0 ", "\nEntries           part 3 ",
		} {
			if !strings.Contains(out, part) {
				t.Errorf("%s: no %q in\n%s", level, part, out)
			}
		}
	}
	if out := bench.Good(t, "save", "inspect", path, "-format", "tsv"); !strings.Contains(out, "\n0\t0\t4\t0\t120\n1\t30\t0\t4\t30\n") {
		t.Errorf("the parts differ:\n%s", out)
	}
	file := must.Get(os.ReadFile(path))
	file[len(file)-1] ^= 1
	must.Do(os.WriteFile(path, file, 0o666))
	if o := bench.Do("save", "inspect", path); o.Code != 1 || !strings.Contains(o.Out, "damaged") {
		t.Errorf("exit code %d and\n%s", o.Code, o.Out)
	}
}
