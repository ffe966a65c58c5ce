//go:build !amd64 || purego

package cpu

func supported() []Tier { return nil }
