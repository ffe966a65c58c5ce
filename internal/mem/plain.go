package mem

import (
	"fmt"
	"reflect"
	"sync"
)

// plain is the set of types known to hold no pointers.
var plain sync.Map

// mustBePlain panics if T holds pointers: the garbage collector does not scan memory that is
// allocated as bytes, and would free objects that are referenced only from there.
func mustBePlain[T any]() {
	of := reflect.TypeFor[T]()
	if _, ok := plain.Load(of); ok {
		return
	}
	if in := pointerIn(of); in != nil {
		panic(fmt.Sprintf("mem: a column of %v holds pointers, in a %v, which the collector does not see", of, in))
	}
	plain.Store(of, nil)
}

// pointerIn returns the type of the first part of a value that is, or holds, a pointer, or nil if
// there is none.
func pointerIn(of reflect.Type) reflect.Type {
	switch of.Kind() {
	case reflect.Array:
		if of.Len() == 0 {
			return nil
		}
		return pointerIn(of.Elem())
	case reflect.Struct:
		for i := range of.NumField() {
			if in := pointerIn(of.Field(i).Type); in != nil {
				return in
			}
		}
		return nil
	}
	if of.Kind() <= reflect.Complex128 { // bool and numbers; Uintptr is a number, too
		return nil
	}
	return of
}
