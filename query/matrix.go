package query

import (
	"fmt"
	"math"

	"github.com/zoctree/zoctree/query/internal/exact"
)

// A matrix without a frustum, most often one that was never set, must be rejected: a plane without
// normal would contain everything, or nothing. The test uses the left three numbers of the rows,
// which are the normals of the planes x = 0, y = 0, z = 0 and w = 0 of clip space.

var (
	rowNames   = [4]string{"x", "y", "z", "w"}
	planeNames = [6]string{"left", "right", "bottom", "top", "near", "far"}
	planeRows  = [6]int{0, 0, 1, 1, 2, 2} // row that makes each plane together with w
)

// checkRows returns an error that names the row unless the rows are finite, x and y have normals
// that are not parallel, and the normal of z or w is not in their plane. The normals of an
// invertible matrix pass.
func checkRows(m *[4][4]float64) error {
	var n [4][3]float64 // normals, the largest component from 1/2 to 1: no product underflows
	for i := range m {
		r := &m[i]
		if !isFinite(r[0]) || !isFinite(r[1]) || !isFinite(r[2]) || !isFinite(r[3]) {
			return fmt.Errorf("query: row %d (%s) of the matrix, %v, is not finite", i, rowNames[i], *r)
		}
		n[i] = normal(r)
		_, e := math.Frexp(max(math.Abs(r[0]), math.Abs(r[1]), math.Abs(r[2])))
		for a := range n[i] {
			n[i][a] = math.Ldexp(n[i][a], -e)
		}
	}
	for i := range 2 {
		if n[i] == [3]float64{} {
			return fmt.Errorf("query: row %d (%s) of the matrix, %v, has no normal: its first three numbers are zero", i, rowNames[i], m[i])
		}
	}
	across := exact.Cross(n[0], n[1])
	if across == [3]float64{} {
		return fmt.Errorf("query: rows 0 (x) and 1 (y) of the matrix, %v and %v, have parallel normals: it is singular", m[0], m[1])
	}
	for i := 2; i < 4; i++ {
		if float64(n[i][0]*across[0])+float64(n[i][1]*across[1])+float64(n[i][2]*across[2]) != 0 {
			return nil
		}
	}
	return fmt.Errorf("query: rows 2 (z) and 3 (w) of the matrix, %v and %v, have normals in the plane of the normals of rows 0 (x) and 1 (y): it is singular", m[2], m[3])
}

// checkNormals returns an error that names the first of the planes without a normal. The far plane
// may have none where it excludes nothing: float32 rounds a far plane away that is some 10^7 times
// as far as the near one.
func checkNormals(planes *[6][4]float64, m *[4][4]float64) error {
	for i := range planes {
		if normal(&planes[i]) != [3]float64{} || i == 5 && planes[i][3] >= 0 {
			continue
		}
		row := planeRows[i]
		return fmt.Errorf("query: the %s plane of the matrix has no normal, by rows %d (%s), %v, and 3 (w), %v",
			planeNames[i], row, rowNames[row], m[row], m[3])
	}
	return nil
}
