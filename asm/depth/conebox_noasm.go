//go:build !amd64 || purego

package depth

import "github.com/zoctree/zoctree/soa"

func boxCone(*Cone, *soa.AABB, *BoxEye, int) (spread float64, state BoxConeState) {
	return 0, ConeUnknown
}
