package must

import (
	"errors"
	"testing"
)

func TestCatch(t *testing.T) {
	want := errors.New("an error")
	closed := false
	if err := Catch(func() {
		defer func() { closed = true }()
		if n := Get(3, nil); n != 3 {
			t.Errorf("Get returns %d", n)
		}
		Do(nil)
		Get("", want)
		t.Error("the work goes on after an error")
	}); err != want || !closed {
		t.Errorf("error %v, deferred function has run: %v", err, closed)
	}
	if err := Catch(func() {}); err != nil {
		t.Error(err)
	}
	named := Catch(func() {
		Within(func() { Do(nil) }, "no error")
		Within(func() { Fail("step %d: %w", 4, want) }, "part %d", 2)
	})
	if !errors.Is(named, want) || named.Error() != "part 2: step 4: an error" {
		t.Errorf("error %q", named)
	}
	late := errors.New("a late error")
	for _, first := range []error{nil, want} {
		err := Catch(func() {
			defer Close(func() error { return late })
			Do(first)
		})
		if !errors.Is(err, late) || first != nil && !errors.Is(err, first) {
			t.Errorf("error %v", err)
		}
	}
	defer func() {
		if r := recover(); r != "fault" {
			t.Errorf("recovered %v", r)
		}
	}()
	Catch(func() {
		defer Close(func() error { return late })
		panic("fault")
	})
}
