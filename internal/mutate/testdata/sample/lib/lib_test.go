package lib

import "testing"

func TestBelow(t *testing.T) {
	if !Below(Limit-5) || Below(Limit+5) {
		t.Fatal("wrong side")
	}
}

func TestLimit(t *testing.T) {
	if Limit != 10 {
		t.Fatal(Limit)
	}
}

func TestSum(t *testing.T) {
	if Sum([]int{1, 2, 3}) != 6 {
		t.Fatal("wrong sum")
	}
}

func TestTotal(t *testing.T) {
	if Sum([]int{4}) != 4 {
		t.Fatal("wrong sum")
	}
}

func TestLong(t *testing.T) {
	if !testing.Short() && (!Long(Point{X: 2, Y: 1}) || Long(Point{X: 1, Y: 2})) {
		t.Fatal("wrong")
	}
}
