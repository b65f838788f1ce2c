package automation

import "slices"

// maxTable bounds the work of aligning two lists; longer ones are paired one by
// one from their beginning.
const maxTable = 4 << 20

// pairs gives the items of two lists that became each other, as indexes into both,
// in order. What has the same first key is paired first, in as many pairs as there
// can be; what stands between them by the next key, and so on.
func pairs(before, after []*node, keys ...func(*node) string) [][2]int {
	if len(keys) == 0 || len(before) == 0 || len(after) == 0 {
		return nil
	}
	var all [][2]int
	i, j := 0, 0
	between := func(toI, toJ int) {
		for _, pair := range pairs(before[i:toI], after[j:toJ], keys[1:]...) {
			all = append(all, [2]int{i + pair[0], j + pair[1]})
		}
	}
	for _, pair := range common(texts(before, keys[0]), texts(after, keys[0])) {
		between(pair[0], pair[1])
		all = append(all, pair)
		i, j = pair[0]+1, pair[1]+1
	}
	between(len(before), len(after))
	return all
}

func texts(items []*node, key func(*node) string) []string {
	all := make([]string, len(items))
	for i, item := range items {
		all[i] = key(item)
	}
	return all
}

// common gives the longest common subsequence of two lists. Of several it gives
// the same one whichever list comes first, so that a comparison turned round says
// the same.
func common(a, b []string) [][2]int {
	if slices.Compare(a, b) > 0 {
		turned := common(b, a)
		for i, pair := range turned {
			turned[i] = [2]int{pair[1], pair[0]}
		}
		return turned
	}
	var found [][2]int
	start := 0
	for ; start < len(a) && start < len(b) && a[start] == b[start]; start++ {
		found = append(found, [2]int{start, start})
	}
	end := 0
	for end < len(a)-start && end < len(b)-start && a[len(a)-1-end] == b[len(b)-1-end] {
		end++
	}
	for _, pair := range longest(a[start:len(a)-end], b[start:len(b)-end]) {
		found = append(found, [2]int{start + pair[0], start + pair[1]})
	}
	for ; end > 0; end-- {
		found = append(found, [2]int{len(a) - end, len(b) - end})
	}
	return found
}

// longest is the textbook table: lengths[i][j] is that of a[i:] and b[j:].
func longest(a, b []string) [][2]int {
	if (len(a)+1)*(len(b)+1) > maxTable {
		return inTurn(a, b)
	}
	width := len(b) + 1
	lengths := make([]int32, (len(a)+1)*width)
	for i := len(a) - 1; i >= 0; i-- {
		for j := len(b) - 1; j >= 0; j-- {
			if a[i] == b[j] {
				lengths[i*width+j] = lengths[(i+1)*width+j+1] + 1
			} else {
				lengths[i*width+j] = max(lengths[(i+1)*width+j], lengths[i*width+j+1])
			}
		}
	}
	var found [][2]int
	for i, j := 0, 0; i < len(a) && j < len(b); {
		switch {
		case a[i] == b[j]:
			found = append(found, [2]int{i, j})
			i, j = i+1, j+1
		case lengths[(i+1)*width+j] >= lengths[i*width+j+1]:
			i++
		default:
			j++
		}
	}
	return found
}

func inTurn(a, b []string) [][2]int {
	var found [][2]int
	for i := range min(len(a), len(b)) {
		if a[i] == b[i] {
			found = append(found, [2]int{i, i})
		}
	}
	return found
}
