//go:build (!amd64 && !arm64) || purego

package asm

func selectLanes(e *selectArgs) { selectLanesGo(e) }
