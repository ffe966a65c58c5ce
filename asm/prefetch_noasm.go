//go:build !(amd64 || arm64) || purego

package asm

import "unsafe"

func prefetch(unsafe.Pointer, []uint32, uint, uintptr) {}
