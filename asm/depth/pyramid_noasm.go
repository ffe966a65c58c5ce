//go:build (!amd64 && !arm64) || purego

package depth

func pyramidRows(p *Picture, level, y0, y1 int) { pyramidRowsGo(p, level, y0, y1) }
