//go:build !(amd64 || arm64) || purego

package mem

import "unsafe"

func prefetch(unsafe.Pointer, *uint32, int, uint, uintptr) {}
