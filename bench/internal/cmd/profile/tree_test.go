package profile

import (
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/zoctree/zoctree/bench/internal/command/commandtest"
	"github.com/zoctree/zoctree/bench/internal/must"
	"github.com/zoctree/zoctree/bench/internal/prof"
	"github.com/zoctree/zoctree/query/show"
)

// The command writes a profile whose sums match its output, on every form of tree, with queries of every
// kind.
func TestTree(t *testing.T) {
	dir := t.TempDir()
	bench.Good(t, "replay", "export", "-o", dir, "-scene", "city", "-n", commandtest.Small(), "-queries", "20", "-cameras", "2", "-steps", "1", "-moves", "10")
	files := []string{"-frusta", filepath.Join(dir, "frusta-10.bin"), "-boxes", filepath.Join(dir, "boxes-8.bin"),
		"-spheres", filepath.Join(dir, "spheres-550.bin"), "-rays", filepath.Join(dir, "rays.bin"), "-points", filepath.Join(dir, "points.bin")}
	for i, args := range [][]string{{}, {"-frozen"}, {"-frames", "12", "-cameras", "0"}, append([]string{"-cameras", "3"}, files...)} {
		file := filepath.Join(dir, fmt.Sprintf("tree-%d.pb.gz", i))
		picture := file + ".svg"
		out := bench.Good(t, append([]string{"profile", "tree", "-scene", "city", "-n", commandtest.Small(), "-o", file, "-svg", picture}, args...)...)
		if svg, err := os.ReadFile(picture); err != nil || !strings.HasPrefix(string(svg), "<svg") || !strings.HasSuffix(string(svg), "</svg>\n") {
			t.Errorf("%v: picture of %d bytes, %v", args, len(svg), err)
		}
		p := must.Get(prof.Load(file))
		sums := show.Sums(p)
		m := regexp.MustCompile(`(?m)^sum +([0-9]+) +([0-9]+) +[0-9.]+ +([0-9]+) +([0-9]+) +([0-9]+)$`).FindStringSubmatch(out)
		if m == nil {
			t.Fatalf("%v: no sums in\n%s", args, out)
		}
		for k, text := range m[1:] {
			if text != fmt.Sprint(sums[k]) {
				t.Errorf("%v: value %d is %d in the file and %s in the table", args, k, sums[k], text)
			}
		}
		var objects, nodes, packets, visits, visitedNodes, visitedPackets int64
		_, stats, _ := strings.Cut(out, "\ntree     ")
		if _, err := fmt.Sscanf(stats, "%d objects (0 pending), %d nodes, %d packets", &objects, &nodes, &packets); err != nil {
			t.Fatalf("%v: %v in\n%s", args, err, out)
		}
		_, line, _ := strings.Cut(out, "\nqueries  ")
		if _, err := fmt.Sscanf(line, "%d, which visit %d nodes and %d packets", &visits, &visitedNodes, &visitedPackets); err != nil {
			t.Fatalf("%v: %v in\n%s", args, err, out)
		}
		if sums[show.Objects] != objects || sums[show.Nodes] != nodes || sums[show.Packets] != packets ||
			sums[show.Visits] != visitedNodes+visitedPackets {
			t.Errorf("%v: sums %v of\n%s", args, sums, out)
		}
		if (visits == 0) != (len(args) == 4) {
			t.Errorf("%v: %d queries", args, visits)
		}
	}
	if o := bench.Do("profile", "tree", "-n", "10", "-o", dir); o.Code != 1 || !strings.Contains(o.Errs, dir) {
		t.Errorf("a folder as file: exit code %d, errors %q", o.Code, o.Errs)
	}
}
