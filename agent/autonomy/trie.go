package autonomy

// trie holds phrases by their bytes. A walk takes at most as many steps as the
// longest phrase is long, so that a text is read in linear time.
type trie struct {
	// The first two steps are looked up, since nearly all walks end there; 0 is
	// no node.
	root   [256]int32
	second [256]*[256]int32
	nodes  []trieNode
	tables [][256]int32 // of the nodes with many children; 0 is none
	ends   [][]end      // 0 is none
}

// manyChildren is from where a table is faster than a list.
const manyChildren = 3

type trieNode struct {
	child, sibling int32 // 0 is none: the root is no node
	ends           int32
	table          int32
	key            byte
	children       uint8 // at most manyChildren
}

// end is the end of a phrase.
type end struct {
	class class
	open  bool // a word may go on behind it
	first bool // it stands at the beginning of a sentence
	own   bool // it is a program's own
	in    spoken
}

func (t *trie) add(key []byte, e end) {
	if len(key) == 0 {
		return
	}
	if len(t.nodes) == 0 {
		t.nodes, t.ends, t.tables = make([]trieNode, 1), make([][]end, 1), make([][256]int32, 1)
	}
	at := t.root[key[0]]
	if at == 0 {
		at = t.grow(0, key[0])
		t.root[key[0]], t.second[key[0]] = at, new([256]int32)
	}
	for i, c := range key[1:] {
		to := t.step(at, c)
		if to == 0 {
			to = t.grow(at, c)
		}
		if i == 0 {
			t.second[key[0]][c] = to
		}
		at = to
	}
	if t.nodes[at].ends == 0 {
		t.ends = append(t.ends, nil)
		t.nodes[at].ends = int32(len(t.ends) - 1)
	}
	ends := &t.ends[t.nodes[at].ends]
	for i := range *ends {
		if known := &(*ends)[i]; known.class == e.class && known.open == e.open && known.first == e.first && known.own == e.own {
			known.in |= e.in
			return
		}
	}
	*ends = append(*ends, e)
}

// grow adds a node under another.
func (t *trie) grow(under int32, key byte) int32 {
	node := trieNode{key: key}
	if under != 0 {
		node.sibling = t.nodes[under].child
		t.nodes[under].child = int32(len(t.nodes))
	}
	t.nodes = append(t.nodes, node)
	if under != 0 {
		t.enter(under)
	}
	return int32(len(t.nodes) - 1)
}

// enter counts the newest child of a node, and gives the node a table once it
// has many of them.
func (t *trie) enter(under int32) {
	n := &t.nodes[under]
	switch {
	case n.table != 0:
		t.tables[n.table][t.nodes[n.child].key] = n.child
	case n.children < manyChildren:
		n.children++
	default:
		n.table = int32(len(t.tables))
		t.tables = append(t.tables, [256]int32{})
		for to := n.child; to != 0; to = t.nodes[to].sibling {
			t.tables[n.table][t.nodes[to].key] = to
		}
	}
}

func (t *trie) step(at int32, c byte) int32 {
	if table := t.nodes[at].table; table != 0 {
		return t.tables[table][c]
	}
	for to := t.nodes[at].child; to != 0; to = t.nodes[to].sibling {
		if t.nodes[to].key == c {
			return to
		}
	}
	return 0
}

// starts is whether something in the trie begins with the first two bytes of b.
func (t *trie) starts(b []byte) bool {
	if t.root[b[0]] == 0 {
		return false
	}
	return len(b) == 1 || t.second[b[0]][b[1]] != 0 || t.nodes[t.root[b[0]]].ends != 0
}

// walk calls found for each phrase that b begins with, and its length.
func (t *trie) walk(b []byte, found func(e end, n int)) {
	if len(b) == 0 {
		return
	}
	at := t.root[b[0]]
	for n := 1; at != 0; n++ {
		if ends := t.nodes[at].ends; ends != 0 {
			for _, e := range t.ends[ends] {
				found(e, n)
			}
		}
		switch {
		case n == len(b):
			return
		case n == 1:
			at = t.second[b[0]][b[1]]
		default:
			at = t.step(at, b[n])
		}
	}
}
