package trace

import "github.com/zoctree/zoctree/soa"

// The room that a near kernel needs on its stack beyond its present entries, and the entries that a call takes.
const (
	NearRoom     = nearRoom
	NearPerCall  = nearPerCall
	NearStepRoom = 2 * soa.Fan
)
