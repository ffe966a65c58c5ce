//go:build !amd64 || purego

package asm

func selectLanes(e *selecting) { selectLanesGo(e) }
