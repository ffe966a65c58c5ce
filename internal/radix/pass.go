package radix

// twoPasses sorts a stably by the width bits from shift on, as two digits, the lower one first.
// Both digits are counted in one sweep, because two independent counters hide each other's latency.
//
//	         shift+width        shift
//	+--------+--------+---------+-------+
//	|        | digit1 | digit0  |       |
//	+--------+--------+---------+-------+
//	           a <- tmp  tmp <- a
func (s *sorter) twoPasses(a, tmp []uint64, shift, width uint) {
	shift0, shift1 := shift&63, (shift+width/2)&63
	mask0, mask1 := uint64(1)<<(width/2)-1, uint64(1)<<(width-width/2)-1
	count0, count1 := &s.count[0], &s.count[1]
	clear(count0[:mask0+1])
	clear(count1[:mask1+1])
	for _, item := range a {
		count0[item>>shift0&mask0&digitMask]++
		count1[item>>shift1&mask1&digitMask]++
	}
	n, first := uint32(len(a)), a[0]
	if count0[first>>shift0&mask0&digitMask] == n && count1[first>>shift1&mask1&digitMask] == n {
		return
	}
	starts(count0[:mask0+1])
	starts(count1[:mask1+1])
	scatter(tmp, a, count0, shift0, mask0)
	scatter(a, tmp, count1, shift1, mask1)
}

// scatter moves each item of src to the next free position of its digit. The last mask only
// eliminates the bounds check.
func scatter(dst, src []uint64, next *[1 << digitMax]uint32, shift uint, mask uint64) {
	for _, item := range src {
		d := item >> (shift & 63) & mask & digitMask
		p := next[d]
		next[d] = p + 1
		dst[p] = item
	}
}

// starts turns the count of each digit into the position of its first item.
func starts(count []uint32) {
	sum := uint32(0)
	for i, c := range count {
		count[i] = sum
		sum += c
	}
}
