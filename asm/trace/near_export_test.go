package trace

import "github.com/zoctree/zoctree/soa"

// The room that a near kernel needs on its stack beyond its present entries.
const (
	NearRoom     = nearRoom
	NearStepRoom = 2 * soa.Fan
)
