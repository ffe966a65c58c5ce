package user

import "testing"

func TestTwice(t *testing.T) {
	if Twice(1, 3) != 10 {
		t.Fatal(Twice(1, 3))
	}
}
