//go:build (!amd64 && !arm64) || purego

package cpu

func supported() []Tier { return nil }

func narrow() bool { return false }
