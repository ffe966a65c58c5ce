package depth

// drawConeGo draws rows of a cone.
func drawConeGo(p *Picture, c *Cone, y0, y1 int) {
	for y := y0; y < y1; y++ {
		if x0, x1 := c.span(y, p.Width()); x0 < x1 {
			c.row(p.Row(y)[x0:x1], x0, y)
		}
	}
}

// span returns the pixels x0 to x1-1 of a row, which are completely between the lines.
func (c *Cone) span(y, width int) (x0, x1 int) {
	fy := float32(y)
	l, r := float32(0), float32(width)
	for i := range c.Lefts {
		l = max(l, float32(c.LM[i]*fy)+c.LC[i])
	}
	for i := range c.Rights {
		r = min(r, float32(c.RM[i]*fy)+c.RC[i])
	}
	if !(l < r) {
		return 0, 0
	}
	if x0 = int(l); float32(x0) < l {
		x0++
	}
	return x0, int(r)
}

// row draws pixels of row y from x on.
func (c *Cone) row(pix []float32, x, y int) {
	fx, fy, limit := float32(x), float32(y), c.Limit
	px, q := c.PX[0], float32(c.PY[0]*fy)+c.P0[0]
	if c.Planes == 1 {
		for i := range pix {
			if v := float32(px*fx) + q; v > pix[i] && v <= limit {
				pix[i] = v
			}
			fx++
		}
		return
	}
	px1, q1 := c.PX[1], float32(c.PY[1]*fy)+c.P0[1]
	if c.Planes == 2 {
		for i := range pix {
			if v := min(float32(px*fx)+q, float32(px1*fx)+q1); v > pix[i] && v <= limit {
				pix[i] = v
			}
			fx++
		}
		return
	}
	var rest [MaxLines]float32
	for k := 2; k < c.Planes; k++ {
		rest[k] = float32(c.PY[k]*fy) + c.P0[k]
	}
	for i := range pix {
		v := min(float32(px*fx)+q, float32(px1*fx)+q1)
		for k := 2; k < c.Planes; k++ {
			v = min(v, float32(c.PX[k]*fx)+rest[k])
		}
		if v > pix[i] && v <= limit {
			pix[i] = v
		}
		fx++
	}
}
