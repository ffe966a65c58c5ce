//go:build (!amd64 && !arm64) || purego

package build

func cutLoad(c *Cut, x, y, z []uint32) { cutLoadGo(c, x, y, z) }

func cutHalve(c *Cut, steps []CutStep) { cutHalveGo(c, steps) }

func cutDecode(x, y, z []uint32, keys []uint64) { cutDecodeGo(x, y, z, keys) }

func cutEnds(x []uint32) (least, most uint32) { return cutEndsGo(x) }

func (s *CutScratch) middle(run []uint32, least, most uint32, n int) (at uint32, take int) {
	return s.middleByBins(run, least, most, n)
}

func cutPart(p *cutPartArgs) { cutPartGo(p) }
