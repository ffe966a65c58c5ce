// Package typed holds the tests of the source that need the types of expressions: examples call each exported function,
// and only the pen writes to columns. It is a module of its own, so that go test ./... of the library compiles neither
// a type checker nor readers of export data. The section nested of .ci/run runs it.
package typed
