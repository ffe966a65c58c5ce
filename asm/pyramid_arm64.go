//go:build arm64 && !purego

package asm

//go:noinline
func pyramidRows(p *Picture, level, y0, y1 int) { pyramidRowsGo(p, level, y0, y1) }
