package asm

// KernelsOn lists the families as they run on a tier.
var KernelsOn = kernels
