// Package typed holds the tests of the source that need types: all packages type-check on every platform, examples
// call each exported function, and only the pen writes to columns. It is a module of its own, so that go test ./... of
// the library compiles neither a type checker nor readers of export data. The sections cross and nested of .ci/run run
// it.
package typed
