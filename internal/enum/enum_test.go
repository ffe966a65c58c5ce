package enum

import (
	"fmt"
	"testing"
)

type colour uint8

func (c colour) String() string {
	if int(c) < 3 {
		return [...]string{"red", "green", "blue"}[c]
	}
	return fmt.Sprintf("unknown(%d)", uint8(c))
}

// Each value that has a name is written as it, and read again; others are errors.
func TestText(t *testing.T) {
	for i := range 256 {
		text, err := Marshal("paint", colour(i))
		if i >= 3 {
			if want := fmt.Sprintf("paint: the colour %d has no name", i); err == nil || err.Error() != want {
				t.Errorf("%d: %v, want %s", i, err, want)
			}
			continue
		}
		read := colour(9)
		if err != nil || Unmarshal("paint", &read, text) != nil || read != colour(i) || string(text) != colour(i).String() {
			t.Errorf("%d is written as %q, %v, and read as %d", i, text, err, read)
		}
	}
	for _, text := range []string{"", "Red", "unknown(7)", "0"} {
		c := colour(2)
		want := fmt.Sprintf("paint: no colour is %q: want red, green, blue", text)
		if err := Unmarshal("paint", &c, []byte(text)); err == nil || err.Error() != want || c != 2 {
			t.Errorf("%q: %d, %v", text, c, err)
		}
	}
}
