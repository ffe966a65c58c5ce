package testkit

import "testing"

// Must fails the test at once if there is an error.
func Must(t testing.TB, err error) {
	if err != nil {
		t.Helper()
		t.Fatal(err)
	}
}
