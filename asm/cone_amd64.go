//go:build amd64 && !purego

package asm

//go:noinline
func drawCone(p *Picture, c *Cone, y0, y1 int) { drawConeGo(p, c, y0, y1) }
