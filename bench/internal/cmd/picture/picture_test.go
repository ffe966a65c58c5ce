package picture

import (
	"flag"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/zoctree/zoctree/bench/internal/command/commandtest"
	"github.com/zoctree/zoctree/internal/picture"
	"github.com/zoctree/zoctree/internal/scene"
)

var bench = commandtest.Bench{Command}

var updatePicture = flag.Bool("update", false, "write pictures anew")

// The picture of the README is what the command of the README draws.
func TestHeroPicture(t *testing.T) {
	path := filepath.Join("..", "..", "..", "pictures", "hero.svg")
	got := bench.Good(t, "picture")
	if *updatePicture {
		if err := os.WriteFile(path, []byte(got), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if got != string(want) {
		t.Errorf("bench picture differs from %s: look at it, then write it anew with -update", path)
	}
	if len(got) > 150_000 {
		t.Errorf("the picture takes %d bytes", len(got))
	}
}

// Every kind and every query is drawn, flat or cut, to a file as to the output.
func TestPicture(t *testing.T) {
	file := filepath.Join(t.TempDir(), "a.svg")
	for _, args := range [][]string{{}, {"-slice", "3"}, {"-scene", "uniform", "-slice", "-0.5"}, {"-seed", "2"}} {
		args = append([]string{"picture", "-n", "200", "-width", "640"}, args...)
		for _, q := range pictureQueries {
			if svg := bench.Good(t, append(args, "-what", "query", "-query", q)...); !strings.HasSuffix(svg, "</svg>\n") {
				t.Errorf("%v, %s: no picture", args, q)
			}
		}
		for _, kind := range picture.Kinds {
			args := append(args, "-what", kind)
			svg := bench.Good(t, args...)
			if out := bench.Good(t, append(args, "-o", file)...); out != "" {
				t.Errorf("%v: with -o it prints %q", args, out)
			}
			if data, err := os.ReadFile(file); err != nil || string(data) != svg {
				t.Errorf("%v: the file differs from the output: %v", args, err)
			}
		}
	}
	for _, s := range scene.All() { // a scene may be a point
		bench.Good(t, "picture", "-scene", s.Name, "-n", "1")
		bench.Good(t, "picture", "-scene", s.Name, "-n", "40", "-slice", "1")
	}
	if o := bench.Do("picture", "-n", "10", "-o", filepath.Dir(file)); o.Code != 1 {
		t.Errorf("exit code %d when the file cannot be written", o.Code)
	}
}

// The houses of a town do not overlap, and are as many as asked for.
func TestTown(t *testing.T) {
	for _, n := range []int{1, 2, 10, 100, 1200} {
		for seed := range uint64(3) {
			houses := town(n, seed)
			if len(houses) != n {
				t.Fatalf("%d houses, want %d", len(houses), n)
			}
			for i, a := range houses {
				if err := a.Box.Check(); err != nil {
					t.Fatal(err)
				}
				for j := range i {
					if a.Box.Overlaps(houses[j].Box) {
						t.Fatalf("houses %d and %d overlap", i, j)
					}
				}
			}
		}
	}
	if b := scene.Bounds(town(1200, 1)); b.Min[2] != 0 || b.Max[2] > 20 {
		t.Errorf("the town is in %v", b)
	}
}
