//go:build (!amd64 && !arm64) || purego

package cull

func selectLanes(e *selectArgs) { selectLanesGo(e) }
