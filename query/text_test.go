package query_test

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/zoctree/zoctree/query"
)

// Motions and clips are encoded as names in JSON.
func TestText(t *testing.T) {
	type both struct {
		Motion query.Motion
		Clip   query.Clip
	}
	names := map[string]bool{}
	for i := range 256 {
		for _, b := range []both{{Motion: query.Motion(i)}, {Clip: query.Clip(i)}} {
			data, err := json.Marshal(b)
			if strings.HasPrefix(b.Motion.String(), "unknown(") || strings.HasPrefix(b.Clip.String(), "unknown(") {
				if err == nil {
					t.Errorf("%+v is written as %s", b, data)
				}
				continue
			}
			names[string(data)] = true
			var read both
			if err != nil || json.Unmarshal(data, &read) != nil || read != b {
				t.Errorf("%+v is written as %s (%v) and read as %+v", b, data, err, read)
			}
		}
	}
	if len(names) != 3+6-1 { // both zero values are one
		t.Errorf("%d names: %v", len(names), names)
	}
	b := both{Motion: query.StaticOnly}
	if err := json.Unmarshal([]byte(`{"Motion":"asleep"}`), &b); err == nil || b.Motion != query.StaticOnly || !strings.Contains(err.Error(), "want any, moving, static") {
		t.Errorf("another text is read as %v, %v", b.Motion, err)
	}
}
