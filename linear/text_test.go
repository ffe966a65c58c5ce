package linear_test

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"github.com/zoctree/zoctree/linear"
)

// textOf encodes all values of an enumeration as JSON and decodes them again.
func textOf[T interface {
	~uint8
	fmt.Stringer
}](t *testing.T, want int) {
	t.Helper()
	names := map[string]bool{}
	for i := range 256 {
		v := T(i)
		data, err := json.Marshal(v)
		if strings.HasPrefix(v.String(), "unknown(") {
			if err == nil {
				t.Errorf("%T %d, which is none, is written as %s", v, i, data)
			}
			continue
		}
		names[v.String()] = true
		read := T(255)
		if err != nil || string(data) != `"`+v.String()+`"` || json.Unmarshal(data, &read) != nil || read != v {
			t.Errorf("%T %d is written as %s (%v) and read as %d", v, i, data, err, read)
		}
	}
	read := T(1)
	if err := json.Unmarshal([]byte(`"none such"`), &read); err == nil || read != 1 || !strings.Contains(err.Error(), "linear: ") {
		t.Errorf("another text is read as %v, %v", read, err)
	}
	if len(names) != want {
		t.Errorf("%T has the names %v, want %d", read, names, want)
	}
}

// Enumerations are encoded as names in JSON, and so in package expvar.
func TestText(t *testing.T) {
	textOf[linear.Outside](t, 3)
	textOf[linear.Policy](t, 4)
	textOf[linear.Cut](t, 3)
	textOf[linear.CheckLevel](t, 4)
	textOf[linear.Phase](t, 4)
	textOf[linear.TransformKind](t, 5)
	data, err := json.Marshal(linear.Config{Policy: linear.PolicyRefit, Cut: linear.CutCurve})
	var read linear.Config
	if err != nil || !strings.Contains(string(data), `"Policy":"refit"`) || json.Unmarshal(data, &read) != nil || read.Policy != linear.PolicyRefit || read.Cut != linear.CutCurve {
		t.Errorf("a configuration is written as %s, %v, and read as %+v", data, err, read)
	}
}
