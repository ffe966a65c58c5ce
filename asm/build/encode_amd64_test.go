//go:build amd64 && !purego

package build

import "testing"

// otherEncode makes the AVX2 tier build keys by the method that this machine does not choose, until the test ends.
func otherEncode(t testing.TB) {
	was := encodeWithPDEP
	encodeWithPDEP = !was
	t.Cleanup(func() { encodeWithPDEP = was })
}

func TestOtherEncode(t *testing.T) {
	otherEncode(t)
	t.Run("boxes", TestEncodeBoxes)
	t.Run("specials", TestEncodeBoxesSpecials)
	t.Run("packets", TestEncodePackets)
	t.Run("boxes guard", TestEncodeBoxesGuard)
	t.Run("packets guard", TestEncodePacketsGuard)
}

// BenchmarkOtherEncode is BenchmarkEncodeBoxes with magic bits in the AVX2
// tier where PDEP is fast, and with PDEP where it is slow.
func BenchmarkOtherEncode(b *testing.B) {
	otherEncode(b)
	b.Run("boxes", BenchmarkEncodeBoxes)
}
