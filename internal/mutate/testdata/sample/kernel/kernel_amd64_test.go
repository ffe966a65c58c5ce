package kernel

import "testing"

func TestAdd(t *testing.T) {
	if Add(3, 4) != 10 {
		t.Fatal(Add(3, 4))
	}
}
