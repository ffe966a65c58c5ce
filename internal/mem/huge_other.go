//go:build !linux

package mem

func adviseHuge(p, n uintptr) {}
