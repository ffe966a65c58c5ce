package testkit

import (
	"go/parser"
	"go/token"
	"maps"
	"slices"
	"testing"
)

// The source shows which functions call back or take a context, and no others.
func TestNeeds(t *testing.T) {
	const text = `package p
		func Plain(n int, list []string, m map[int]int) error { return nil }
		func Back(f func(int) bool) {}
		func back(f func(int) bool) {}
		func Seq(s iter.Seq[int]) {}
		func (t *T[K]) All() iter.Seq2[int, K] { return nil }
		func (t t) All() iter.Seq[int] { return nil }
		func (T[K]) Find(ctx context.Context, other sort.Seq[int]) {}
		func (T[K]) Both(ctx context.Context, opts ...func()) {}
		type T[K any] struct { Progress, Done func(float64); quiet func(); N int }
		type O struct { Look func() }
		type o struct { Look func() }
		type F func()
	`
	file, err := parser.ParseFile(token.NewFileSet(), "p.go", text, 0)
	if err != nil {
		t.Fatal(err)
	}
	got := map[string]need{}
	addNeeds(got, file)
	want := map[string]need{
		"Back": {back: true}, "Seq": {back: true}, "T.All": {back: true}, "T.Find": {context: true},
		"T.Both": {true, true}, "T.Progress": {back: true}, "T.Done": {back: true}, "O.Look": {back: true},
	}
	if !maps.Equal(got, want) {
		t.Errorf("found %v of %v", got, slices.Sorted(maps.Keys(want)))
	}
}
