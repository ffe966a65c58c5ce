package cull

// SelectPerCall is the bound of one call of a select kernel.
const SelectPerCall = selectPerCall
