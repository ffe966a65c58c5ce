package points

import (
	"testing"

	"github.com/zoctree/zoctree/soa"
)

const objText = `# two faces
mtllib a.mtl
o thing
v 0 0 0
v 1 0 0 1.0
v 1 1 0.5 0.2 0.3 0.4 # with a colour
vt 0 0
vn 0 0 1
f 1/1/1 2/1/1 3//1
	f 1 \
  -3/1 -1 4
v -1 2 3
f 1 2
s off
`

func objSamples() []accepted {
	return []accepted{
		{"a.obj", objText, Options{}, "OBJ: 2 faces of 4 vertices in [-1 0 0] .. [1 2 3]; skipped 5 other statements, 1 faces of fewer than 3 vertices",
			[]soa.AABB{box(0, 0, 0, 1, 1, 0.5), box(-1, 0, 0, 1, 2, 3)}},
		{"p.obj", "v 1 2 3\r\nv 4 5 6\r\np 1 2", Options{}, "OBJ: 2 points in [1 2 3] .. [4 5 6]; skipped 1 other statements",
			[]soa.AABB{point(1, 2, 3), point(4, 5, 6)}},
	}
}

func TestOBJ(t *testing.T) {
	for _, a := range objSamples() {
		a.run(t)
	}
	accepted{"a.obj", objText, Options{NoFaces: true}, "OBJ: 4 points in [-1 0 0] .. [1 2 3]; skipped 5 other statements, 1 faces of fewer than 3 vertices, 2 faces",
		[]soa.AABB{point(0, 0, 0), point(1, 0, 0), point(1, 1, 0.5), point(-1, 2, 3)}}.run(t)
}

func TestOBJRefused(t *testing.T) {
	const v = "v 0 0 0\nv 0 0 0\n"
	for _, test := range []refused{
		{"a.obj", "# nothing\n", "a.obj: no vertices: a line of one is v and three numbers"},
		{"a.obj", "f\n", "a.obj: no vertices: a line of one is v and three numbers"},
		{"a.obj", "v 1 2\n", "a.obj: line 1: vertex of 2 coordinates, want 3"},
		{"a.obj", v + "v 1 2 c\n", `a.obj: line 3: z: "c" is not a number`},
		{"a.obj", "\xff\xfev\x00 \x001\x000\x00 \x002\x00 \x003\x00\n\x00", "a.obj: text in UTF-16, want UTF-8: save it as UTF-8"},
		{"a.obj", v + "v 1 nan 3\n", `a.obj: line 3: point 2: y is "nan", not finite` + out},
		{"a.obj", v + "v 1e39 2 3\n", `a.obj: line 3: point 2: x is "1e39", beyond float32` + out},
		{"a.obj", v + "f 1 2 3\nf 1 2 4\nf 1 2 1\n", "a.obj: line 4: face index 4 out of range (2 vertices)"},
		{"a.obj", v + "f 1 2 0\n", "a.obj: line 3: face index 0 out of range (2 vertices)"},
		{"a.obj", v + "f 1 2 -3\n", "a.obj: line 3: face index -3 out of range (2 vertices)"},
		{"a.obj", v + "f 1 2 99999999999\n", "a.obj: line 3: face index 99999999999 out of range (2 vertices)"},
		{"a.obj", v + "f 1 2 x\n", `a.obj: line 3: corner "x" is not v, v/vt, v//vn or v/vt/vn`},
		{"a.obj", v + "f 1 \\\n2 \\\n/1\n", `a.obj: line 3: corner "/1" is not v, v/vt, v//vn or v/vt/vn`},
	} {
		test.run(t)
	}
}
