//go:build amd64 && !purego

package build

// maxGatherSlots bounds the source of the gathering kernels: their element index slot*96 + lane is
// a signed 32-bit number.
const maxGatherSlots = (1<<31 - 1) / 96
