package picture

import (
	"flag"
	"image"
	"image/color"
	"image/png"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/zoctree/zoctree/bench/internal/command/commandtest"
	"github.com/zoctree/zoctree/bench/internal/must"
	"github.com/zoctree/zoctree/internal/scene"
)

var bench = commandtest.Bench{Command}

var updatePicture = flag.Bool("update", false, "write pictures anew")

// The picture of the README equals the output of the README's command.
func TestHeroPicture(t *testing.T) {
	path := filepath.Join("..", "..", "..", "pictures", "hero.svg")
	got := bench.Good(t, "picture")
	if *updatePicture {
		must.Do(os.WriteFile(path, []byte(got), 0o666))
	}
	want := must.Get(os.ReadFile(path))
	if got != string(want) {
		t.Errorf("bench picture differs from %s: review it, then renew it with -update", path)
	}
	if len(got) > 150_000 {
		t.Errorf("the picture has %d bytes", len(got))
	}
}

// A name that ends in .png selects an image of the size and the colours of the SVG.
func TestImage(t *testing.T) {
	for _, kind := range []string{"overview", "scene", "animation"} {
		path := filepath.Join(t.TempDir(), "a.PNG")
		bench.Good(t, "picture", "-kind", kind, "-n", "200", "-width", "700", "-o", path)
		img := must.Get(png.Decode(strings.NewReader(string(must.Get(os.ReadFile(path))))))
		colours := map[color.Color]int{}
		for y := range img.Bounds().Dy() {
			for x := range img.Bounds().Dx() {
				colours[img.At(x, y)]++
			}
		}
		if img.Bounds().Dx() != 700 || len(colours) < 10 {
			t.Errorf("%s: an image of %v with %d colours", kind, img.Bounds(), len(colours))
		}
	}
}

// The pictures of figure 4 equal the output of the command.
func TestPartitionPicture(t *testing.T) {
	folder := filepath.Join("..", "..", "..", "pictures")
	depth := filepath.Join(t.TempDir(), "a.png")
	svg := bench.Good(t, "picture", "-kind", "occlusion", "-scene", "partition", "-depth", depth)
	grey := must.Get(os.ReadFile(depth))
	for name, got := range map[string]string{"partition.svg": svg, "partition.png": string(grey)} {
		path := filepath.Join(folder, name)
		if *updatePicture {
			must.Do(os.WriteFile(path, []byte(got), 0o666))
		}
		want := must.Get(os.ReadFile(path))
		if name == "partition.png" { // packed in another way by another version of Go
			if a, b := pixelsOf(t, got), pixelsOf(t, string(want)); !slices.Equal(a, b) {
				t.Errorf("the depths differ from %s", path)
			}
		} else if got != string(want) {
			t.Errorf("the picture differs from %s: review it, then renew it with -update", path)
		}
	}
	for _, args := range [][]string{{"-kind", "occlusion", "-query", "box"}, {"-depth", depth}, {"-scene", "partition"}} {
		if o := bench.Do(append([]string{"picture"}, args...)...); o.Code != 2 || o.Out != "" {
			t.Errorf("%v: exit code %d, output %q", args, o.Code, o.Out)
		}
	}
	if o := bench.Do("picture", "-kind", "occlusion", "-n", "100", "-depth", t.TempDir()); o.Code != 1 {
		t.Errorf("exit code %d when the depths cannot be written", o.Code)
	}
	bench.Good(t, "picture", "-kind", "occlusion", "-scene", "identical", "-n", "40") // no ground is free
}

func pixelsOf(t *testing.T, data string) []byte {
	t.Helper()
	img := must.Get(png.Decode(strings.NewReader(data)))
	return img.(*image.Gray16).Pix
}

// Every kind and every query is drawn, flat or cut, to a file as to the output.
func TestPicture(t *testing.T) {
	file := filepath.Join(t.TempDir(), "a.svg")
	for _, args := range [][]string{{}, {"-slice", "3"}, {"-scene", "uniform", "-slice", "-0.5"}, {"-seed", "2"}} {
		args = append([]string{"picture", "-n", "200", "-width", "640"}, args...)
		for _, q := range pictureQueries {
			if svg := bench.Good(t, append(args, "-kind", "result", "-query", q)...); !strings.HasSuffix(svg, "</svg>\n") {
				t.Errorf("%v, %s: no picture", args, q)
			}
		}
		for _, kind := range kinds {
			if kind == sceneKind && slices.Contains(args, "-slice") {
				continue
			}
			args := append(args, "-kind", kind)
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

// The kind scene rejects unsupported flags, and accepts a file of any size as its part.
func TestPictureScene(t *testing.T) {
	for _, args := range [][]string{{"-slice", "1"}, {"-query", "box"}, {"-n", "19"}} {
		if o := bench.Do(append([]string{"picture", "-kind", "scene"}, args...)...); o.Code != 2 || o.Out != "" {
			t.Errorf("%v: exit code %d, output %q", args, o.Code, o.Out)
		}
	}
	file := filepath.Join(t.TempDir(), "a.csv")
	must.Do(os.WriteFile(file, []byte("x,y,z\n1,2,3\n4,5,6\n7,9,8\n"), 0o666))
	svg := bench.Good(t, "picture", "-kind", "scene", "-in", file)
	if !strings.Contains(svg, ">20 instances of 1 part<") {
		t.Errorf("a file is not drawn as a part:\n%s", svg)
	}
	if svg := bench.Good(t, "picture", "-kind", "scene"); !strings.Contains(svg, ">20 instances of 4 parts<") || len(svg) > 200_000 {
		t.Errorf("the town has not four parts, or too many bytes: %d", len(svg))
	}
}

// The animation shows that a tree splits, grows and merges.
func TestAnimation(t *testing.T) {
	for seed := range uint64(3) {
		f := grow(seed)
		f.Width = 640
		var b strings.Builder
		must.Do(f.SVG(&b))
		for _, pattern := range []string{`>[1-9] splits?, `, ` [1-9] merges?<`, `the world 64 wide<`, `the world 128 wide, doubled<`, `>[2-9] cells<`} {
			if !regexp.MustCompile(pattern).MatchString(b.String()) {
				t.Errorf("seed %d: no %s", seed, pattern)
			}
		}
		if want := animationFill + animationOutside + 9; f.Len() != want {
			t.Errorf("seed %d: %d states, want %d", seed, f.Len(), want)
		}
	}
	svg := bench.Good(t, "picture", "-kind", "animation")
	if again := bench.Good(t, "picture", "-kind", "animation"); again != svg || len(svg) > 200_000 {
		t.Errorf("drawn again it differs, or has too many bytes: %d", len(svg))
	}
}

// The houses of a town do not overlap, and have the requested number.
func TestTown(t *testing.T) {
	for _, n := range []int{1, 2, 10, 100, 1200} {
		for seed := range uint64(3) {
			houses := town(n, seed)
			if len(houses) != n {
				t.Fatalf("%d houses, want %d", len(houses), n)
			}
			for i, a := range houses {
				must.Do(a.Box.Check())
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
