//go:build (!amd64 && !arm64) || purego

package cull

func emit(e *emitArgs) { emitGo(e) }
