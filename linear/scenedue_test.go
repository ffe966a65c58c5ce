package linear_test

import (
	"encoding/binary"
	"errors"
	"math/bits"
	"testing"

	"github.com/zoctree/zoctree/internal/testkit"
	"github.com/zoctree/zoctree/linear"
)

// For any bits of the due entries in a file, CheckFull rejects the file if and only if Load does: of a scene in
// a scene, with a tree that has changed in both, and a snapshot of a tree that had not ticked.
func TestSceneSnapshotDue(t *testing.T) {
	_, s := smallScene(t)
	file := writtenScene(t, s)
	f, err := linear.SceneFromBytes(file, linear.CheckFull)
	must(t, err)
	var words [][]byte
	for _, c := range f.Info().Sections {
		if c.Name == "Due" {
			words = append(words, file[c.Offset:c.Offset+8])
		}
	}
	if len(words) != 2 {
		t.Fatalf("%d scenes, want 2", len(words))
	}
	e := binary.LittleEndian
	const entries = 6 // and one bit beyond the entries
	right := [2]uint64{e.Uint64(words[0]), e.Uint64(words[1])}
	most := testkit.Budget(t, 1, 3) // number of bits that differ in a word
	refused, taken := 0, 0
	for inner := range uint64(1 << entries) {
		for outer := range uint64(1 << entries) {
			if bits.OnesCount64(inner^right[0]) > most || bits.OnesCount64(outer^right[1]) > most {
				continue
			}
			e.PutUint64(words[0], inner)
			e.PutUint64(words[1], outer)
			rightSums(file)
			_, full := linear.SceneFromBytes(file, linear.CheckFull)
			f, safe := linear.SceneFromBytes(file, linear.CheckSafe)
			if safe == nil {
				_, safe = f.Load()
			}
			if (full == nil) != (safe == nil) || full != nil && !errors.Is(full, linear.ErrSnapshot) {
				t.Fatalf("due %#b and %#b: CheckFull: %v; Load: %v", inner, outer, full, safe)
			}
			if full == nil {
				taken++
			} else {
				refused++
			}
		}
	}
	if taken < 2 || refused < 2 {
		t.Errorf("%d are taken, %d refused", taken, refused)
	}
}
