package show

import (
	"bytes"
	"image"
	"image/color"
	"image/png"
	"strings"
	"testing"

	"github.com/zoctree/zoctree/internal/testkit"
	"github.com/zoctree/zoctree/internal/testkit/trees"
	"github.com/zoctree/zoctree/query"
)

// Pixels match the elements: coverage by area, overlaps once, strokes and dashes.
func TestRasterise(t *testing.T) {
	img, err := rasterise(strings.NewReader(`<svg width="40" height="30">
<rect width="40" height="30" fill="#ffffff"/>
<path fill="#000000" d="M2 2h4v4h-4zM4 4h4v4h-4z"/>
<path fill="#000000" fill-opacity="0.5" d="M10.5 2h2v2h-2z"/>
<path fill="none" stroke="#ff0000" stroke-width="2" d="M2 12L20 12"/>
<path fill="none" stroke="#0000ff" stroke-width="2" stroke-dasharray="4 6" d="M0 20h40"/>
<clipPath id="map"><rect x="30" y="0" width="5" height="5"/></clipPath>
<g clip-path="url(#map)"><path fill="#00ff00" d="M20 0h20v20h-20z"/></g>
</svg>`), limits{})
	testkit.Must(t, err)
	white, black := color.RGBA{255, 255, 255, 255}, color.RGBA{0, 0, 0, 255}
	red, blue, green := color.RGBA{255, 0, 0, 255}, color.RGBA{0, 0, 255, 255}, color.RGBA{0, 255, 0, 255}
	for at, want := range map[image.Point]color.RGBA{
		{1, 1}: white, {2, 2}: black, {5, 5}: black, {7, 7}: black, {7, 2}: white,
		{10, 2}: {191, 191, 191, 255}, {11, 2}: {128, 128, 128, 255}, {12, 3}: {191, 191, 191, 255}, {13, 2}: white,
		{3, 11}: red, {3, 12}: red, {3, 10}: white, {3, 13}: white, {25, 12}: white,
		{2, 20}: blue, {7, 20}: white, {12, 20}: blue, {17, 20}: white,
		{30, 0}: green, {34, 4}: green, {29, 0}: white, {35, 0}: white, {30, 5}: white,
	} {
		if got := img.RGBAAt(at.X, at.Y); got != want {
			t.Errorf("pixel %v is %v, want %v", at, got, want)
		}
	}
	if _, err := rasterise(strings.NewReader("<svg><rect</svg>"), limits{}); err == nil {
		t.Error("no error for a file that is not SVG")
	}
}

// Every letter exists, and differs from the others.
func TestFont(t *testing.T) {
	seen := map[string]rune{}
	for letter := ' '; letter <= '~'; letter++ {
		at := 10 * int(letter-' ')
		if other, ok := seen[glyphs[at:at+10]]; ok {
			t.Errorf("%c has the glyph of %c", letter, other)
		}
		seen[glyphs[at:at+10]] = letter
	}
	if len(glyphs) != 10*95 {
		t.Errorf("%d digits of glyphs, want %d", len(glyphs), 10*95)
	}
}

// All drawings are images of their size, in which their colours occur.
func TestPNG(t *testing.T) {
	objects := testkit.SceneByName(t, "city").Make(400, 1)
	tree := trees.Plant(t, objects, false)
	ball := traceOf(t, made[query.Sphere](t)(query.NewSphere(objects[0].Box.Center(), 20)), tree.View())
	drawings := map[string]Drawing{
		"hidden": partition(t), "placed": testInstances(t, 5, 20, 0.3, true),
		"icicle": Icicle{profileOf(t, tree.View(), ball.Heat), 700, Bytes, 5},
	}
	for _, kind := range allKinds() {
		drawings[kind.String()] = Scene{Kind: kind, View: tree.View(), Tree: tree, Width: 700, Trace: ball}
	}
	for name, d := range drawings {
		var b bytes.Buffer
		if err := PNG(&b, d); err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		img, err := png.Decode(&b)
		if err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		colours := map[color.Color]int{}
		size := img.Bounds()
		for y := range size.Dy() {
			for x := range size.Dx() {
				colours[img.At(x, y)]++
			}
		}
		if len(colours) < 5 || colours[color.RGBA{0x22, 0x22, 0x22, 255}] < 100 || size.Dx() < MinWidth {
			t.Errorf("%s: %d colours, %d pixels of ink, size %v", name, len(colours), colours[color.RGBA{0x22, 0x22, 0x22, 255}], size)
		}
	}
	if err := PNG(new(bytes.Buffer), Scene{Width: 1}); err == nil {
		t.Error("no error of a width of 1")
	}
}
