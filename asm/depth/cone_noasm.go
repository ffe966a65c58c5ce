//go:build (!amd64 && !arm64) || purego

package depth

func drawCone(p *Picture, c *Cone, y0, y1 int) { drawConeGo(p, c, y0, y1) }
