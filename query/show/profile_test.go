package show

import (
	"bytes"
	"math"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/google/pprof/profile"

	"github.com/zoctree/zoctree/internal/scene"
	"github.com/zoctree/zoctree/internal/testkit"
	"github.com/zoctree/zoctree/internal/testkit/queries"
	kit "github.com/zoctree/zoctree/internal/testkit/trees"
	"github.com/zoctree/zoctree/linear"
	"github.com/zoctree/zoctree/query"
	"github.com/zoctree/zoctree/soa"
)

// forms returns trees of every form: empty, of one object, roomy, frozen, with
// pending objects, and after removals that empty nodes.
func forms(t *testing.T, scene string, n int) map[string]*linear.Tree {
	t.Helper()
	all := map[string]*linear.Tree{}
	objects := testkit.SceneByName(t, scene).Make(n, 1)
	grow := func(name string, cfg linear.Config, objects []soa.Object) *linear.Tree {
		all[name] = kit.New(t, cfg)
		kit.Insert(t, all[name], objects)
		return all[name]
	}
	grow("empty", linear.Config{}, nil)
	grow("one", linear.Config{}, objects[:1])
	grow("roomy", linear.Config{}, objects)
	grow("frozen", linear.Config{Frozen: true}, objects)
	pending := grow("pending", linear.Config{}, objects[:n-40])
	if _, err := pending.InsertBatch(nil, objects[n-40:]); err != nil {
		t.Fatal(err)
	}
	thin := grow("thinned", linear.Config{}, objects)
	for id := range uint32(n) {
		if id%7 != 0 {
			testkit.Must(t, thin.Remove(id))
		}
		if id%50 == 0 {
			testkit.Must(t, thin.Tick())
		}
	}
	return all
}

// heatOf returns the heat of some queries and their counters.
func heatOf(t *testing.T, v linear.View) (h *query.Heat, sum query.Counters) {
	t.Helper()
	h = query.NewHeat(v)
	for _, reach := range []float32{1, 10, 1e9} {
		b := queries.Box(t, soa.AABB{Min: [3]float32{-reach, -reach, -reach}, Max: [3]float32{reach, reach, reach}})
		sum = sum.Add(b.Explain(v, query.Filter{}, h))
		c, err := query.ExplainNearest(v, [3]float32{reach, 0, 0}, 5, float32(math.Inf(1)), query.Filter{}, h)
		testkit.Must(t, err)
		sum = sum.Add(c)
	}
	return h, sum
}

func profileOf(t *testing.T, v linear.View, h *query.Heat) *profile.Profile {
	t.Helper()
	p, err := Profile(v, h)
	testkit.Must(t, err)
	return p
}

// The sums equal those in Stats, the visits equal the counters, and the profile is valid.
func TestTotals(t *testing.T) {
	for _, scene := range []string{"uniform", "city", "identical"} {
		for form, tree := range forms(t, scene, 3000) {
			h, visits := heatOf(t, tree.View())
			p := profileOf(t, tree.View(), h)
			if err := p.CheckValid(); err != nil {
				t.Errorf("%s %s: %v", scene, form, err)
			}
			st := tree.Stats()
			want := [NumValues]int64{int64(st.Objects), int64(st.Packets), int64(st.Nodes), int64(st.LiveBytes()), int64(visits.Nodes + visits.Packets)}
			if got := Sums(p); got != want {
				t.Errorf("%s %s: sums %v, want %v", scene, form, got, want)
			}
			var levels [NumValues]int64
			for _, l := range Levels(p) {
				for i := range l {
					levels[i] += l[i]
				}
			}
			if levels != want {
				t.Errorf("%s %s: levels %v, want %v", scene, form, levels, want)
			}
			if form == "roomy" {
				plain := Sums(profileOf(t, tree.View(), nil))
				want[Visits] = 0
				if plain != want {
					t.Errorf("%s without heat: %v, want %v", scene, plain, want)
				}
			}
		}
	}
}

