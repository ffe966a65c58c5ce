//go:build !linux

package soa

func adviseHuge([]byte) {}
