package automation

import (
	"bytes"
	"encoding/json"
	"slices"
	"strconv"
	"strings"
)

// Change is one place in which two documents differ.
type Change struct {
	Op   Op     `json:"op"`
	Path string `json:"path"` // as in an Error: steps[2].selector
	Step int    `json:"step"` // index of the step that it is in; -1 outside of the steps
	// Old and New are what stands there, as JSON; nil where nothing does.
	Old json.RawMessage `json:"old,omitempty"`
	New json.RawMessage `json:"new,omitempty"`
}

// Op is how two documents differ in a place.
type Op string

// The kinds of change. A Path, and the Step, count in the new document, but in the
// old one for what was removed.
const (
	Added   Op = "added"
	Removed Op = "removed"
	Changed Op = "changed"
)

// Diff compares two documents field by field, in their order. Steps that were put
// in or taken out do not make those after them differ. A selector, a fingerprint,
// args and notes are compared as wholes, lists item by item. The revision is the
// store's, and no difference. The error is of a document that cannot be written.
func Diff(before, after *Automation) ([]Change, error) {
	from, err := written(before)
	if err != nil {
		return nil, err
	}
	to, err := written(after)
	if err != nil {
		return nil, err
	}
	var d differ
	d.object(from, to, nil)
	return d.changes, nil
}

// written reads the text of a document, which has its keys in order and leaves
// out what is empty.
func written(a *Automation) (*node, error) {
	copied := *a
	copied.Revision = 0
	text, err := copied.compact()
	if err != nil {
		return nil, err
	}
	var p problems
	n := readNode(text, &p)
	return n, p.err()
}

// whole are the fields that are compared as they are: their parts say nothing alone.
var whole = []string{"selector", "fingerprint", "args", "x"}

// differ collects changes.
type differ struct{ changes []Change }

func (d *differ) add(op Op, at *place, before, after *node) {
	c := Change{Op: op, Path: at.String(), Step: at.step()}
	if before != nil {
		c.Old = before.compact()
	}
	if after != nil {
		c.New = after.compact()
	}
	d.changes = append(d.changes, c)
}

// step is the index of the step that a place is in, -1 where it is in none.
func (p *place) step() int {
	for ; p != nil && p.parent != nil; p = p.parent {
		if p.key == "" && p.parent.key == "steps" && p.parent.parent == nil {
			return p.index
		}
	}
	return -1
}

func (d *differ) object(before, after *node, at *place) {
	for _, key := range keysOf(before, after) {
		d.value(key, before.get(key), after.get(key), at.field(key))
	}
}

// keysOf returns those of the one object, and then what is only in the other.
func keysOf(before, after *node) []string {
	var keys []string
	seen := map[string]bool{}
	for _, m := range slices.Concat(before.members, after.members) {
		if !seen[m.key] {
			seen[m.key] = true
			keys = append(keys, m.key)
		}
	}
	return keys
}

func (d *differ) value(key string, before, after *node, at *place) {
	switch {
	case before == nil:
		d.add(Added, at, nil, after)
	case after == nil:
		d.add(Removed, at, before, nil)
	case canonical(before) == canonical(after):
	case key == "steps" && at.parent == nil:
		d.steps(before.items, after.items, at)
	case before.kind != after.kind, slices.Contains(whole, key):
		d.add(Changed, at, before, after)
	case before.kind == '{':
		d.object(before, after, at)
	case before.kind == '[':
		d.list(before.items, after.items, at, pairs(before.items, after.items, canonical))
	default:
		d.add(Changed, at, before, after)
	}
}

// steps compares steps with those that they became: the same ones, or else those
// that do the same to another element, or else with the same tool.
func (d *differ) steps(before, after []*node, at *place) {
	tool := func(n *node) string { return canonical(n.get("tool")) }
	d.list(before, after, at, pairs(before, after, canonical, deed, tool))
}

// list compares two lists in order: what was removed before a pair, what was added
// before it, and in what the pair differs.
func (d *differ) list(before, after []*node, at *place, same [][2]int) {
	i, j := 0, 0
	for _, pair := range append(same, [2]int{len(before), len(after)}) {
		for ; i < pair[0]; i++ {
			d.add(Removed, at.item(i), before[i], nil)
		}
		for ; j < pair[1]; j++ {
			d.add(Added, at.item(j), nil, after[j])
		}
		if i < len(before) && canonical(before[i]) != canonical(after[j]) {
			d.object(before[i], after[j], at.item(j))
		}
		i, j = i+1, j+1
	}
}

// deed is what a step does, whatever element it does it to.
func deed(n *node) string {
	rest := &node{kind: '{'}
	for _, m := range n.members {
		if !slices.Contains([]string{"selector", "alternatives", "fingerprint", "offset", "frame", "frameAlternatives"}, m.key) {
			rest.members = append(rest.members, m)
		}
	}
	return canonical(rest)
}

// canonical returns a text that two values share if they say the same: the order of
// an object's keys says nothing.
func canonical(n *node) string {
	var b strings.Builder
	writeCanonical(&b, n)
	return b.String()
}

func writeCanonical(b *strings.Builder, n *node) {
	switch {
	case n == nil:
	case n.kind == '{':
		members := slices.Clone(n.members)
		slices.SortFunc(members, func(a, b member) int { return strings.Compare(a.key, b.key) })
		b.WriteByte('{')
		for _, m := range members {
			b.WriteString(strconv.Quote(m.key))
			writeCanonical(b, m.value)
		}
		b.WriteByte('}')
	case n.kind == '[':
		b.WriteByte('[')
		for _, item := range n.items {
			writeCanonical(b, item)
			b.WriteByte(',')
		}
		b.WriteByte(']')
	case n.kind == '"':
		b.WriteString(strconv.Quote(n.text))
	default:
		b.Write(bytes.TrimSpace(n.raw))
	}
}

// maxTable bounds the work of aligning two lists; longer ones are paired one by
// one from their beginning.
const maxTable = 4 << 20

// pairs returns the items of two lists that became each other, as indexes into both,
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

// common returns the longest common subsequence of two lists. Of several it gives
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