// Each packet has the position given by Cells, and each stack is a path: the root, its octants one by one,
// perhaps a part of the last, and the leaf.
func TestStacks(t *testing.T) {
	for form, tree := range forms(t, "city", 3000) {
		want := map[string]int64{}
		for c := range tree.Cells() {
			want[name(c.Prefix)] += int64(c.Count)
		}
		got := map[string]int64{}
		for _, s := range profileOf(t, tree.View(), nil).Sample {
			var path []string
			for _, l := range s.Location {
				path = append([]string{l.Line[0].Function.Name}, path...)
			}
			if s.Value[Objects] > 0 && path[len(path)-1] != "pending packet" {
				got[path[len(path)-2]] += s.Value[Objects]
			}
			if path[0] != "root" {
				t.Fatalf("%s: %v does not begin at the root", form, path)
			}
			cells := path[1 : len(path)-1]
			for depth, cell := range cells {
				digits, ok := strings.CutPrefix(cell, "octant ")
				if part, isPart := strings.CutPrefix(cell, "part "); isPart && depth == len(cells)-1 {
					digits, _, _ = strings.Cut(part, "+")
					digits, ok = digits+"x", true
				}
				if !ok || len(digits) != depth+1 || depth > 0 && !strings.HasPrefix(digits, cells[depth-1][len("octant "):]) {
					t.Fatalf("%s: %v is not a path", form, path)
				}
			}
		}
		for cell, n := range want {
			if got[cell] != n {
				t.Errorf("%s: %d objects in %s, want %d", form, got[cell], cell, n)
			}
			delete(got, cell)
		}
		if len(got) > 0 {
			t.Errorf("%s: cells %v hold no packets", form, got)
		}
	}
}

// go tool pprof reads the profile and finds the sums, and compares two trees.
func TestPprof(t *testing.T) {
	if !testkit.Long(t) {
		t.Skip("runs go tool pprof")
	}
	dir := t.TempDir()
	all := forms(t, "uniform", 3000)
	write := func(name string) string {
		path := filepath.Join(dir, name)
		var b bytes.Buffer
		h, _ := heatOf(t, all[name].View())
		testkit.Must(t, WriteProfile(&b, all[name].View(), h))
		testkit.Must(t, os.WriteFile(path, b.Bytes(), 0o666))
		return path
	}
	roomy, frozen := write("roomy"), write("frozen")
	if out, err := exec.Command("go", "tool", "pprof", "-h").CombinedOutput(); err != nil && !strings.Contains(string(out), "usage") {
		t.Skipf("no go tool pprof: %v", err)
	}
	top := func(args ...string) string {
		t.Helper()
		cmd := exec.Command("go", append([]string{"tool", "pprof", "-top"}, args...)...)
		cmd.Env = append(os.Environ(), "PPROF_TMPDIR="+dir)
		out, err := cmd.Output()
		if err != nil {
			t.Fatalf("go tool pprof %v: %v", args, err)
		}
		return string(out)
	}
	if out := top(roomy); !regexp.MustCompile(`Type: objects\n(.*\n)*.*of 3000 total`).MatchString(out) ||
		!regexp.MustCompile(`(?m)^ +0 +0% +[0-9.]+% +3000 +100% +root$`).MatchString(out) {
		t.Errorf("pprof -top:\n%s", out)
	}
	if out := top("-sample_index=visits", "-cum", frozen); !regexp.MustCompile(`(?m)packet of 16$`).MatchString(out) {
		t.Errorf("pprof -top of visits:\n%s", out)
	}
	if out := top("-sample_index=packets", "-diff_base="+roomy, frozen); !regexp.MustCompile(`(?m)^ +-[0-9]+ .*packet of 14$`).MatchString(out) {
		t.Errorf("pprof -top -diff_base:\n%s", out)
	}
	p, err := profile.ParseData(must(os.ReadFile(roomy)))
	if err != nil || Sums(p)[Objects] != 3000 {
		t.Errorf("read again: %v, %v", Sums(p), err)
	}
}

func must[T any](x T, err error) T {
	if err != nil {
		panic(err)
	}
	return x
}

// The profile of a tree is a function of the sequence of calls.
func TestDeterministic(t *testing.T) {
	objects := testkit.SceneByName(t, "city").Make(2000, 1)
	boxes := scene.BoxQueries(objects, 20, 10, 1)
	var first string
	testkit.EachTier(t, func(t *testing.T) {
		tree, err := linear.New(linear.Config{})
		testkit.Must(t, err)
		if _, err := tree.InsertBatch(nil, objects); err != nil {
			t.Fatal(err)
		}
		h := query.NewHeat(tree.View())
		for _, b := range boxes {
			q := queries.Box(t, b)
			q.Explain(tree.View(), query.Filter{}, h)
		}
		text := profileOf(t, tree.View(), h).String()
		if first == "" {
			first = text
		}
		if text != first {
			t.Error("another profile than on the first tier")
		}
	})
}
