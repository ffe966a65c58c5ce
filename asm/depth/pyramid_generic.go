package depth

// pyramidRowsGo computes rows of a level from the level below. At the right and the lower border a
// texel has fewer than 4 x 4 texels below it.
func pyramidRowsGo(p *Picture, level, y0, y1 int) {
	from, to := &p.Levels[level-1], &p.Levels[level]
	for y := y0; y < y1; y++ {
		out := p.Pix[to.Base+y*to.Stride:][:to.Width]
		for k, end := y<<LevelShift, min((y+1)<<LevelShift, from.Height); k < end; k++ {
			row := p.Pix[from.Base+k*from.Stride:][:from.Width]
			first := k == y<<LevelShift
			for x := range out {
				four := row[x<<LevelShift : min((x+1)<<LevelShift, len(row))]
				least := four[0]
				for _, v := range four[1:] {
					least = min(least, v)
				}
				if first {
					out[x] = least
				} else {
					out[x] = min(out[x], least)
				}
			}
		}
	}
}
