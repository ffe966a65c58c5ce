package asm

// SelectPerCall is what one call of a select kernel takes at most.
const SelectPerCall = selectPerCall
