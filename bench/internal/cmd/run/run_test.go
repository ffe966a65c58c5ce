package run

import (
	"bytes"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/zoctree/zoctree/asm"
	"github.com/zoctree/zoctree/bench/internal/baseline"
	"github.com/zoctree/zoctree/bench/internal/command/commandtest"
	"github.com/zoctree/zoctree/bench/internal/lab"
	"github.com/zoctree/zoctree/bench/internal/must"
	"github.com/zoctree/zoctree/internal/testkit"
	"github.com/zoctree/zoctree/soa"
)

var bench = commandtest.Bench{Command}

var cullLine = regexp.MustCompile(`(?m)^(1|10|50) %( +[0-9.]+){9}$`)

var queryLine = regexp.MustCompile(`(?m)^(box|sphere|ray|knn)( nearest| [0-9]+)?( +[0-9.]+){3}$`)

// The default command prints a line for each share, on every scene and tier.
func TestRun(t *testing.T) {
	names := []string{"uniform", "city", "surface", "identical", "plane", "degenerate"}
	names = testkit.Budget(t, names[:2], names)
	for i, name := range names {
		n, count := commandtest.Small(), "5"
		if i > 0 {
			count = testkit.Budget(t, "1", "5")
		}
		out := bench.Good(t, "-scene", name, "-n", n, "-cameras", "11", "-workers", "1", "-count", count)
		if n := len(cullLine.FindAllString(out, -1)); n != 3 {
			t.Errorf("%s: %d lines, want 3:\n%s", name, n, out)
		}
		if n := len(queryLine.FindAllString(out, -1)); n != 7 {
			t.Errorf("%s: %d lines of queries, want 7:\n%s", name, n, out)
		}
		for _, word := range []string{"machine ", "tier ", "objects  " + name, "ns/object", "bytes per object"} {
			if !strings.Contains(out, word) {
				t.Errorf("%s: no %q in\n%s", name, word, out)
			}
		}
	}
}

func TestRunTier(t *testing.T) {
	before, tiers := asm.Info().Tier, asm.Info().Available
	if testkit.RaceEnabled { // which is slow and sees nothing of a kernel
		tiers = tiers[:1]
	}
	for _, tier := range tiers {
		out := bench.Good(t, "run", "-n", "100", "-cameras", "2", "-count", "1", "-tier", tier.String())
		if !strings.Contains(out, "tier     "+tier.String()+" ") {
			t.Errorf("tier %v:\n%s", tier, out)
		}
	}
	if asm.Info().Tier != before {
		t.Errorf("tier %v is still set", asm.Info().Tier)
	}
}

func TestRunOne(t *testing.T) {
	bench.Good(t, "-n", "1", "-cameras", "1", "-count", "1")
}

func TestRunFile(t *testing.T) {
	write := func(name, text string) string {
		path := filepath.Join(t.TempDir(), name)
		must.Do(os.WriteFile(path, []byte(text), 0o666))
		return path
	}
	cube := write("cube.obj", "v 0 0 0\nv 1 0 0\nv 1 1 0\nv 0 0 1\nf 1 2 3\nf 1 2 4\nf 2 3 4\n")
	if out := bench.Good(t, "-in", cube, "-cameras", "3"); !strings.Contains(out, "3 triangles of 4 vertices") {
		t.Errorf("no triangles in\n%s", out)
	}
	for path, location := range map[string]string{
		write("index.obj", "v 0 0 0\nf 1 2 3\n"):                         "line 2",
		write("number.csv", "x,y,z\n1,2,3\n4,five,6\n"):                  "line 3",
		write("short.ply", "ply\nformat ascii 1.0\nelement vertex 2\n"):  "line 4",
		write("cut.pcd", "VERSION .7\nFIELDS x y z\nSIZE 4 4 4\nTYPE F"): "line",
		write("empty.csv", "x,y,z\n"):                                    "no objects",
		filepath.Join(t.TempDir(), "missing.ply"):                        "missing.ply",
	} {
		o := bench.Do("-in", path)
		lines := strings.Split(strings.TrimSuffix(o.Errs, "\n"), "\n")
		last := lines[len(lines)-1]
		if o.Code != 1 || o.Out != "" || strings.Count(o.Errs, "bench:") != 1 ||
			!strings.HasPrefix(last, "bench: ") || !strings.Contains(last, location) || !strings.Contains(last, filepath.Base(path)) {
			t.Errorf("%s: exit code %d, output %q, errors %q", path, o.Code, o.Out, o.Errs)
		}
	}
}

// The data sets named by ZOCTREE_DATA; the counts are those published with them.
func TestRunData(t *testing.T) {
	for file, count := range map[string]string{
		"stanford_dragon.ply.gz":           "871414 triangles of 437645 vertices",
		"isprs_csite1_red1.pcd":            "522674 points",
		"osm_bad_hersfeld_polygons.csv.gz": "12746 boxes",
		"adsb_switzerland_20180801.csv.gz": "139098 points",
	} {
		t.Run(file, func(t *testing.T) {
			path := testkit.Data(t, file)
			if testing.Short() {
				t.Skip("-short")
			}
			out := bench.Good(t, "-in", path, "-cameras", "4")
			if !strings.Contains(out, count) || len(cullLine.FindAllString(out, -1)) != 3 {
				t.Errorf("want %s and three lines of culls in\n%s", count, out)
			}
		})
	}
}

// A tree whose results differ from a loop over the objects is an error.
func TestRunMismatch(t *testing.T) {
	objects := testkit.SceneByName(t, "uniform").Make(1000, 1)
	tree := must.Get(lab.BuildFrozen(objects, 1, nil))
	lens := must.Get(baseline.NewLens([6][4]float32{{1, 0, 0, -5}}))
	r := runner{objects: objects, tree: tree}
	r.cameras([]baseline.Lens{lens})
	i := slices.IndexFunc(objects, func(o soa.Object) bool { return o.Box.Max[0] > 6 })
	objects[i].Box.Min[0], objects[i].Box.Max[0] = 0, 1
	if err := must.Catch(func() { r.cameras([]baseline.Lens{lens}) }); err == nil || !strings.Contains(err.Error(), "camera 0") {
		t.Errorf("error %v", err)
	}
}

func TestCPUProfile(t *testing.T) {
	path := filepath.Join(t.TempDir(), "cpu.pb.gz")
	bench.Good(t, "-n", "300", "-cameras", "2", "-count", "1", "-cpuprofile", path)
	if b, err := os.ReadFile(path); err != nil || !bytes.HasPrefix(b, []byte{0x1f, 0x8b}) {
		t.Errorf("error %v, profile %x", err, b[:min(len(b), 16)])
	}
	if o := bench.Do("-n", "300", "-cpuprofile", filepath.Join(path, "none")); o.Code != 1 || o.Out != "" || !strings.Contains(o.Errs, "none") {
		t.Errorf("exit code %d, output %q, errors %q", o.Code, o.Out, o.Errs)
	}
}

func TestRunFormats(t *testing.T) {
	bench.Formats(t, []string{"run", "-n", testkit.Budget(t, "100", "300"), "-cameras", "3", "-count", testkit.Budget(t, "1", "2")}, 2+2+9+7, 3+7)
	for _, args := range [][]string{{"-format", "xml"}, {"-count", "0"}, {"-count", "x"}} {
		if o := bench.Do(args...); o.Code != 2 || o.Out != "" {
			t.Errorf("bench %v: exit code %d, output %q", args, o.Code, o.Out)
		}
	}
}
