package save

import (
	"path/filepath"
	"strings"
	"testing"

	"github.com/zoctree/zoctree/bench/internal/cmd/profile"
	"github.com/zoctree/zoctree/bench/internal/cmd/replay"
	"github.com/zoctree/zoctree/bench/internal/cmd/run"
	"github.com/zoctree/zoctree/bench/internal/command/commandtest"
	"github.com/zoctree/zoctree/bench/internal/must"
	"github.com/zoctree/zoctree/linear"
)

// A saved scene equals the one that export writes: queries on either have the same results.
func TestSaveScene(t *testing.T) {
	bench := commandtest.Bench{Command, replay.Command, replay.Export, Inspect}
	dir := t.TempDir()
	file := filepath.Join(dir, "city.zoc")
	of := []string{"-n", commandtest.Small(), "-instances", "40", "-seed", "3"}
	words := strings.Fields(strings.TrimPrefix(bench.Good(t, append([]string{"replay", "export", "-o", dir, "-cameras", "3", "-queries", "20"}, of...)...), "go run ./bench "))
	var again []string // with the file in place of parts and instances
	for i := 0; i < len(words); i++ {
		switch words[i] {
		case "-part":
			i++
		case "-instances":
			again = append(again, words[i], file)
			i++
		default:
			again = append(again, words[i])
		}
	}
	for _, frozen := range []bool{false, true} {
		out := bench.Good(t, append([]string{"save", "-o", file, "-frozen=" + map[bool]string{true: "true", false: "false"}[frozen]}, of...)...)
		if !strings.Contains(out, " 40 instances (0 turning) of 20 parts, depth 1, ") || !strings.Contains(out, "city.zoc, ") {
			t.Errorf("save prints\n%s", out)
		}
		s := must.Get(linear.OpenSceneMapped(file, linear.CheckFull))
		_, _, transform := s.View().Instance(7)
		if rows := transform.Rows(); s.Objects().Len() != 0 || rows[3] != float64(float32(rows[3])) {
			t.Errorf("%d objects of its own, an instance %v", s.Objects().Len(), rows)
		}
		must.Do(s.Close())
		a, b := answers(bench.Good(t, append(words, "-pairs", "-repeat", "1")...)), answers(bench.Good(t, append(again, "-pairs", "-repeat", "1")...))
		if len(a) < 8 || strings.Join(a, "\n") != strings.Join(b, "\n") {
			t.Errorf("frozen %v: of the files\n%s\nof the snapshot\n%s", frozen, strings.Join(a, "\n"), strings.Join(b, "\n"))
		}
		if report := bench.Good(t, "save", "inspect", file); !strings.Contains(report, " 40 instances ") {
			t.Errorf("inspect prints\n%s", report)
		}
	}
}

// answers returns the results of each workload in a replay, without times, bytes and the file.
func answers(out string) (list []string) {
	for line := range strings.Lines(out) {
		if f := strings.Split(strings.TrimSuffix(line, "\n"), "\t"); len(f) > 11 && f[0] != "workload" {
			list = append(list, strings.Join([]string{f[0], f[2], f[3], f[8], f[9], f[10], f[11]}, " "))
		}
	}
	return list
}

// Commands that read objects report in one line that the file of a scene has none, and name the command
// that reads it; replay does not accept a tree as a scene.
func TestSceneIn(t *testing.T) {
	bench := commandtest.Bench{Command, replay.Command, replay.Export, run.Command, profile.Tree}
	dir := t.TempDir()
	file, plain := filepath.Join(dir, "scene.zoc"), filepath.Join(dir, "tree.zoc")
	bench.Good(t, "save", "-n", "200", "-instances", "20", "-o", file)
	bench.Good(t, "save", "-n", "200", "-o", plain)
	for _, args := range [][]string{
		{"run"}, {"profile", "tree", "-o", filepath.Join(dir, "x")}, {"replay", "export", "-o", filepath.Join(dir, "y")}, {"save", "-o", filepath.Join(dir, "z")},
	} {
		o := bench.Do(append(args, "-in", file)...)
		if o.Code != 1 || o.Out != "" || !strings.Contains(o.Errs, "scene.zoc: the snapshot of a scene, not of objects: ") {
			t.Errorf("%v: exit code %d, output %q, errors %q", args, o.Code, o.Out, o.Errs)
		}
	}
	for want, args := range map[string][]string{
		"or the snapshot of a scene":                {"replay", "-instances", plain},
		"has its parts, want no -part":              {"replay", "-instances", file, "-part", plain},
		"want 1 instance or more":                   {"save", "-n", "9", "-instances", "10", "-o", filepath.Join(dir, "w")},
		"for flag -instances: want 0 to 2147483647": {"save", "-instances", "-1", "-o", filepath.Join(dir, "w")},
	} {
		if o := bench.Do(args...); o.Code == 0 || !strings.Contains(o.Errs, want) {
			t.Errorf("%v: exit code %d, errors %q, want %q", args, o.Code, o.Errs, want)
		}
	}
}
