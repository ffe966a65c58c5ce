package points

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"math"
	"os"
	"path/filepath"
	"reflect"
	"runtime"
	"slices"
	"strings"
	"testing"

	"github.com/zoctree/zoctree/internal/testkit"
)

// join reads all chunks of a file as one cloud. If the file is not a chunk too long, Kept is as in a cloud.
func join(t *testing.T, path string, opt Options) (*Cloud, error) {
	t.Helper()
	all := &Cloud{Bounds: empty()}
	chunks := 0
	for c, err := range Chunks(t.Context(), path, opt) {
		if all.Format != "" {
			t.Fatalf("a chunk %v, %v after the last one", c, err)
		}
		if err != nil {
			if c != nil {
				t.Fatalf("%v with the error %v", c, err)
			}
			return nil, err
		}
		if n := len(c.Points) + len(c.Boxes); n > pointsPerChunk || n == 0 && c.Format == "" || len(c.Kept) != n || c.Kept == nil {
			t.Fatalf("a chunk of %d points, %d indices: %v", n, len(c.Kept), c)
		}
		if chunks > 0 && c.Origin != all.Origin {
			t.Fatalf("the origin is %v in a chunk, %v before", c.Origin, all.Origin)
		}
		all.cover(&c.Bounds.Min, &c.Bounds.Max)
		all.Origin, all.Format, all.Skipped, all.Width, all.Height = c.Origin, c.Format, c.Skipped, c.Width, c.Height
		all.Points, all.Boxes, all.Kept = append(all.Points, c.Points...), append(all.Boxes, c.Boxes...), append(all.Kept, c.Kept...)
		for name, values := range c.Columns {
			if all.Columns == nil {
				all.Columns = map[string][]float64{}
			}
			all.Columns[name] = append(all.Columns[name], values...)
		}
		for name, values := range c.Texts {
			if all.Texts == nil {
				all.Texts = map[string][]string{}
			}
			all.Texts[name] = append(all.Texts[name], values...)
		}
		chunks++
	}
	if chunks == 0 {
		t.Fatal("no chunk and no error")
	}
	return all, nil
}

// compareChunks fails the test unless the chunks of a file have the content of Open.
func compareChunks(t *testing.T, path string, opt Options) {
	t.Helper()
	bare := opt
	bare.NoFaces = true
	want, wantErr := Open(t.Context(), path, bare)
	got, err := join(t, path, opt)
	if err != nil || wantErr != nil {
		if err == nil || wantErr == nil || err.Error() != wantErr.Error() {
			t.Errorf("%s: error %v, want %v", path, err, wantErr)
		}
		return
	}
	n := len(want.Points) + len(want.Boxes)
	if want.Kept == nil {
		for i := range n {
			want.Kept = append(want.Kept, uint32(i))
		}
	}
	sameNumbers := func(a, b []float64) bool {
		return slices.EqualFunc(a, b, func(x, y float64) bool { return math.Float64bits(x) == math.Float64bits(y) })
	}
	if got.Origin != want.Origin || got.Bounds != want.Bounds || !slices.Equal(got.Points, want.Points) || !slices.Equal(got.Boxes, want.Boxes) ||
		!slices.Equal(got.Kept, want.Kept) || !maps.EqualFunc(got.Columns, want.Columns, sameNumbers) ||
		!maps.EqualFunc(got.Texts, want.Texts, slices.Equal[[]string]) || got.Format != want.Format || !reflect.DeepEqual(got.Skipped, want.Skipped) ||
		got.Width != want.Width || got.Height != want.Height {
		t.Errorf("%s: chunks have %v with %d columns, want %v", path, got, len(got.Columns), want)
	}
}

// Chunks of files of all formats and of all programs have the content of Open.
func TestChunks(t *testing.T) {
	folder := t.TempDir()
	number := 0
	run := func(name, data string, opt Options) {
		number++
		path := filepath.Join(folder, fmt.Sprintf("%d-%s", number, filepath.Base(name)))
		testkit.Must(t, os.WriteFile(path, []byte(data), 0o600))
		compareChunks(t, path, opt)
		opt.Origin, opt.SkipInvalid = &[3]float64{1, -2, 0.5}, true
		opt.Columns, opt.Texts = append([]string{"id", "red"}, lasNames...), []string{"name"}
		compareChunks(t, path, opt)
	}
	for _, a := range samples() {
		run(a.name, a.data, a.opt)
	}
	for _, p := range programs {
		run(p.name, p.data, p.opt)
	}
}

// shortChunks limits chunks to so many points in the normal form, until the test ends.
func shortChunks(t *testing.T, points int) {
	if !testkit.Long(t) {
		former := pointsPerChunk
		t.Cleanup(func() { pointsPerChunk = former })
		pointsPerChunk = points
	}
}

