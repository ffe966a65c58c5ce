//go:build (!amd64 && !arm64) || purego

package asm

func emit(e *emitArgs) { emitGo(e) }
