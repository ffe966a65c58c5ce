package query

// PixelLine returns the numbers that define the ray of a pixel, FarPlane the plane at which it ends.
func PixelLine(v Viewport, x, y float64) (start, along [3]float64, length float64, fault string) {
	return v.line(x, y)
}

func FarPlane(v Viewport) [4]float64 { return v.planes[5] }