// Long files of each format, with points left out in several chunks; the last chunk may be empty.
func TestChunksLong(t *testing.T) {
	shortChunks(t, 1<<10)
	folder := t.TempDir()
	r := testkit.Rand(testkit.Seed(t))
	for _, n := range []int{1, pointsPerChunk - 1, pointsPerChunk, pointsPerChunk + 1, 5*pointsPerChunk + 3} {
		all := make([][3]float64, n)
		for i := range all {
			all[i] = [3]float64{5e6 + r.Float64(), 1000 * r.Float64(), float64(i)}
		}
		files := fileOf(all)
		files["a.las"] = randomLAS(r, 4, 7, n).data()
		files["b.las.gz"] = zip(files["a.las"])
		var invalid strings.Builder
		invalid.WriteString("minx,miny,minz,maxx,maxy,maxz,name\n")
		for i := range n {
			if i%5 == 1 {
				invalid.WriteString("1,2,3,inf,2,3,x\n")
			}
			fmt.Fprintf(&invalid, "%d,2,3,%d,2,4,%d\n", i, i+1, i)
		}
		files["boxes.csv"] = invalid.String()
		for name, data := range files {
			path := filepath.Join(folder, name)
			testkit.Must(t, os.WriteFile(path, []byte(data), 0o600))
			compareChunks(t, path, Options{Columns: []string{"i", "intensity"}, Texts: []string{"name"}, SkipInvalid: true})
			compareChunks(t, path, Options{MaxPoints: n, SkipInvalid: true})
			compareChunks(t, path, Options{MaxPoints: max(1, n-1), SkipInvalid: true})
		}
	}
}

// Memory does not depend on the length of the file, nor on that of its texts.
func TestChunksMemory(t *testing.T) {
	path := filepath.Join(t.TempDir(), "long.csv")
	f, err := os.Create(path)
	testkit.Must(t, err)
	text := strings.Repeat("long", 1000)
	row := strings.Repeat("512000.25,5403000.5,1,"+text+"\n", 1000)
	const rows = 24_000
	fmt.Fprintln(f, "x,y,z,name")
	for range rows / 1000 {
		_, err = f.WriteString(row)
		testkit.Must(t, err)
	}
	testkit.Must(t, f.Close())
	var stats runtime.MemStats
	runtime.GC()
	runtime.ReadMemStats(&stats)
	before, most, n, chunks := stats.HeapAlloc, uint64(0), 0, 0
	for c, err := range Chunks(t.Context(), path, Options{Texts: []string{"name"}}) {
		testkit.Must(t, err)
		if len(c.Texts["name"]) != len(c.Points) || len(c.Points) > 0 && c.Texts["name"][0] != text {
			t.Fatalf("%d texts of %d points", len(c.Texts["name"]), len(c.Points))
		}
		n += len(c.Points)
		chunks++
		runtime.GC()
		runtime.ReadMemStats(&stats)
		most = max(most, stats.HeapAlloc)
	}
	if want := rows*len(text)/textPerChunk + 1; n != rows || most-before > 24<<20 || chunks > want {
		t.Errorf("%d points in %d chunks, %d bytes live; want %d in %d", n, chunks, most-before, rows, want)
	}
}

// An iteration may stop at any chunk, the file is closed, and the sequence may be read again.
func TestChunksStop(t *testing.T) {
	shortChunks(t, 1<<14)
	path := filepath.Join(t.TempDir(), "a.las")
	testkit.Must(t, os.WriteFile(path, []byte(randomLAS(testkit.Rand(3), 2, 0, 3*pointsPerChunk+1).data()), 0o600))
	seq := Chunks(t.Context(), path, Options{})
	for stop := range 6 {
		n := 0
		for c, err := range seq {
			testkit.Must(t, err)
			if n++; n == stop {
				break
			}
			if c.Kept[0] != uint32((n-1)*pointsPerChunk) {
				t.Fatalf("chunk %d begins with point %d", n-1, c.Kept[0])
			}
		}
		if want := min(4, (stop+5)%6+1); n != want && stop != 0 {
			t.Errorf("%d chunks, want %d", n, want)
		}
	}
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	var last error
	for c, err := range Chunks(ctx, path, Options{}) {
		if err == nil && c.Kept[0] > 0 {
			t.Fatal("a second chunk after the context is done")
		}
		last = err
		cancel()
	}
	if !errors.Is(last, context.Canceled) {
		t.Errorf("error %v of a cancelled context", last)
	}
}

// A file that changes between its two passes is an error.
func TestChunksChanged(t *testing.T) {
	path := filepath.Join(t.TempDir(), "a.csv")
	text := "x,y,z\n" + strings.Repeat("1,2,3\n", 100_000)
	write := func(text string) { testkit.Must(t, os.WriteFile(path, []byte(text), 0o600)) }
	write(text)
	changed := false
	for _, err := range Chunks(t.Context(), path, Options{Progress: func(done, total int64) {
		if total != 2*int64(len(text)) {
			t.Fatalf("the total is %d, want that of two passes over %d bytes", total, len(text))
		}
		if done == total/2 && !changed {
			changed = true
			write(strings.Replace(text, "1,2,3", "9,2,3", 1))
		}
	}}) {
		if err == nil || err.Error() != path+": line 65537: the file has changed while it was read" {
			t.Fatalf("error %v", err)
		}
	}
	if !changed {
		t.Error("the file has not been changed")
	}
}

// Errors of opening and of options, each as one pair.
func TestChunksRefused(t *testing.T) {
	path := filepath.Join(t.TempDir(), "a.csv")
	for _, opt := range []Options{{}, {MaxPoints: -1}} {
		n := 0
		for c, err := range Chunks(nil, path, opt) {
			if n++; c != nil || err == nil || opt.MaxPoints == 0 && !errors.Is(err, fs.ErrNotExist) {
				t.Errorf("%v, %v", c, err)
			}
		}
		if n != 1 {
			t.Errorf("%d pairs", n)
		}
		testkit.Must(t, os.WriteFile(path, []byte("x,y\n1,2\n"), 0o600))
	}
}
